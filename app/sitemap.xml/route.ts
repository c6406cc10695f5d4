import { listPublicPages } from "#lib/events/operations.ts";
import { env } from "#lib/env.ts";
import { handleOperationHttpCall, createErrorResponse } from "#lib/http/endpoint.ts";
import { toAppError } from "#lib/operation/errors.ts";

type PublicPages = { pages: { slug: string; updatedAt: string }[] };

/** Lists the landing page, and the public page of each active event that lets search engines find it. */
export async function GET(request: Request): Promise<Response> {
  try {
    const options = { params: Promise.resolve({}), cookies: [] };
    const { pages } = (await handleOperationHttpCall(listPublicPages, request, options)) as PublicPages;
    const xml = renderSitemap([
      { path: "/" },
      ...pages.map(({ slug, updatedAt }) => ({ path: `/e/${slug}`, updatedAt })),
    ]);
    return new Response(xml, { headers: { "Content-Type": "application/xml; charset=utf-8" } });
  } catch (error) {
    return createErrorResponse(toAppError(error, request.headers.get("x-request-id")));
  }
}

/** Slugs and times hold nothing that XML would have to escape. */
function renderSitemap(entries: { path: string; updatedAt?: string }[]): string {
  const urls = entries.map(({ path, updatedAt }) => {
    const changed = updatedAt ? `<lastmod>${updatedAt}</lastmod>` : "";
    return `<url><loc>${env().baseUrl}${path}</loc>${changed}</url>`;
  });
  const open = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">';
  return `<?xml version="1.0" encoding="UTF-8"?>\n${open}\n${urls.join("\n")}\n</urlset>\n`;
}
