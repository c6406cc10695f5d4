import { submitUploadForm, seeOther } from "#lib/http/upload-form.ts";
import { uploadOrganizationLogo } from "#lib/organizations/operations.ts";

type Context = { params: Promise<{ slug: string }> };

/** Takes the logo of the settings form, and goes back there with the outcome. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { slug } = await params;
  const settings = `/orgs/${encodeURIComponent(slug)}/settings`;
  const received = await submitUploadForm(uploadOrganizationLogo, request, {
    params: Promise.resolve({ orgSlug: slug }),
  });
  if (received.ok) return seeOther(`${settings}?logo=saved#logo`, received.cookies);
  if (received.error.code === "UNAUTHENTICATED")
    return seeOther(`/login?next=${encodeURIComponent(settings)}`);
  // What is wrong takes the focus as the page arrives; a fragment would keep it.
  return seeOther(`${settings}?logo=${received.error.code}`, received.cookies);
}

/** Somebody who reloads the address of the form is sent to the form. */
export async function GET(_: Request, { params }: Context): Promise<Response> {
  return seeOther(`/orgs/${encodeURIComponent((await params).slug)}/settings`);
}
