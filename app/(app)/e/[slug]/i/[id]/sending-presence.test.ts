import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type PresenceReport, startSendingPresence } from "./sending-presence.ts";

/** Which messages belong to one visit of an incident's page. */

const page = Object.assign(new EventTarget(), { visibilityState: "visible" });
let sent: PresenceReport[] = [];
let stop = () => {};

beforeEach(() => {
  vi.useFakeTimers();
  page.visibilityState = "visible";
  vi.stubGlobal("document", page);
  vi.stubGlobal("window", new EventTarget());
  sent = [];
  stop = startSendingPresence(async (report) => sent.push(report) > 0);
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function show(visibilityState: "visible" | "hidden"): void {
  page.visibilityState = visibilityState;
  page.dispatchEvent(new Event("visibilitychange"));
}

test("a visit ends with the page, and another begins when it is shown again", async () => {
  await vi.advanceTimersByTimeAsync(20_000);
  show("hidden");
  show("visible");
  stop();
  const [first, second] = [sent[0]?.visit, sent[3]?.visit];
  expect(first).toMatch(/^[0-9a-f-]{36}$/);
  expect(second).not.toBe(first);
  expect(sent).toEqual([
    { doing: "reading", visit: first },
    { doing: "reading", visit: first },
    { doing: "gone", visit: first },
    { doing: "reading", visit: second },
    { doing: "gone", visit: second },
  ]);
});
