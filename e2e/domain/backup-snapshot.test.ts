import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { takeBackup } from "#lib/backup/take.ts";
import { AUDIT_SEAL_LOCK } from "#lib/database/advisory-locks.ts";
import { env } from "#lib/env.ts";
import { getFileStorage } from "#lib/files/storage/storage.ts";
import { runWhileLocked, waitForBlockedStatements } from "#e2e/support/row-lock.ts";

/** Moments at which a backup may begin. */

const { DATABASE_URL: url = "" } = process.env;

test("a backup begins after the audit log is sealed, so that it contains each checkpoint signed before", async () => {
  const file = path.join(env().dataDir, "backup.tar");
  const source = { url, storage: getFileStorage(), env: env(), allowMissing: false };
  const sealing: { endsAt?: number } = {};
  const { takenAt } = await runWhileLocked(
    "select pg_advisory_xact_lock($1)",
    [AUDIT_SEAL_LOCK],
    () => takeBackup(source, file),
    async () => {
      await waitForBlockedStatements();
      sealing.endsAt = Date.now();
    },
  );
  expect(Date.parse(takenAt)).toBeGreaterThanOrEqual(sealing.endsAt ?? Infinity);
  expect(fs.existsSync(file)).toBe(true);
});
