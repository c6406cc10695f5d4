/** Ways out of a reporter's page that leave nothing behind: not on the screen, not on the device, not behind "Back". */

import { QUICK_EXIT_COOKIE } from "#lib/design/left-cookie.ts";
import { clearDrafts as dropUnsent } from "./unsent.ts";

const DRAFT_KEY_PREFIX = "heed-draft:";
/** Where a draft is kept: on the device, or in the tab for the same form in another language. For how long, in milliseconds. */
const DRAFT_LIFETIME_MS = { localStorage: 24 * 3600 * 1000, sessionStorage: 60 * 1000 };
type DraftStorage = keyof typeof DRAFT_LIFETIME_MS;
/** How long the way back through the steps may take before the page leaves without it. */
const MAX_HISTORY_WAIT_MS = 250;

/** What was written so far, by field name, and when; in the tab also on which step one was, and whether a draft is kept. */
export type StoredDraft = { at: number; values: Record<string, string>; step?: string; keeps?: boolean };

/** The draft that is kept under a name; null where there is none, or one that is too old. */
export function readDraft(name: string, place: DraftStorage = "localStorage"): StoredDraft | null {
  try {
    const draft = JSON.parse(window[place].getItem(DRAFT_KEY_PREFIX + name) ?? "null") as StoredDraft | null;
    return draft && Date.now() - draft.at < DRAFT_LIFETIME_MS[place] ? draft : null;
  } catch {
    return null;
  }
}

// From then on nothing is kept any more: a key pressed just before must not come after the clearing.
let isLeaving = false;

/** Keeps a draft; false where the device doesn't keep anything. */
export function writeDraft(
  name: string,
  draft: Omit<StoredDraft, "at">,
  place: DraftStorage = "localStorage",
): boolean {
  if (isLeaving) return false;
  try {
    window[place].setItem(
      DRAFT_KEY_PREFIX + name,
      JSON.stringify({ at: Date.now(), ...draft } satisfies StoredDraft),
    );
    return true;
  } catch {
    return false;
  }
}

/** Removes every draft, or those only that are too old. */
export function deleteDrafts(which: "all" | "old" = "all"): void {
  deleteDraftsFrom("localStorage", which);
  deleteDraftsFrom("sessionStorage", which);
}

/** Takes what the page before handed over under a name. Nothing of any name stays in the tab. */
export function takeHandedOverDraft(name: string): StoredDraft | null {
  const handedOverDraft = readDraft(name, "sessionStorage");
  deleteDraftsFrom("sessionStorage", "all");
  return handedOverDraft;
}

function deleteDraftsFrom(place: DraftStorage, which: "all" | "old"): void {
  try {
    for (const key of Object.keys(window[place]))
      if (
        key.startsWith(DRAFT_KEY_PREFIX) &&
        (which === "all" || !readDraft(key.slice(DRAFT_KEY_PREFIX.length), place))
      )
        window[place].removeItem(key);
  } catch {
    // Nothing can be kept here, so nothing was.
  }
}

/** Told to the other windows of this browser. */
const QUICK_EXIT_CHANNEL = "heed-left";

/** They show what this one has just hidden. @returns a function that ends it */
export function listenForQuickExit(exitUrl: string): () => void {
  if (typeof BroadcastChannel === "undefined") return () => {};
  const channel = new BroadcastChannel(QUICK_EXIT_CHANNEL);
  channel.addEventListener("message", () => {
    if (isLeaving) return;
    blankPage();
    clearAndNavigate(exitUrl);
  });
  return () => channel.close();
}

function broadcastQuickExit(): void {
  if (typeof BroadcastChannel === "undefined") return;
  const channel = new BroadcastChannel(QUICK_EXIT_CHANNEL);
  channel.postMessage("left");
  channel.close();
}

function blankPage(): void {
  document.title = "";
  document.body.hidden = true;
  // No question about unsent words stands in the way.
  dropUnsent();
}

/** Blanks the page, signs out without waiting for it, clears what the service kept, and goes elsewhere in its place. */
export function performQuickExit(exitUrl: string): void {
  blankPage();
  isLeaving = true;
  broadcastQuickExit();
  document.cookie = `${QUICK_EXIT_COOKIE}=1; Path=/; SameSite=Lax; Max-Age=${DRAFT_LIFETIME_MS.localStorage / 1000}`;
  sendSignOut();
  clearBrowserStorage();
  clearAndNavigate(exitUrl);
}

/** Outlives the page. Firefox before 133 has no `keepalive`, and older Safari sends no origin with a beacon. */
function sendSignOut(): void {
  try {
    if ("keepalive" in Request.prototype)
      void fetch("/leave", { method: "POST", keepalive: true }).catch(() => undefined);
    else navigator.sendBeacon("/leave");
  } catch {
    // Leaving comes first.
  }
}

function clearBrowserStorage(): void {
  try {
    localStorage.clear();
    sessionStorage.clear();
  } catch {
    // Nothing can be kept here, so nothing was.
  }
}

/** Clears what the page kept, and goes to `url` in the place of the page and of all its steps. */
export function clearAndNavigate(url: string): void {
  isLeaving = true;
  deleteDrafts();
  replacePage(url);
}

/** How many entries of the history the steps of the form have added, kept in the entry itself. */
export const readHistoryDepth = (state: unknown): number =>
  Number((state as { reportDepth?: number } | null)?.reportDepth ?? 0);

/** "Back" then leads to what was before the form: the steps are entries of their own, so the way goes over them first. */
function replacePage(url: string): void {
  const depth = readHistoryDepth(history.state);
  if (depth === 0) return location.replace(url);
  const go = () => location.replace(url);
  // Before the router hears of it, which would show the first step once more.
  const onPopState = (event: PopStateEvent) => {
    event.stopImmediatePropagation();
    go();
  };
  window.addEventListener("popstate", onPopState, { capture: true, once: true });
  setTimeout(go, MAX_HISTORY_WAIT_MS);
  history.go(-depth);
}
