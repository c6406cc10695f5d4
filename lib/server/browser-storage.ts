import type { ServerResponse } from "node:http";
import { QUICK_EXIT_COOKIE } from "#lib/design/quick-exit-cookie.ts";

/**
 * Removes from the browser everything that it has stored for this site, including drafts, on signing out. A browser can
 * only remove all of it, so nothing is removed when something is opened after the quick exit, which has removed what was
 * stored before it.
 */
export function clearBrowserOnSignOut(response: ServerResponse): void {
  const cookies = [response.getHeader("Set-Cookie") ?? []].flat().map(String);
  const removed = cookies.filter((cookie) => /^[^;=]+=;.*Max-Age=0\b/i.test(cookie));
  const isRemoved = (name: string) => removed.some((cookie) => cookie.startsWith(`${name}=;`));
  if (!isRemoved("__Host-session")) return;
  response.setHeader("Clear-Site-Data", isRemoved(QUICK_EXIT_COOKIE) ? '"cache"' : '"cache", "storage"');
}
