import { expect, test } from "vitest";
import {
  hasInviteCodeFormat,
  generateInviteCode,
  generateMailedToken,
  readInviteCode,
  readMailedToken,
} from "#lib/crypto/random-code.ts";
import { InviteChangeInput, OrganizationInviteOfferOutput, NewOrganizationInviteInput } from "./schema.ts";

test("codes hold 142 random bits, of which mail programs take each character for a part of the link", () => {
  const codes = Array.from({ length: 1000 }, generateInviteCode);
  expect(new Set(codes).size).toBe(1000);
  expect(codes.filter((code) => !/^[A-Za-z0-9]{24}$/.test(code) || !hasInviteCodeFormat(code))).toEqual([]);
  expect(new Set(codes.join("")).size).toBe(62);
  expect(generateMailedToken()).toMatch(/^[A-Za-z0-9]{43}$/);
});

const PASTED_WITH_IT = [
  "",
  ".",
  ",",
  ")",
  ">",
  "”",
  "’",
  "»",
  "_",
  "-",
  "!)",
  "\u200b",
  "\u202c",
  "\u00a0",
  " ",
  "%E2%80%9D",
  "&gt;",
];

test.each(PASTED_WITH_IT)("%j behind a code is left out", (pasted) => {
  const [code, token] = [generateInviteCode(), generateMailedToken()];
  expect(readInviteCode(code + pasted)).toBe(code);
  expect(readMailedToken(`\u2068${token}${pasted}`)).toBe(token);
});

test("codes of earlier versions are read as a whole", () => {
  const code = "-4bH_sLk8s2m9qPzX0yT1wQ_";
  expect(readInviteCode(`${code}.`)).toBe(code);
  expect(["", "…"].map(readInviteCode)).toEqual(["", ""]);
});

test.each(["", "a b", "a\0", "x".repeat(65), "../x"])("%j is no code", (text) => {
  expect(hasInviteCodeFormat(text)).toBe(false);
});

test("an invite without terms is unlimited", () => {
  expect(NewOrganizationInviteInput.parse({ role: "org_viewer" })).toEqual({
    role: "org_viewer",
    expiresAt: null,
    maxUses: null,
    note: null,
  });
});

test.each([0, -1, 1.5, 2 ** 31, "3", true])("maxUses %j is refused", (maxUses) => {
  expect(NewOrganizationInviteInput.safeParse({ role: "org_viewer", maxUses }).success).toBe(false);
});

test("an invite can't expire in the past", () => {
  const at = (ms: number) => ({ role: "org_admin", expiresAt: new Date(Date.now() + ms).toISOString() });
  expect(NewOrganizationInviteInput.safeParse(at(-1000)).success).toBe(false);
  expect(NewOrganizationInviteInput.safeParse(at(60_000)).success).toBe(true);
});

test.each(["Org_Admin", "Admin", "SystemAdmin"])("%s is no role of an organization", (role) => {
  expect(NewOrganizationInviteInput.safeParse({ role }).success).toBe(false);
});

test("a change needs disabled or note; a blank note is none", () => {
  expect(InviteChangeInput.safeParse({ maxUses: 5 }).success).toBe(false);
  expect(InviteChangeInput.parse({ note: " " })).toEqual({ note: null });
  expect(InviteChangeInput.parse({ disabled: true })).toEqual({ disabled: true });
});

test("the public view leaves out private members of the invite", () => {
  const shown = OrganizationInviteOfferOutput.parse({
    organization: { id: "o1", name: "A", slug: "a", logoUrl: null, website: "x" },
    invite: {
      id: "i1",
      code: "c",
      role: "org_admin",
      expiresAt: null,
      usable: true,
      note: "secret",
      useCount: 1,
    },
  });
  expect(shown).toEqual({
    organization: { name: "A", slug: "a", logoUrl: null },
    invite: { role: "org_admin", expiresAt: null, usable: true },
  });
});
