import { buildRefusedFilesState } from "#components/incident/refused-files.ts";
import { getTranslator } from "#components/words/page-words.ts";
import { saveRefusedForm } from "#lib/http/form-drafts.ts";
import { currentLocale } from "#lib/http/page.ts";
import { submitUploadForm, seeOther } from "#lib/http/upload-form.ts";
import { addRelatedFiles } from "#lib/evidence/operations.ts";
import { translateProblem } from "#lib/i18n/problems.ts";

type Context = { params: Promise<{ slug: string; id: string }> };

/** Accepts more files posted by a browser without script, and redirects back to the incident. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { slug, id } = await params;
  const page = `/e/${encodeURIComponent(slug)}/i/${encodeURIComponent(id)}`;
  const sent = await submitUploadForm(addRelatedFiles, request, {
    params: Promise.resolve({ slug, incidentId: id }),
  });
  if (sent.ok) return seeOther(`${page}#files`, sent.cookies);
  if (!sent.userId) return seeOther(`/login?next=${encodeURIComponent(page)}`, sent.cookies);
  const problem = translateProblem(await currentLocale(), sent.error);
  const t = await getTranslator("caseClient");
  const values = { ...sent.values, form: "files" };
  const state =
    sent.error.code === "UNAUTHENTICATED"
      ? { ok: false, error: (await getTranslator("report"))("signedOut"), values }
      : buildRefusedFilesState(problem, { values, t });
  return seeOther(`${page}?return=${await saveRefusedForm(sent.userId, state)}#files`, sent.cookies);
}
