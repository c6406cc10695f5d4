import { describe, expect, test } from "vitest";
import type { CookieToSet } from "#lib/accounts/sessions.ts";
import { buildHttpCall } from "#lib/http/http-call.ts";
import { createCookieSetter } from "#lib/http/page-cookies.ts";
import { createQuickExitCookies } from "#lib/http/quick-exit.ts";

/** What a device has open after the quick exit, and what ends that (docs/decisions/023). */

const OPEN = "mailbox=m; session=s";
const createCall = (cookie: string) => {
  const cookies: CookieToSet[] = [];
  const headers = new Headers({ cookie });
  return {
    call: buildHttpCall({ method: "GET", url: "/", headers } as Request, { cookies }),
    cookies,
  };
};
const toPairs = (cookies: Pick<CookieToSet, "name" | "value">[]) =>
  Object.fromEntries(cookies.map(({ name, value }) => [name, value]));
const opening: CookieToSet = { name: "mailbox", value: "new", maxAge: 60, secure: false };
const leaving: CookieToSet = { ...opening, value: "", maxAge: 0 };
const ENDED = { heed_left: "", session: "", "handed-over": "", mailbox: "new", returned: "" };

describe("a request", () => {
  test("opens the mailbox by its cookie, except after the quick exit", () => {
    expect(createCall(OPEN).call).toMatchObject({ mailbox: "m" });
    expect(createCall(`${OPEN}; heed_left=1`).call).toMatchObject({ mailbox: null });
    // A cookie that was removed in the same response is blank.
    expect(createCall(`${OPEN}; heed_left=`).call).toMatchObject({ mailbox: "m" });
  });

  test("that opens something ends the quick exit, and what was open before", () => {
    const { call, cookies } = createCall(`${OPEN}; heed_left=1`);
    call.setCookie(opening);
    call.setCookie({ ...opening, name: "device" });
    expect(toPairs(cookies)).toEqual({ ...ENDED, device: "new" });
    expect(cookies).toHaveLength(6);
  });

  test("that opens nothing, or comes without a quick exit, ends nothing", () => {
    const left = createCall(`${OPEN}; heed_left=1`);
    left.call.setCookie(leaving);
    expect(left.cookies).toEqual([leaving]);
    const present = createCall(OPEN);
    present.call.setCookie(opening);
    expect(present.cookies).toEqual([opening]);
  });
});

test("a page that opens something ends the quick exit, and what was open before", () => {
  const jar = new Map([["heed_left", "1"]]);
  const setCookie = createCookieSetter({
    get: (name: string) => ({ name, value: jar.get(name) }),
    set: (name: string, value: string) => void jar.set(name, value),
  } as never);
  setCookie(leaving);
  expect(jar.get("heed_left")).toBe("1");
  setCookie(opening);
  setCookie({ ...opening, name: "device" });
  expect(Object.fromEntries(jar)).toEqual({ ...ENDED, device: "new" });
});

test("the quick exit removes every cookie that opens something, and leaves one that script can read", () => {
  const cookies = createQuickExitCookies();
  expect(toPairs(cookies)).toEqual({ ...ENDED, mailbox: "", device: "", heed_left: "1" });
  expect(cookies.filter(({ readableByScript }) => readableByScript).map(({ name }) => name)).toEqual([
    "heed_left",
  ]);
});
