/** Functions that leave a reporter's page without traces: on screen, on the device, or in the history. */

import { QUICK_EXIT_COOKIE } from "#lib/design/quick-exit-cookie.ts";
import { clearUnsentTexts } from "./unsent-text.ts";

const DRAFT_KEY_PREFIX = "heed-draft:";
/** Storage of drafts: on the device on request, and in the tab always. Lifetimes in milliseconds. */
const DRAFT_LIFETIME_MS = { localStorage: 24 * 3600 * 1000, sessionStorage: 3600 * 1000 };
type DraftStorage = keyof typeof DRAFT_LIFETIME_MS;
/** How long going back through the steps may take before the page navigates anyway. */
const MAX_HISTORY_WAIT_MS = 250;

/**
 * A stored draft: form values by field name, and when they were saved. That of the tab also has the current step, and
 * `keeps`, whether the person chose to save it on this device.
 */
export type StoredReportDraft = {
  at: number;
  values: Record<string, string>;
  step?: string;
  keeps?: boolean;
};

/** Reads the draft with this name; null if there is none or it has expired. */
export function readStoredReportDraft(
  name: string,
  place: DraftStorage = "localStorage",
): StoredReportDraft | null {
  try {
    const draft = JSON.parse(
      window[place].getItem(DRAFT_KEY_PREFIX + name) ?? "null",
    ) as StoredReportDraft | null;
    return draft && Date.now() - draft.at < DRAFT_LIFETIME_MS[place] ? draft : null;
  } catch {
    return null;
  }
}

// Once set, nothing is saved anymore, so that a keystroke just before leaving isn't stored after the drafts are
// deleted.
let isLeaving = false;

/** Saves a draft; returns false if the browser can't store it. */
export function writeStoredReportDraft(
  name: string,
  draft: Omit<StoredReportDraft, "at">,
  place: DraftStorage = "localStorage",
): boolean {
  if (isLeaving) return false;
  try {
    window[place].setItem(
      DRAFT_KEY_PREFIX + name,
      JSON.stringify({ at: Date.now(), ...draft } satisfies StoredReportDraft),
    );
    return true;
  } catch {
    return false;
  }
}

/**
 * Deletes the drafts that have expired, and the one with this name. Other drafts stay, since other people may have saved
 * them on this device.
 * @param name blank for expired drafts alone; without a name, every draft is deleted
 */
export function deleteStoredReportDrafts(name?: string): void {
  deleteDraftsFrom("localStorage", name);
  deleteDraftsFrom("sessionStorage", name);
}

/** Reads and removes the draft that the previous page of this tab handed over. */
export function takeHandedOverDraft(name: string): StoredReportDraft | null {
  const handedOverDraft = readStoredReportDraft(name, "sessionStorage");
  deleteDraftsFrom("sessionStorage", name);
  return handedOverDraft;
}

/** Deletes every draft of this tab, as its account signs out. */
export const deleteDraftsOfTab = (): void => deleteDraftsFrom("sessionStorage");

function deleteDraftsFrom(place: DraftStorage, name?: string): void {
  try {
    for (const key of Object.keys(window[place]))
      if (
        key.startsWith(DRAFT_KEY_PREFIX) &&
        (name === undefined ||
          key === DRAFT_KEY_PREFIX + name ||
          !readStoredReportDraft(key.slice(DRAFT_KEY_PREFIX.length), place))
      )
        window[place].removeItem(key);
  } catch {
    // The browser allows no storage, so there is nothing to delete.
  }
}

/** Opens the channel to the other windows of this browser; null if the browser has no such channels. */
const openQuickExitChannel = (): BroadcastChannel | null =>
  typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("heed-left");

/** Returns whether somebody used the quick exit in this browser and hasn't signed in or opened anything since. */
export const hasQuickExitCookie = (): boolean => document.cookie.includes(`${QUICK_EXIT_COOKIE}=`);

/**
 * Leaves this window, too, when the quick exit is used in another one, because both may show the same report. Pages
 * without script of their own broadcast nothing, so a window that comes to the front checks the cookie.
 * @returns a function that stops listening
 */
export function followQuickExitOfOtherWindows(exitUrl: string): () => void {
  const leave = () => {
    if (isLeaving) return;
    blankPage();
    deleteDraftsAndReplacePage(exitUrl);
  };
  let hadLeft = hasQuickExitCookie();
  const onVisibilityChange = () => {
    if (!hadLeft && hasQuickExitCookie()) leave();
    hadLeft = hasQuickExitCookie();
  };
  document.addEventListener("visibilitychange", onVisibilityChange);
  const channel = openQuickExitChannel();
  channel?.addEventListener("message", leave);
  return () => {
    document.removeEventListener("visibilitychange", onVisibilityChange);
    channel?.close();
  };
}

function blankPage(): void {
  document.title = "";
  document.body.hidden = true;
  // Prevents the prompt about unsent text.
  clearUnsentTexts();
}

/**
 * Blanks the page, signs out without waiting, deletes drafts, and replaces the page with `exitUrl`.
 */
export function performQuickExit(exitUrl: string): void {
  blankPage();
  isLeaving = true;
  openQuickExitChannel()?.postMessage("left");
  document.cookie = `${QUICK_EXIT_COOKIE}=1; Path=/; SameSite=Lax; Max-Age=${DRAFT_LIFETIME_MS.localStorage / 1000}`;
  sendSignOut();
  clearSessionStorage();
  deleteDraftsAndReplacePage(exitUrl);
}

/**
 * The request outlives the page. Firefox before 133 has no `keepalive`, and older Safari sends no Origin
 * header with a beacon.
 */
function sendSignOut(): void {
  try {
    if ("keepalive" in Request.prototype)
      void fetch("/leave", { method: "POST", keepalive: true }).catch(() => undefined);
    else navigator.sendBeacon("/leave");
  } catch {
    // The page leaves even if signing out fails.
  }
}

/** Clears the storage of the tab. `deleteDraftsAndReplacePage` deletes the drafts in `localStorage`. */
function clearSessionStorage(): void {
  try {
    sessionStorage.clear();
  } catch {
    // The browser allows no storage, so there is nothing to delete.
  }
}

/**
 * Deletes the draft with this name, or every draft if none is given, and navigates to `url`, replacing the page and all
 * its steps in the history.
 */
export function deleteDraftsAndReplacePage(url: string, draftName?: string): void {
  isLeaving = true;
  deleteStoredReportDrafts(draftName);
  replacePage(url);
}

/** Returns how many history entries the form's steps have added; each entry stores the count. */
export const readReportStepHistoryDepth = (state: unknown): number =>
  Number((state as { reportDepth?: number } | null)?.reportDepth ?? 0);

/**
 * Makes "Back" lead to the page before the form: goes back over the entries of the steps, then replaces the
 * page.
 */
function replacePage(url: string): void {
  const depth = readReportStepHistoryDepth(history.state);
  if (depth === 0) return location.replace(url);
  const timer = setTimeout(() => location.replace(url), MAX_HISTORY_WAIT_MS);
  // Runs before the router, which would otherwise render the first step again.
  const onPopState = (event: PopStateEvent) => {
    event.stopImmediatePropagation();
    clearTimeout(timer);
    location.replace(url);
  };
  window.addEventListener("popstate", onPopState, { capture: true, once: true });
  history.go(-depth);
}
