import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  deleteDraftsAndReplacePage,
  deleteStoredReportDrafts,
  followQuickExitOfOtherWindows,
  performQuickExit,
} from "./traces.ts";

/** What the quick exit and a sent report leave on the device. */

/** Storage whose keys are its own properties, as a browser's are. */
const createStorage = (entries: Record<string, string>) =>
  Object.defineProperties(entries, {
    getItem: { value: (key: string) => entries[key] ?? null },
    removeItem: { value: (key: string) => void delete entries[key] },
    clear: { value: () => Object.keys(entries).forEach((key) => delete entries[key]) },
  });

const local = createStorage({});
const session = createStorage({});

beforeEach(() => {
  for (const key of Object.keys(local)) delete local[key];
  vi.stubGlobal("localStorage", Object.assign(local, { "heed-draft:spring": "words" }));
  vi.stubGlobal("sessionStorage", Object.assign(session, { "heed-draft:spring": "words" }));
  vi.stubGlobal("window", { localStorage: local, sessionStorage: session });
  vi.stubGlobal("document", { title: "Heed", body: {} });
  vi.stubGlobal("history", { state: null });
  vi.stubGlobal("location", { replace: vi.fn() });
  vi.stubGlobal("BroadcastChannel", undefined);
  vi.stubGlobal("fetch", async () => new Response(null, { status: 204 }));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a page leaves when it comes to the front after a quick exit without script, and only then", () => {
  const page = Object.assign(new EventTarget(), { title: "Heed", body: { hidden: false }, cookie: "" });
  vi.stubGlobal("document", page);
  const comeToFront = () => page.dispatchEvent(new Event("visibilitychange"));
  page.cookie = "heed_left=1";
  const stop = followQuickExitOfOtherWindows("https://www.wikipedia.org/");
  comeToFront();
  // The page was opened after that exit.
  expect([page.body.hidden, vi.mocked(location.replace).mock.calls]).toEqual([false, []]);
  page.cookie = "";
  comeToFront();
  page.cookie = "a=b; heed_left=1";
  comeToFront();
  expect(page.body.hidden).toBe(true);
  expect(location.replace).toHaveBeenCalledExactlyOnceWith("https://www.wikipedia.org/");
  stop();
});

const saveDraftOfSomebodyElse = (): Record<string, string> => {
  const draft = { "heed-draft:summer": JSON.stringify({ at: Date.now(), values: {} }) };
  Object.assign(local, draft);
  return draft;
};

test.each([
  ["is deleted", () => deleteStoredReportDrafts("spring")],
  ["has expired", () => deleteStoredReportDrafts("")],
  ["is sent as a report", () => deleteDraftsAndReplacePage("/mailbox", "spring")],
])("when a draft %s, the drafts of other people on the device stay", (_, deleteDraft) => {
  const draft = saveDraftOfSomebodyElse();
  deleteDraft();
  expect([{ ...local }, { ...session }]).toEqual([draft, {}]);
});

test("the quick exit deletes everybody's drafts", () => {
  saveDraftOfSomebodyElse();
  performQuickExit("https://www.wikipedia.org/");
  expect([{ ...local }, { ...session }]).toEqual([{}, {}]);
  expect(location.replace).toHaveBeenCalledWith("https://www.wikipedia.org/");
});

test("a page that replaces the steps of the form is requested once, however slow it is", () => {
  vi.useFakeTimers();
  const page = new EventTarget();
  vi.stubGlobal("window", Object.assign(page, { localStorage: local, sessionStorage: session }));
  vi.stubGlobal("history", {
    state: { reportDepth: 2 },
    go: () => page.dispatchEvent(new Event("popstate")),
  });
  deleteDraftsAndReplacePage("/mailbox", "spring");
  vi.runAllTimers();
  expect(location.replace).toHaveBeenCalledExactlyOnceWith("/mailbox");
});

test("the page is replaced even if going back over the steps takes too long", () => {
  vi.useFakeTimers();
  const page = new EventTarget();
  vi.stubGlobal("window", Object.assign(page, { localStorage: local, sessionStorage: session }));
  vi.stubGlobal("history", { state: { reportDepth: 2 }, go: () => {} });
  deleteDraftsAndReplacePage("/mailbox", "spring");
  expect(location.replace).not.toHaveBeenCalled();
  vi.runAllTimers();
  expect(location.replace).toHaveBeenCalledExactlyOnceWith("/mailbox");
});
