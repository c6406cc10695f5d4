import type { IncomingMessage } from "node:http";
import os from "node:os";
import { expect, test } from "vitest";
import type { MisconfigurationWarningCode } from "#lib/admin/warnings.ts";
import { createMisconfigurationWatcher } from "./exposure.ts";

const from = (remoteAddress: string, headers: Record<string, string> = {}) =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage;

function watch(settings: { production?: boolean; TRUSTED_PROXIES?: string } = {}) {
  const given: MisconfigurationWarningCode[] = [];
  let time = 0;
  const notice = createMisconfigurationWatcher(
    { production: false, TRUSTED_PROXIES: "", ...settings },
    (warning) => given.push(warning),
    () => time,
  );
  return { given, notice, wait: (ms: number) => (time += ms) };
}

test("a request from another machine is a warning in local mode, and none in production", () => {
  const local = watch();
  local.notice(from("198.51.100.7"));
  expect(local.given).toEqual(["localModeReachedFromElsewhere"]);
  const production = watch({ production: true });
  production.notice(from("198.51.100.7"));
  expect(production.given).toEqual([]);
});

test("requests from this machine's own addresses are no warning", () => {
  const { given, notice } = watch();
  const cards = Object.values(os.networkInterfaces()).flatMap((card) => card ?? []);
  for (const address of [
    "127.0.0.1",
    "127.8.8.8",
    "::1",
    "::ffff:127.0.0.1",
    ...cards.map((one) => one.address),
  ])
    notice(from(address));
  expect(given).toEqual([]);
});

test.each([false, true])(
  "a forwarded header of a peer that isn't trusted is a warning (production: %s)",
  (production) => {
    const { given, notice } = watch({ production, TRUSTED_PROXIES: "10.0.0.0/8" });
    notice(from("10.1.2.3", { "x-forwarded-for": "198.51.100.7" }));
    expect(given.filter((one) => one === "unknownProxy")).toEqual([]);
    notice(from("127.0.0.1", { "x-forwarded-for": "198.51.100.7" }));
    expect(given.filter((one) => one === "unknownProxy")).toEqual(["unknownProxy"]);
  },
);

test("a request that Next sends to itself is no warning", () => {
  const { given, notice } = watch();
  const forwarded = { "x-forwarded-for": "127.0.0.1", "x-heed-client": "127.0.0.1" };
  notice(from("127.0.0.1", forwarded));
  expect(given).toEqual([]);
  notice(from("198.51.100.7", forwarded));
  expect(given).toContain("unknownProxy");
});

test("each warning is given once an hour", () => {
  const { given, notice, wait } = watch({ production: true });
  const forwarded = from("127.0.0.1", { "x-forwarded-for": "198.51.100.7" });
  for (const _ of [1, 2, 3]) notice(forwarded);
  expect(given).toEqual(["unknownProxy"]);
  wait(60 * 60 * 1000);
  notice(forwarded);
  expect(given).toEqual(["unknownProxy", "unknownProxy"]);
});
