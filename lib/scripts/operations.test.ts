import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { POLICY } from "#lib/operation/policy.ts";

/**
 * Operations are only declared in files with the same name, where they are easy to find, and no adapter skips a check.
 */

const LIB = path.resolve(import.meta.dirname, "..");

const filesWith = (pattern: RegExp): string[] =>
  fs
    .readdirSync(LIB, { recursive: true })
    .map((name) => String(name).replaceAll("\\", "/"))
    .filter((file) => /(?<!\.test)\.ts$/.test(file) && !file.startsWith("generated/"))
    .filter((file) => pattern.test(fs.readFileSync(path.join(LIB, file), "utf8")));

test("operations are declared in operations.ts and <topic>-operations.ts only", () => {
  const declaring = filesWith(/(?<!function )\bdefineOperation\(\{/);
  expect(declaring.length).toBeGreaterThan(20);
  expect(declaring.filter((file) => !/^[a-z-]+\/(?:[a-z-]+-)?operations\.ts$/.test(file))).toEqual([]);
});

test("only the policy reads the system role of an actor", () => {
  expect(filesWith(/\bactor\??\.systemAdmin\b/)).toEqual(["operation/policy.ts"]);
});

test("only performOperation calls an operation's run", () => {
  // Besides its declaration; the others have another method of this name.
  expect(filesWith(/(?<!\b(?:declaration|guards|queue|visit))\.run\b/)).toEqual(["http/perform.ts"]);
});

test("only an opening in an emergency reaches an incident that is hidden from its caller", () => {
  const declarations = filesWith(/\bincidentScopeInEmergency\b/).flatMap((file) =>
    fs.readFileSync(path.join(LIB, file), "utf8").split("defineOperation({").slice(1),
  );
  const reaching = declarations.filter((text) =>
    text.split("\n});")[0]?.includes("on: incidentScopeInEmergency"),
  );
  expect(reaching.map((text) => /\bname: "(\w+)"/.exec(text)?.[1])).toEqual(["openIncidentInEmergency"]);
});

/** Operations whose results depend on roles, but that neither read nor change incidents through event roles. */
const OPERATIONS_THAT_ACCEPT_NO_INVITATION = ["jump", "showAvatar", "unmarkIncidentUnread", "unpinIncident"];

test("an operation whose results depend on event roles says which incidents it reads through them", () => {
  const permissions = Object.entries(POLICY).flatMap(([name, rule]) => ("byRole" in rule ? [name] : []));
  const declarations = filesWith(/\bdefineOperation\(\{/).flatMap((file) =>
    fs.readFileSync(path.join(LIB, file), "utf8").split("defineOperation({").slice(1),
  );
  const silent = declarations
    .filter((text) => permissions.includes(/\bcan: "([\w.]+)"/.exec(text)?.[1] ?? ""))
    .filter((text) => !text.split("\n});")[0]?.includes("\n  incidentsByRole:"))
    .map((text) => /\bname: "(\w+)"/.exec(text)?.[1] ?? "");
  expect(silent.toSorted()).toEqual(OPERATIONS_THAT_ACCEPT_NO_INVITATION);
});
