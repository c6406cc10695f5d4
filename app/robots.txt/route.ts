import { connection } from "next/server";
import { env } from "#lib/env.ts";

/**
 * Says where the sitemap is. It forbids no page: a page that must not be listed says so itself, which a crawler only
 * reads if it may fetch the page.
 */
export async function GET(): Promise<Response> {
  // The build knows no address.
  await connection();
  const text = `User-agent: *\nDisallow: /api/\nAllow: /api/events/*/logo\n\nSitemap: ${env().baseUrl}/sitemap.xml\n`;
  return new Response(text, { headers: { "Content-Type": "text/plain; charset=utf-8" } });
}
