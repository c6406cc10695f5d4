import { describe, expect, test } from "vitest";
import type { Client } from "#e2e/support/client.ts";
import { shareService } from "#e2e/support/service.ts";
import { TestWorld } from "#e2e/support/world.ts";
import { LOCALE_COOKIE } from "#lib/i18n/locales.ts";

/** The form at the foot of every page with which people choose a language (docs/architecture.md). */

const heed = await shareService();
const world = await TestWorld.build(heed);

const FORM = "application/x-www-form-urlencoded";

/** Posts the form as a browser does; `headers` say where it stands. */
const choose = (client: Client, fields: Record<string, string>, headers: Record<string, string> = OWN) =>
  client.post("/language", undefined, {
    raw: new URLSearchParams(fields).toString(),
    headers: { "content-type": FORM, ...headers },
    mayRenew: true,
  });

const OWN = { "sec-fetch-site": "same-origin" };

const chosenIn = ({ headers }: { headers: { "set-cookie"?: string[] | undefined } }) =>
  (headers["set-cookie"] ?? []).filter((line) => line.startsWith(`${LOCALE_COOKIE}=`));

test("a choice is stored in an HttpOnly cookie, and redirects to the page", async () => {
  const reply = await choose(heed.visitor(), { locale: "fr", next: "/e/riverside?from=badge#rules" });
  expect([reply.status, reply.headers.location]).toEqual([303, "/e/riverside?from=badge#rules"]);
  const [cookie, ...more] = chosenIn(reply);
  expect(more).toEqual([]);
  expect(cookie).toMatch(/=fr;/);
  expect(cookie).toMatch(/HttpOnly/i);
  expect(cookie).toMatch(/SameSite=lax/i);
});

test("a signed-in person's choice is stored in the account", async () => {
  const client = await world.device(world.nora);
  await choose(client, { locale: "es", next: "/account" });
  expect((await world.as(world.nora).get("/api/users/me")).body.account.locale).toBe("es");
});

describe("another site can't choose", () => {
  test.each<Record<string, string>>([
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "https://evil.test" },
    { origin: "null" },
  ])("with %o", async (headers) => {
    const before = (await world.as(world.rita).get("/api/users/me")).body.account.locale;
    const reply = await choose(await world.device(world.rita), { locale: "ar", next: "/account" }, headers);
    expect([reply.status, reply.headers.location]).toEqual([303, "/account"]);
    expect(chosenIn(reply)).toEqual([]);
    expect((await world.as(world.rita).get("/api/users/me")).body.account.locale).toBe(before);
  });
});

test.each(["", "xx", "EN", "en-GB", "en; Path=/", "../ar"])("language %j is refused", async (locale) => {
  const reply = await choose(await world.device(world.maya), { locale, next: "/account" });
  expect([reply.status, reply.headers.location]).toEqual([303, "/account"]);
  expect(chosenIn(reply)).toEqual([]);
  expect((await world.as(world.maya).get("/api/users/me")).body.account.locale).toBeNull();
});

test.each([
  "https://evil.test/",
  "//evil.test",
  "/\\evil.test",
  "/\t/evil.test",
  "\\\\evil.test",
  "javascript:alert(1)",
  "account",
])("it never leads elsewhere: %j", async (next) => {
  const reply = await choose(heed.visitor(), { locale: "de", next });
  expect([reply.status, reply.headers.location]).toEqual([303, "/"]);
});

test("only a small form is accepted", async () => {
  const far = await choose(heed.visitor(), { locale: "de", next: `/${"x".repeat(2001)}` });
  expect(far.headers.location).toBe("/");
  const large = await choose(heed.visitor(), { locale: "de", next: `/?${"x".repeat(9000)}` });
  expect([large.status, large.headers.location, chosenIn(large)]).toEqual([303, "/", []]);
  const endless = await choose(
    heed.visitor(),
    { locale: "de", next: "/e/riverside" },
    { ...OWN, "transfer-encoding": "chunked" },
  );
  expect([endless.status, endless.headers.location, chosenIn(endless)]).toEqual([303, "/", []]);
  const unread = await heed.visitor().post("/language", undefined, {
    raw: '{"locale":"de"}',
    headers: { "content-type": "application/json", ...OWN },
  });
  expect([unread.status, chosenIn(unread)]).toEqual([303, []]);
  const opened = await heed.visitor().get("/language");
  expect([opened.status, opened.headers.location]).toEqual([303, "/"]);
});
