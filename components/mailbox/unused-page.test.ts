import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchForUnusedPage } from "./unused-page.ts";

const LIMIT_MS = 600_000;

const page = Object.assign(new EventTarget(), { hidden: false });
const onUnused = vi.fn();
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("document", page);
  onUnused.mockClear();
  stop = watchForUnusedPage(LIMIT_MS, onUnused);
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Lets time pass in which no timer runs, as on a device that sleeps. */
const sleep = (ms: number) => vi.setSystemTime(Date.now() + ms);

test("a page is unused once the time has passed since it was shown", () => {
  vi.advanceTimersByTime(LIMIT_MS - 1);
  expect(onUnused).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onUnused).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(LIMIT_MS);
  expect(onUnused).toHaveBeenCalledOnce();
});

test.each(["pointerdown", "keydown", "input", "wheel"])("the time begins again with %s", (type) => {
  vi.advanceTimersByTime(LIMIT_MS - 1);
  window.dispatchEvent(new Event(type));
  vi.advanceTimersByTime(LIMIT_MS - 1);
  expect(onUnused).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onUnused).toHaveBeenCalledOnce();
});

test("a mouse that moves doesn't count as use", () => {
  vi.advanceTimersByTime(LIMIT_MS - 1);
  window.dispatchEvent(new Event("pointermove"));
  vi.advanceTimersByTime(1);
  expect(onUnused).toHaveBeenCalledOnce();
});

test("the first input after a device has slept for too long comes too late", () => {
  sleep(LIMIT_MS);
  window.dispatchEvent(new Event("keydown"));
  expect(onUnused).toHaveBeenCalledOnce();
});

test("a page that is shown again is unused if the device has slept for too long", () => {
  page.dispatchEvent(new Event("visibilitychange"));
  expect(onUnused).not.toHaveBeenCalled();
  sleep(LIMIT_MS);
  page.dispatchEvent(new Event("visibilitychange"));
  expect(onUnused).toHaveBeenCalledOnce();
});

test("a page from the back/forward cache is unused at once, and a page that loads isn't", () => {
  window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: false }));
  expect(onUnused).not.toHaveBeenCalled();
  window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  expect(onUnused).toHaveBeenCalledOnce();
});

test("nothing is watched anymore once it was stopped", () => {
  stop();
  vi.advanceTimersByTime(LIMIT_MS);
  window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  expect(onUnused).not.toHaveBeenCalled();
});
