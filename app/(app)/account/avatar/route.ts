import { uploadAvatar } from "#lib/own-account/operations.ts";
import { submitUploadForm, seeOther } from "#lib/http/upload-form.ts";

/** Takes the picture of the profile's form, and goes back there with the outcome. */
export async function POST(request: Request): Promise<Response> {
  const received = await submitUploadForm(uploadAvatar, request, { params: Promise.resolve({}) });
  if (received.ok) return seeOther("/account?avatar=saved#picture", received.cookies);
  if (received.error.code === "UNAUTHENTICATED") return seeOther("/login?next=%2Faccount");
  // What is wrong takes the focus as the page arrives; a fragment would keep it.
  return seeOther(`/account?avatar=${received.error.code}`, received.cookies);
}

/** Somebody who reloads the address of the form is sent to the form. */
export async function GET(): Promise<Response> {
  return seeOther("/account");
}
