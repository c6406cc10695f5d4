import { z } from "zod";
import { nothing, operation } from "#lib/api/operation.ts";
import { askDatabase } from "#lib/health/queries.ts";

/** Rulings R7: process and database. */
export const checkHealth = operation({
  name: "health",
  summary: "Is the service ready: process and database",
  on: nothing,
  can: "account.open",
  output: z.object({ status: z.literal("ok"), database: z.literal("ok") }),
  run: async () => {
    await askDatabase();
    return { status: "ok" as const, database: "ok" as const };
  },
});
