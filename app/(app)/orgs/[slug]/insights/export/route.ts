import { exportOrganizationReports } from "#lib/analytics/operations.ts";
import { handleOperationHttpCall } from "#lib/http/endpoint.ts";
import { getCurrentLocale } from "#lib/http/page.ts";
import { createSeeOtherResponse } from "#lib/http/upload-form.ts";
import { toAppError } from "#lib/operation/errors.ts";

type Context = { params: Promise<{ slug: string }> };

/**
 * The export as a page links to it. A link can't choose an Accept header, so this asks for the typeset PDF and for
 * a CSV in words of the reader's language; on failure, redirects back to the page, which shows the reason.
 */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const { slug } = await params;
  const insights = `/orgs/${encodeURIComponent(slug)}/insights`;
  const headers = new Headers(request.headers);
  headers.set("accept", "application/pdf");
  const address = new URL(request.url);
  if (address.searchParams.get("format") === "csv")
    address.searchParams.set("labels", await getCurrentLocale());
  const apiRequest = new Request(address, { headers, signal: request.signal });
  const routeContext = { params: Promise.resolve({ orgSlug: slug }), cookies: [] };
  try {
    return (await handleOperationHttpCall(exportOrganizationReports, apiRequest, routeContext)) as Response;
  } catch (error) {
    const { code } = toAppError(error);
    if (code === "UNAUTHENTICATED")
      return createSeeOtherResponse(`/login?next=${encodeURIComponent(insights)}`);
    const query = new URL(request.url).searchParams;
    query.delete("format");
    query.set("export", code);
    return createSeeOtherResponse(`${insights}?${query}`);
  }
}
