import { refusedFiles } from "#components/incident/refused-files.ts";
import { pageWords } from "#components/words/page-words.ts";
import { keepFormReturn } from "#lib/http/form-drafts.ts";
import { currentLocale } from "#lib/http/page.ts";
import { receiveForm, seeOther } from "#lib/http/upload-form.ts";
import { uploadFiles } from "#lib/evidence/operations.ts";
import { translated } from "#lib/i18n/problems.ts";

type Context = { params: Promise<{ slug: string; id: string }> };

/** Takes more files as a browser without script posts them, and goes back to the report. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { slug, id } = await params;
  const page = `/e/${encodeURIComponent(slug)}/i/${encodeURIComponent(id)}`;
  const sent = await receiveForm(uploadFiles, request, { params: Promise.resolve({ slug, incidentId: id }) });
  if (sent.ok) return seeOther(`${page}#files`, sent.cookies);
  if (!sent.userId) return seeOther(`/login?next=${encodeURIComponent(page)}`, sent.cookies);
  const problem = translated(await currentLocale(), sent.error);
  const t = await pageWords("caseClient");
  const values = { ...sent.values, form: "files" };
  const state =
    sent.error.code === "UNAUTHENTICATED"
      ? { ok: false, error: (await pageWords("report"))("signedOut"), values }
      : refusedFiles(problem, { values, t });
  return seeOther(`${page}?return=${await keepFormReturn(sent.userId, state)}#files`, sent.cookies);
}
