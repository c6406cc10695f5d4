import { randomUUID } from "node:crypto";
import { sealData } from "iron-session";
import { afterAll, expect, test, vi } from "vitest";
import { createExpiredSealedCookies } from "#lib/crypto/sealed-cookie.ts";
import { deriveCookieSealingKeys } from "#lib/crypto/keyed-hash.ts";
import { getDeviceCookieName, issueDeviceCookie, unsealDeviceCookie } from "./device-cookie.ts";

// The environment is read by what this file imports.
vi.hoisted(() =>
  vi.stubEnv(
    "SESSION_KEYS",
    "q0Vr3nDkT8wJ5yXb7LmZc2HsPf9AgUeK4iRo6tNd,Zb4xWm8RjQ2sVc7Kp1TgYh5NdLe9FuAo3iXk6rJw",
  ),
);
afterAll(() => vi.unstubAllEnvs());

const account = { id: randomUUID(), passwordHash: "a hash" };

test("a sign-in puts its account first and keeps three of the four entries from before", async () => {
  const first = await unsealDeviceCookie((await issueDeviceCookie([], account)).value);
  const other = { id: randomUUID(), passwordHash: "another hash" };
  const cookie = await issueDeviceCookie(first, other);
  expect(cookie).toMatchObject({ name: "device", maxAge: 180 * 24 * 3600, secure: false });
  const second = await unsealDeviceCookie(cookie.value);
  expect(second).toHaveLength(4);
  expect(second[0]?.userId).toBe(other.id);
  expect(second.slice(1)).toEqual(first.slice(0, 3));
});

/** Devices keep their cookie for half a year, over updates of the service: its key and its content must not change. */
test.each([0, 1])("a cookie as it has always been sealed opens, with key %i", async (index) => {
  const entry = { device: "d".repeat(22), userId: account.id, password: "p".repeat(22) };
  const password = deriveCookieSealingKeys("device-cookie")[index] ?? "";
  const sealed = await sealData({ d: [entry, entry, entry, entry] }, { password, ttl: 180 * 24 * 3600 });
  expect(await unsealDeviceCookie(sealed)).toEqual([entry, entry, entry, entry]);
});

test.each([null, "", "x", "a".repeat(2001)])("what was never sealed names no device: %j", async (value) => {
  expect(await unsealDeviceCookie(value)).toEqual([]);
});

test("signing out leaves the cookie on the device", () => {
  expect(createExpiredSealedCookies().map(({ name }) => name)).not.toContain(getDeviceCookieName());
});
