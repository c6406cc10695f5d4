/** Ways out of a reporter's page that leave nothing behind: not on the screen, not on the device, not behind "Back". */

import { LEFT_COOKIE } from "#lib/design/left-cookie.ts";
import { dropDrafts as dropUnsent } from "./unsent.ts";

const DRAFT = "heed-draft:";
/** Where a draft is kept: on the device, or in the tab for the same form in another language. For how long, in milliseconds. */
const LIVES_MS = { localStorage: 24 * 3600 * 1000, sessionStorage: 60 * 1000 };
type Place = keyof typeof LIVES_MS;
/** How long the way back through the steps may take before the page leaves without it. */
const PATIENCE_MS = 250;

/** What was written so far, by field name, and when; in the tab also on which step one was, and whether a draft is kept. */
export type Draft = { at: number; values: Record<string, string>; step?: string; keeps?: boolean };

/** The draft that is kept under a name; null where there is none, or one that is too old. */
export function readDraft(name: string, place: Place = "localStorage"): Draft | null {
  try {
    const draft = JSON.parse(window[place].getItem(DRAFT + name) ?? "null") as Draft | null;
    return draft && Date.now() - draft.at < LIVES_MS[place] ? draft : null;
  } catch {
    return null;
  }
}

// From then on nothing is kept any more: a key pressed just before must not come after the clearing.
let leaving = false;

/** Keeps a draft; false where the device doesn't keep anything. */
export function writeDraft(name: string, draft: Omit<Draft, "at">, place: Place = "localStorage"): boolean {
  if (leaving) return false;
  try {
    window[place].setItem(DRAFT + name, JSON.stringify({ at: Date.now(), ...draft } satisfies Draft));
    return true;
  } catch {
    return false;
  }
}

/** Removes every draft, or those only that are too old. */
export function dropDrafts(which: "all" | "old" = "all"): void {
  dropFrom("localStorage", which);
  dropFrom("sessionStorage", which);
}

/** Takes what the page before handed over under a name. Nothing of any name stays in the tab. */
export function takeHanded(name: string): Draft | null {
  const handed = readDraft(name, "sessionStorage");
  dropFrom("sessionStorage", "all");
  return handed;
}

function dropFrom(place: Place, which: "all" | "old"): void {
  try {
    for (const key of Object.keys(window[place]))
      if (key.startsWith(DRAFT) && (which === "all" || !readDraft(key.slice(DRAFT.length), place)))
        window[place].removeItem(key);
  } catch {
    // Nothing can be kept here, so nothing was.
  }
}

/** Told to the other windows of this browser. */
const LEFT = "heed-left";

/** They show what this one has just hidden. @returns a function that ends it */
export function leaveWithOthers(elsewhere: string): () => void {
  if (typeof BroadcastChannel === "undefined") return () => {};
  const others = new BroadcastChannel(LEFT);
  others.addEventListener("message", () => {
    if (leaving) return;
    blank();
    leaveFor(elsewhere);
  });
  return () => others.close();
}

function tellOthers(): void {
  if (typeof BroadcastChannel === "undefined") return;
  const others = new BroadcastChannel(LEFT);
  others.postMessage("left");
  others.close();
}

function blank(): void {
  document.title = "";
  document.body.hidden = true;
  // No question about unsent words stands in the way.
  dropUnsent();
}

/** Blanks the page, signs out without waiting for it, clears what the service kept, and goes elsewhere in its place. */
export function leaveQuickly(elsewhere: string): void {
  blank();
  leaving = true;
  tellOthers();
  document.cookie = `${LEFT_COOKIE}=1; Path=/; SameSite=Lax; Max-Age=${LIVES_MS.localStorage / 1000}`;
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
