import { uploadAvatar } from "#lib/own-account/operations.ts";
import { submitUploadFormToOperation, createSeeOtherResponse } from "#lib/http/upload-form.ts";

/** Accepts the picture from the profile form and redirects back with the result. */
export async function POST(request: Request): Promise<Response> {
  const received = await submitUploadFormToOperation(uploadAvatar, request, { params: Promise.resolve({}) });
  if (received.ok) return createSeeOtherResponse("/account?avatar=saved#picture", received.cookies);
  if (received.error.code === "UNAUTHENTICATED") return createSeeOtherResponse("/login?next=%2Faccount");
  // No fragment: it would keep the focus from the error when the page loads.
  return createSeeOtherResponse(`/account?avatar=${received.error.code}`, received.cookies);
}

/** Redirects a person who reloads the form's URL to the form. */
export async function GET(): Promise<Response> {
  return createSeeOtherResponse("/account");
}
