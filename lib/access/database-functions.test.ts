import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { INCIDENT_STATES, OPEN_STATES } from "#lib/access/incident-states.ts";
import { POLICY } from "#lib/operation/policy.ts";

/**
 * Functions of the database can't take sets of states from the workflow, as other SQL does: those that are written out in
 * `prisma/functions` have to be the same sets. They name no roles.
 */

const FOLDER = path.resolve(import.meta.dirname, "../../prisma/functions");

const ENDED_STATES = INCIDENT_STATES.filter((state) => !OPEN_STATES.some((open) => open === state));
const EVENT_ROLES = [...POLICY["incident.view"].own, ...POLICY["incident.view"].event];
const ORGANIZATION_ROLES = POLICY["organization.view"].organization;
const NAMES = new Set<string>([...INCIDENT_STATES, ...EVENT_ROLES, ...ORGANIZATION_ROLES]);

type Source = { file: string; text: string };
type Sets = { states: string[][]; open: string[][]; single: string[]; other: string[] };

const readSources = (): Source[] =>
  fs
    .readdirSync(FOLDER)
    .toSorted()
    .map((file) => ({ file, text: fs.readFileSync(path.join(FOLDER, file), "utf8") }));

const listLiterals = (text: string): string[] => [...text.matchAll(/'(\w+)'/g)].map(([, name = ""]) => name);

/** Takes the sets out of a function's text, and lists what is left of roles and states. */
function findSets({ file, text }: Source): Sets {
  let rest = text.replaceAll(/--.*/g, "");
  const take = (pattern: RegExp): string[] => {
    const found = [...rest.matchAll(pattern)].map(([, group = ""]) => group);
    rest = rest.replaceAll(pattern, "");
    return found;
  };
  const states = take(/\bstate IN \(([^)]*)\)/gi).map(listLiterals);
  const open = take(/\bstate < '(\w+)'/gi).map((end) =>
    INCIDENT_STATES.slice(
      0,
      INCIDENT_STATES.findIndex((state) => state === end),
    ),
  );
  const single = take(/\bstate = '(\w+)'/gi);
  const other = [...rest.matchAll(/'(\w+)'(?:, \w+)?/g)]
    .filter(([, name = ""]) => NAMES.has(name))
    .map(([match]) => `${file}: ${match}`);
  return { states, open, single, other };
}

const sets = readSources().map(findSets);

test("the states in functions of the database are those of open and of ended incidents", () => {
  const ended = sets.flatMap((one) => one.states);
  const open = sets.flatMap((one) => one.open);
  expect(ended.length + open.length).toBeGreaterThan(0);
  for (const set of ended) expect(set).toEqual(ENDED_STATES);
  for (const set of open) expect(set).toEqual(OPEN_STATES);
});

test("the counters of incidents have one for each state", () => {
  const counters = readSources().find(({ file }) => file === "incident_counts.sql");
  const counted = counters ? findSets(counters).single : [];
  expect([...new Set(counted)]).toEqual([...INCIDENT_STATES]);
});

/** `state < 'resolved'` follows the order of the type. */
test("the type of the database has the states in the order of the workflow", () => {
  const schema = fs.readFileSync(path.resolve(FOLDER, "../schema.prisma"), "utf8");
  const [, values = ""] = /^enum IncidentState \{([^}@]*)/m.exec(schema) ?? [];
  expect(values.trim().split(/\s+/)).toEqual([...INCIDENT_STATES]);
});

test("functions of the database name no other role or state", () => {
  expect(sets.flatMap((one) => one.other)).toEqual([]);
});

test.each([
  ["r.role_name IN ('Admin', 'Reporter')", { other: ["one.sql: 'Admin'", "one.sql: 'Reporter'"] }],
  ["state IN ('closed')", { states: [["closed"]] }],
  ["NEW.state < 'closed'", { open: [["submitted", "acknowledged", "investigating", "resolved"]] }],
  ["r.role_name <> 'Reporter'", { other: ["one.sql: 'Reporter'"] }],
  ["m.role = 'org_admin'", { other: ["one.sql: 'org_admin'"] }],
])("finds sets in a function: %s", (text, found) => {
  expect(findSets({ file: "one.sql", text })).toMatchObject(found);
});
