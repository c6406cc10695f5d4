import { submitUploadFormToOperation, createSeeOtherResponse } from "#lib/http/upload-form.ts";
import { uploadOrganizationLogo } from "#lib/organizations/operations.ts";

type Context = { params: Promise<{ slug: string }> };

/** Accepts the logo from the settings form and redirects back with the result. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { slug } = await params;
  const settings = `/orgs/${encodeURIComponent(slug)}/settings`;
  const received = await submitUploadFormToOperation(uploadOrganizationLogo, request, {
    params: Promise.resolve({ orgSlug: slug }),
  });
  if (received.ok) return createSeeOtherResponse(`${settings}?logo=saved#logo`, received.cookies);
  if (received.error.code === "UNAUTHENTICATED")
    return createSeeOtherResponse(`/login?next=${encodeURIComponent(settings)}`);
  // No fragment: it would keep the focus from the error when the page loads.
  return createSeeOtherResponse(`${settings}?logo=${received.error.code}`, received.cookies);
}

/** Redirects a person who reloads the form's URL to the form. */
export async function GET(_: Request, { params }: Context): Promise<Response> {
  return createSeeOtherResponse(`/orgs/${encodeURIComponent((await params).slug)}/settings`);
}
