import { expect, test } from "vitest";
import de from "#lib/i18n/messages/de/incident.json" with { type: "json" };
import { AUDIT_CSV_COLUMNS, createAuditCsvFormat } from "./exports.ts";

const entry = {
  seq: 7,
  at: new Date("2026-01-02T03:04:05.678Z"),
  actor: { id: "22222222-2222-4222-8222-222222222222", name: "Maya" },
  action: "invite.create",
  objectType: "invite",
  objectId: null,
  eventId: null,
  incidentId: null,
  right: "event:Admin",
  requestId: null,
  data: { role: "Reporter", maxUses: null },
};

const { formatEntries } = createAuditCsvFormat({});

test("an entry is a line with a cell for each column", () => {
  const line = formatEntries([entry]);
  expect(line).toBe(
    '7,2026-01-02T03:04:05.678Z,22222222-2222-4222-8222-222222222222,Maya,invite.create,invite,,,event:Admin,,"{""role"":""Reporter"",""maxUses"":null}"\r\n',
  );
  expect(AUDIT_CSV_COLUMNS).toHaveLength(11);
});

test("an entry without an actor has blank cells, and one of a deleted account has no name", () => {
  const [, , anonymous, none] = formatEntries([{ ...entry, actor: null }]).split(",");
  expect([anonymous, none]).toEqual(["", ""]);
  const gone = formatEntries([{ ...entry, actor: { ...entry.actor, name: null } }]).split(",");
  expect(gone.slice(2, 4)).toEqual([entry.actor.id, ""]);
});

test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1"])("the name %j is no formula", (name) => {
  expect(formatEntries([{ ...entry, actor: { ...entry.actor, name } }])).toMatch(/[,"]'/);
});

test.each([
  ["programs", undefined, ","],
  ["people", { locale: "de", timeZone: "Europe/Berlin" }, ";"],
] as const)("a file for %s has nothing that a spreadsheet takes for a formula", (_, readable, separator) => {
  const hostile = { actor: { ...entry.actor, name: "=1+1" }, requestId: "@SUM(A1)", data: -1 as never };
  const line = createAuditCsvFormat({}, readable).formatEntries([{ ...entry, ...hostile }]);
  expect(line.trimEnd().split(separator)).toEqual(expect.arrayContaining(["'=1+1", "'@SUM(A1)", "'-1"]));
});

test("no entries give no lines", () => {
  expect(formatEntries([])).toBe("");
});

test("a file for people has words, a semicolon where the comma is decimal, and one zone that its heading names", () => {
  const readable = createAuditCsvFormat({ hashes: true }, { locale: "de", timeZone: "Europe/Berlin" });
  const [header, line] = [readable.header, readable.formatEntries([{ ...entry, hash: "ab" }])];
  expect(header).toMatch(/^\uFEFFWann \(Europe\/Berlin\);Wer;Was;.*;hash\r\n$/);
  expect(line).toMatch(/^2026-01-02 04:04;Maya;/);
  const unconfirmed = readable.formatEntries([
    { ...entry, actor: { ...entry.actor, unconfirmed: true }, hash: "ab" },
  ]);
  expect(unconfirmed).toContain(`;Maya · ${de.reporterUnconfirmed};`);
  expect(line).not.toContain("invite.create");
  expect(line.split(";")).toHaveLength(header.split(";").length);
});
