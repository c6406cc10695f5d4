import { connection } from "next/server";
import { env } from "#lib/env.ts";

/**
 * Returns robots.txt with the URL of the sitemap. It disallows no page: a page that must not be listed says so itself,
 * which a crawler only sees if it may fetch the page.
 */
export async function GET(): Promise<Response> {
  // Rendered per request: BASE_URL isn't known at build time.
  await connection();
  const text = `User-agent: *\nDisallow: /api/\nAllow: /api/events/*/logo\n\nSitemap: ${env().baseUrl}/sitemap.xml\n`;
  return new Response(text, { headers: { "Content-Type": "text/plain; charset=utf-8" } });
}
