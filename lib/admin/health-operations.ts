import { z } from "zod";
import { globalScope, defineOperation } from "#lib/operation/operation.ts";
import {
  assertDatabaseUsable,
  assertMigrationsMatchVersion,
  isStorageUsable,
  refuseWhileStopping,
} from "#lib/admin/readiness-queries.ts";
import { VERSION } from "#lib/version.ts";

const okLiteral = z.literal("ok");

/** Checks process and database, and returns the running version (contract 13.2). */
export const checkHealth = defineOperation({
  name: "health",
  summary: "Check whether the process and its database are ready",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "account.open",
  output: z.object({ status: okLiteral, database: okLiteral, version: z.string() }),
  run: async () => {
    refuseWhileStopping();
    await assertDatabaseUsable();
    return { status: "ok" as const, database: "ok" as const, version: VERSION };
  },
});

/**
 * Readiness, for whatever decides whether requests are routed here. Without storage most requests still work, and all
 * instances lack it at the same time, so the body reports it without taking any instance out of service.
 */
export const checkReadiness = defineOperation({
  name: "readiness",
  summary: "Check whether the service can serve requests, and whether any part of it is impaired",
  on: globalScope,
  can: "account.open",
  output: z.object({
    status: z.enum(["ok", "impaired"]),
    database: okLiteral,
    migrations: okLiteral,
    storage: z.enum(["ok", "failed"]),
  }),
  run: async () => {
    refuseWhileStopping();
    await assertDatabaseUsable();
    const [usable] = await Promise.all([isStorageUsable(), assertMigrationsMatchVersion()]);
    return {
      status: usable ? ("ok" as const) : ("impaired" as const),
      database: "ok" as const,
      migrations: "ok" as const,
      storage: usable ? ("ok" as const) : ("failed" as const),
    };
  },
});

/** Only for the OpenAPI document; the route responds without a session or the database (app/api/health/live). */
export const checkLiveness = defineOperation({
  name: "liveness",
  summary: "Check whether the process responds; for supervisors",
  on: globalScope,
  can: "account.open",
  output: z.object({ status: okLiteral }),
  run: async () => ({ status: "ok" as const }),
});
