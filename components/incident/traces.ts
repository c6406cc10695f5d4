/** Ways out of a reporter's page that leave nothing behind: not on the screen, not on the device, not behind "Back". */

import { LEFT_COOKIE } from "#lib/design/left-cookie.ts";
import { dropDrafts as dropUnsent } from "./unsent.ts";

const DRAFT = "heed-draft:";
/** How long a draft stays on the device, in milliseconds. */
const DRAFT_LIVES_MS = 24 * 3600 * 1000;
/** How long the way back through the steps may take before the page leaves without it. */
const PATIENCE_MS = 250;

/** What was written so far, by field name, and when. */
export type Draft = { at: number; values: Record<string, string> };

/** The draft that this device keeps under a name; null where there is none, or one that is too old. */
export function readDraft(name: string): Draft | null {
  try {
    const draft = JSON.parse(localStorage.getItem(DRAFT + name) ?? "null") as Draft | null;
    return draft && Date.now() - draft.at < DRAFT_LIVES_MS ? draft : null;
  } catch {
    return null;
  }
}

// From then on nothing is kept any more: a key pressed just before must not come after the clearing.
let leaving = false;

/** Keeps a draft; false where the device doesn't keep anything. */
export function writeDraft(name: string, values: Record<string, string>): boolean {
  if (leaving) return false;
  try {
    localStorage.setItem(DRAFT + name, JSON.stringify({ at: Date.now(), values } satisfies Draft));
    return true;
  } catch {
    return false;
  }
}

/** Removes every draft from the device, or those only that are too old. */
export function dropDrafts(which: "all" | "old" = "all"): void {
  try {
    for (const key of Object.keys(localStorage))
      if (key.startsWith(DRAFT) && (which === "all" || !readDraft(key.slice(DRAFT.length))))
        localStorage.removeItem(key);
  } catch {
    // Nothing can be kept here, so nothing was.
  }
}

/** Blanks the page, signs out without waiting for it, clears what the service kept, and goes elsewhere in its place. */
export function leaveQuickly(elsewhere: string): void {
  document.title = "";
  document.body.hidden = true;
  // No question about unsent words stands in the way.
  dropUnsent();
  document.cookie = `${LEFT_COOKIE}=1; Path=/; SameSite=Lax; Max-Age=${DRAFT_LIVES_MS / 1000}`;
  signOutOnTheWay();
  clearDevice();
  leaveFor(elsewhere);
}

/** Outlives the page. Firefox before 133 has no `keepalive`, and older Safari sends no origin with a beacon. */
function signOutOnTheWay(): void {
  try {
    if ("keepalive" in Request.prototype)
      void fetch("/leave", { method: "POST", keepalive: true }).catch(() => undefined);
    else navigator.sendBeacon("/leave");
  } catch {
    // Leaving comes first.
  }
}

function clearDevice(): void {
  try {
    localStorage.clear();
    sessionStorage.clear();
  } catch {
    // Nothing can be kept here, so nothing was.
  }
}

/** Clears what the page kept, and goes to `url` in the place of the page and of all its steps. */
export function leaveFor(url: string): void {
  leaving = true;
  dropDrafts();
  replacePage(url);
}

/** How many entries of the history the steps of the form have added, kept in the entry itself. */
export const depthIn = (state: unknown): number =>
  Number((state as { reportDepth?: number } | null)?.reportDepth ?? 0);

/** "Back" then leads to what was before the form: the steps are entries of their own, so the way goes over them first. */
function replacePage(url: string): void {
  const depth = depthIn(history.state);
  if (depth === 0) return location.replace(url);
  const go = () => location.replace(url);
  // Before the router hears of it, which would show the first step once more.
  const arrived = (event: PopStateEvent) => {
    event.stopImmediatePropagation();
    go();
  };
  window.addEventListener("popstate", arrived, { capture: true, once: true });
  setTimeout(go, PATIENCE_MS);
  history.go(-depth);
}
