import { expect, test } from "vitest";
import { AuditLogQuery, SystemAuditLogQuery } from "./schema.ts";

/** What an audit log isn't asked for (contract 12.4). */

test.each([
  { actor: "maya" },
  { action: "file%" },
  { action: "." },
  { action: "file..remove" },
  { action: "fil" },
  { action: "file.remove" },
  { action: "nothing." },
  { objectType: "file.x" },
  { objectType: "files" },
  { from: "yesterday" },
  { to: "1850-01-01" },
  { before: "0" },
  { before: "-1" },
  { format: "pdf" },
])("a log has no entries by %o", (query) => {
  const { error } = AuditLogQuery.safeParse(query);
  expect(new Set(error?.issues.map(({ path }) => path[0]))).toEqual(new Set(Object.keys(query)));
});

test.each(["x", "", "System"])("there is no log %j", (chain) => {
  expect(SystemAuditLogQuery.safeParse({ chain }).success).toBe(false);
});
