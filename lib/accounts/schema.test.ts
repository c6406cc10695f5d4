import { expect, test } from "vitest";
import {
  PasswordChangeInput,
  PasswordResetInput,
  ProfileChangeInput,
  RegistrationInput,
  SignInCredentialsInput,
} from "./schema.ts";

/** What accounts, passwords and sign-in take (contract 4.1, 4.4). */

type Parser = { safeParse(value: unknown): { error?: { issues: { path: PropertyKey[] }[] } } };

/** The fields that a schema refuses. */
const refusedBy = (schema: Parser, input: unknown) => [
  ...new Set(schema.safeParse(input).error?.issues.map(({ path }) => path.join("."))),
];

const ACCOUNT = { email: "maya@example.org", password: "seven small lanterns", name: "Somebody New" };
const OTHERS = [undefined, null, {}, [], 123, true, { contains: "@" }, ["a long enough text"]];

test.each(["email", "password", "name"])("a registration needs %s as a text", (field) => {
  for (const value of OTHERS)
    expect(refusedBy(RegistrationInput, { ...ACCOUNT, [field]: value })).toEqual([field]);
});

test.each([
  { email: "a@example.org, b@example.org" },
  { email: `${"a".repeat(243)}@example.org` },
  { password: "1234567" },
  { password: "p".repeat(73) },
  { password: "é".repeat(37) },
  { name: "   " },
  { name: "n".repeat(121) },
])("a registration with %o is refused", (change) => {
  expect(refusedBy(RegistrationInput, { ...ACCOUNT, ...change })).toEqual(Object.keys(change));
});

test.each([
  { password: "eight ch" },
  { password: `72 bytes ${"p".repeat(63)}` },
  { password: "é".repeat(36) },
  { password: ` "it's" <b>\\🪷 ä  ` },
  { name: "🪷".repeat(120) },
  { name: "<script>alert(1)</script> & Søn" },
])("a registration keeps %o as it is", (change) => {
  expect(RegistrationInput.parse({ ...ACCOUNT, ...change })).toEqual({ ...ACCOUNT, ...change });
});

test("to sign in takes an address and a password that isn't blank, both as texts", () => {
  const { email, password } = ACCOUNT;
  expect(refusedBy(SignInCredentialsInput, { email, password: "x" })).toEqual([]);
  for (const value of [...OTHERS, ""]) {
    expect(refusedBy(SignInCredentialsInput, { email, password: value })).toEqual(["password"]);
    expect(refusedBy(SignInCredentialsInput, { email: value, password })).toEqual(["email"]);
  }
});

test.each([
  {},
  { timeZone: "+09:00" },
  { timeZone: 9 },
  { name: "" },
  { name: "n".repeat(121) },
  { name: null },
  { email: "nowhere" },
  { userId: "0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a" },
])("a profile isn't changed by %o", (change) => {
  expect(ProfileChangeInput.safeParse(change).success).toBe(false);
});

test.each(["short", "p".repeat(73), ...OTHERS])("a new password isn't %j", (newPassword) => {
  const change = { currentPassword: "a quiet river at dawn", newPassword };
  expect(refusedBy(PasswordChangeInput, change)).toEqual(["newPassword"]);
  expect(refusedBy(PasswordResetInput, { token: "unknown", newPassword })).toEqual(["newPassword"]);
});

test.each([...OTHERS, ""])("a token of a mailed link isn't %j", (token) => {
  expect(refusedBy(PasswordResetInput, { token, newPassword: ACCOUNT.password })).toEqual(["token"]);
});
