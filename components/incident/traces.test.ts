import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { deleteDraftsAndReplacePage, performQuickExit } from "./traces.ts";

/** What the quick exit leaves on the device. */

/** Storage whose keys are its own properties, as a browser's are. */
const createStorage = (entries: Record<string, string>) =>
  Object.defineProperties(entries, {
    removeItem: { value: (key: string) => void delete entries[key] },
    clear: { value: () => Object.keys(entries).forEach((key) => delete entries[key]) },
  });

const local = createStorage({});
const session = createStorage({});

beforeEach(() => {
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

test("the quick exit keeps sealed reports that were taken without a connection, and nothing else", () => {
  Object.assign(local, { "heed-intake:omar": "sealed" });
  performQuickExit("https://www.wikipedia.org/");
  expect([{ ...local }, { ...session }]).toEqual([{ "heed-intake:omar": "sealed" }, {}]);
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
  deleteDraftsAndReplacePage("/mailbox");
  vi.runAllTimers();
  expect(location.replace).toHaveBeenCalledExactlyOnceWith("/mailbox");
});

test("the page is replaced even if going back over the steps takes too long", () => {
  vi.useFakeTimers();
  const page = new EventTarget();
  vi.stubGlobal("window", Object.assign(page, { localStorage: local, sessionStorage: session }));
  vi.stubGlobal("history", { state: { reportDepth: 2 }, go: () => {} });
  deleteDraftsAndReplacePage("/mailbox");
  expect(location.replace).not.toHaveBeenCalled();
  vi.runAllTimers();
  expect(location.replace).toHaveBeenCalledExactlyOnceWith("/mailbox");
});
