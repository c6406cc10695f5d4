import { buildRefusedFilesFormState } from "#components/incident/refused-files.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { saveRefusedFormOfUser } from "#lib/http/form-drafts.ts";
import { getCurrentLocale } from "#lib/http/page.ts";
import {
  isSentByPageScript,
  createFormStateJsonResponse,
  submitUploadFormToOperation,
  createSeeOtherResponse,
} from "#lib/http/upload-form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import type { AppError } from "#lib/operation/errors.ts";
import { addRelatedFiles } from "#lib/evidence/operations.ts";

type Context = { params: Promise<{ slug: string; id: string }> };

/**
 * Accepts more files. A browser without script is redirected back to the incident; a script, which accepts JSON, gets
 * the state of the form in the reader's language.
 */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { slug, id } = await params;
  const page = `/e/${encodeURIComponent(slug)}/i/${encodeURIComponent(id)}`;
  const sent = await submitUploadFormToOperation(addRelatedFiles, request, {
    params: Promise.resolve({ slug, incidentId: id }),
  });
  const byScript = isSentByPageScript(request);
  if (sent.ok)
    return byScript
      ? createFormStateJsonResponse(200, { ok: true }, sent.cookies)
      : createSeeOtherResponse(`${page}#files`, sent.cookies);
  if (byScript) {
    const state = await toRefusedState(sent.error, {});
    return createFormStateJsonResponse(sent.error.status, state, sent.cookies);
  }
  if (!sent.userId) return createSeeOtherResponse(`/login?next=${encodeURIComponent(page)}`, sent.cookies);
  const values = { ...sent.values, form: "files" };
  const state =
    sent.error.code === "UNAUTHENTICATED"
      ? { ok: false, error: (await getTranslator("report"))("signedOut"), values }
      : await toRefusedState(sent.error, values);
  return createSeeOtherResponse(
    `${page}?return=${await saveRefusedFormOfUser(sent.userId, state)}#files`,
    sent.cookies,
  );
}

const toRefusedState = async (error: AppError, values: Record<string, string>): Promise<FormState> =>
  buildRefusedFilesFormState(error, {
    values,
    t: await getTranslator("incidentClient"),
    locale: await getCurrentLocale(),
  });
