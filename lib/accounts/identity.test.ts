import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Statements that write an account's identity or sign-in data, by file. */
const WRITES = {
  users: /\buser\.(create|update|upsert|delete)\w*\(|\b(update|insert into|delete from) users\b/,
  factors:
    /\b(secondFactor|recoveryCode)\.(create|update|upsert|delete)\w*\(|\b(update|insert into|delete from) (second_factors|recovery_codes)\b/,
};

const filesThatWrite = (what: RegExp): string[] =>
  globSync("lib/**/*.ts", { exclude: ["lib/generated/**", "lib/**/*.test.ts"] })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => readFileSync(file, "utf8").search(what) >= 0)
    .toSorted();

test("names, addresses and passwords are written in one place, which takes no token", () => {
  expect(filesThatWrite(WRITES.users)).toEqual([
    "lib/accounts/email-verification.ts", // when the address was confirmed
    "lib/accounts/identity.ts",
    "lib/admin/users.ts", // system role, disabled
    "lib/invites/registration.ts", // creates accounts
    "lib/organizations/pending-invitations.ts", // when an invitation was mailed
    "lib/own-account/avatar.ts", // the picture
    "lib/own-account/deletion.ts", // deletes accounts
    "lib/own-account/profile.ts", // language and keys
  ]);
});

test("second factors are written in one place, whose callers have a session", () => {
  expect(filesThatWrite(WRITES.factors)).toEqual(["lib/accounts/second-factors.ts"]);
});
