import { Prisma } from "#lib/generated/prisma/client.ts";

/** Statement that clears the reasons of exclusions from deleted incidents; the exclusions and the audit log stay. */
export const CLEAR_ORPHANED_EXCLUSION_REASONS_SQL = Prisma.sql`
  update incident_exclusions x set reason = null
  where reason is not null and not exists (select 1 from incidents i where i.id = x.incident_id)`;
