import { saveRefusedForm } from "#lib/http/form-drafts.ts";
import { currentLocale } from "#lib/http/page.ts";
import { submitUploadForm, seeOther } from "#lib/http/upload-form.ts";
import { uploadEventLogo } from "#lib/events/operations.ts";
import { describeProblem } from "#lib/i18n/problems.ts";

type Context = { params: Promise<{ slug: string }> };

/** Accepts the logo posted by the settings page and redirects back, with the error if it was refused. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const page = `/e/${encodeURIComponent((await params).slug)}/settings`;
  const sent = await submitUploadForm(uploadEventLogo, request, { params });
  if (sent.ok) return seeOther(page, sent.cookies);
  if (!sent.userId) return seeOther(`/login?next=${encodeURIComponent(page)}`, sent.cookies);
  const { title, advice } = describeProblem(await currentLocale(), sent.error);
  const state = { ok: false, error: `${title} ${advice}`.trim() };
  return seeOther(`${page}?return=${await saveRefusedForm(sent.userId, state)}`, sent.cookies);
}
