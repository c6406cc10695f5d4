import { z } from "zod";
import { nothing, operation } from "#lib/api/operation.ts";
import { askDatabase, askMigrations, askStorage } from "#lib/health/queries.ts";

const ok = z.literal("ok");

/** Rulings R7: process and database. */
export const checkHealth = operation({
  name: "health",
  summary: "Is the service ready: process and database",
  on: nothing,
  can: "account.open",
  output: z.object({ status: ok, database: ok }),
  run: async () => {
    await askDatabase();
    return { status: "ok" as const, database: "ok" as const };
  },
});

/** For what decides whether requests are sent here: everything that they need. */
export const checkReadiness = operation({
  name: "readiness",
  summary: "Can the service take requests: database, its migrations, and the storage of files",
  on: nothing,
  can: "account.open",
  output: z.object({ status: ok, database: ok, migrations: ok, storage: ok }),
  run: async () => {
    await askDatabase();
    await Promise.all([askMigrations(), askStorage()]);
    return {
      status: "ok" as const,
      database: "ok" as const,
      migrations: "ok" as const,
      storage: "ok" as const,
    };
  },
});
