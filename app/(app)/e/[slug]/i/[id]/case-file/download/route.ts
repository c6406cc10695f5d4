import { getTranslator } from "#components/i18n/request-translator.ts";
import { downloadCaseFile } from "#lib/analytics/operations.ts";
import { CASE_FILE_PART_NAMES } from "#lib/analytics/schema.ts";
import { getCurrentLocale } from "#lib/http/page.ts";
import { createSeeOtherResponse } from "#lib/http/upload-form.ts";
import { readPostedFields, sendPostedFile } from "../../posted-file.ts";

type Context = { params: Promise<{ slug: string; id: string }> };

/** Sends the case file with the parts that were ticked; without a reason, redirects back to the form. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { slug, id } = await params;
  const page = `/e/${encodeURIComponent(slug)}/i/${encodeURIComponent(id)}/case-file`;
  const fields = await readPostedFields(request);
  if (!fields) return createSeeOtherResponse(page);
  const parts = CASE_FILE_PART_NAMES.map((name) => [name, fields[name] === "on"]);
  return sendPostedFile(request, {
    operation: downloadCaseFile,
    page,
    params: { slug, incidentId: id },
    form: "caseFile",
    input: { ...Object.fromEntries(parts), reason: fields.reason ?? "", labels: await getCurrentLocale() },
    fields,
    reasonMissing: async () => (await getTranslator("caseFile"))("whyMissing"),
  });
}
