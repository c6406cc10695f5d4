import { expect, test } from "vitest";
import { AUDIT_CSV_COLUMNS, toAuditCsvLines } from "./exports.ts";

const entry = {
  seq: 7,
  at: new Date("2026-01-02T03:04:05.678Z"),
  actor: { id: "22222222-2222-4222-8222-222222222222", name: "Maya" },
  action: "invite.create",
  objectType: "invite",
  objectId: null,
  eventId: null,
  right: "event:Admin",
  requestId: null,
  data: { role: "Reporter", maxUses: null },
};

test("an entry is a line with a cell for each column", () => {
  const line = toAuditCsvLines([entry]);
  expect(line).toBe(
    '7,2026-01-02T03:04:05.678Z,22222222-2222-4222-8222-222222222222,Maya,invite.create,invite,,,event:Admin,,"{""role"":""Reporter"",""maxUses"":null}"\r\n',
  );
  expect(AUDIT_CSV_COLUMNS).toHaveLength(11);
});

test("an entry without an actor has blank cells, and one of a deleted account has no name", () => {
  const [, , anonymous, none] = toAuditCsvLines([{ ...entry, actor: null }]).split(",");
  expect([anonymous, none]).toEqual(["", ""]);
  const gone = toAuditCsvLines([{ ...entry, actor: { ...entry.actor, name: null } }]).split(",");
  expect(gone.slice(2, 4)).toEqual([entry.actor.id, ""]);
});

test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1"])("the name %j is no formula", (name) => {
  expect(toAuditCsvLines([{ ...entry, actor: { ...entry.actor, name } }])).toMatch(/[,"]'/);
});

test("no entries give no lines", () => {
  expect(toAuditCsvLines([])).toBe("");
});
