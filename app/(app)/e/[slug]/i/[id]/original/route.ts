import { getTranslator } from "#components/i18n/request-translator.ts";
import { createSeeOtherResponse } from "#lib/http/upload-form.ts";
import { openOriginal } from "#lib/evidence/operations.ts";
import { readPostedFields, sendPostedFile } from "../posted-file.ts";

type Context = { params: Promise<{ slug: string; id: string }> };

/**
 * Sends a sealed original to a person who posts a reason for it; without a reason, redirects back to the
 * incident.
 */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { slug, id } = await params;
  const page = `/e/${encodeURIComponent(slug)}/i/${encodeURIComponent(id)}`;
  const fields = await readPostedFields(request);
  if (!fields) return createSeeOtherResponse(page);
  const { fileId = "", reason = "", ticket = "" } = fields;
  return sendPostedFile(request, {
    operation: openOriginal,
    page,
    anchor: "#files",
    params: { slug, incidentId: id, fileId },
    form: `original:${fileId}`,
    input: { reason },
    fields: { reason, ticket },
    reasonMissing: async () => (await getTranslator("incidentPage"))("originalReason"),
  });
}
