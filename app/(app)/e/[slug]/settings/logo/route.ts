import { saveRefusedFormOfUser } from "#lib/http/form-drafts.ts";
import { getCurrentLocale } from "#lib/http/page.ts";
import { submitUploadFormToOperation, createSeeOtherResponse } from "#lib/http/upload-form.ts";
import { uploadEventLogo } from "#lib/events/operations.ts";
import { describeProblem } from "#lib/i18n/problems.ts";

type Context = { params: Promise<{ slug: string }> };

/** Accepts the logo posted by the settings page and redirects back, with the error if it was refused. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const page = `/e/${encodeURIComponent((await params).slug)}/settings`;
  const sent = await submitUploadFormToOperation(uploadEventLogo, request, { params });
  if (sent.ok) return createSeeOtherResponse(page, sent.cookies);
  if (!sent.userId) return createSeeOtherResponse(`/login?next=${encodeURIComponent(page)}`, sent.cookies);
  const { title, advice } = describeProblem(await getCurrentLocale(), sent.error);
  const state = { ok: false, error: `${title} ${advice}`.trim() };
  return createSeeOtherResponse(
    `${page}?return=${await saveRefusedFormOfUser(sent.userId, state)}`,
    sent.cookies,
  );
}
