import { Prisma } from "#lib/generated/prisma/client.ts";

/** Clears what was written with exclusions from incidents that are gone; the exclusions stay, as the audit log does. */
export const CLEAR_ORPHANED_EXCLUSION_REASONS_SQL = Prisma.sql`
  update incident_exclusions x set reason = null
  where reason is not null and not exists (select 1 from incidents i where i.id = x.incident_id)`;
