import { sql } from "#lib/database/client.ts";

/** Finds the sealed state of a refused form unless it is older than `ttlMinutes` by the clock of the database. */
export async function findSealedRefusedForm(id: string, ttlMinutes: number): Promise<Uint8Array | undefined> {
  const [row] = await sql.$queryRaw<{ sealed: Uint8Array }[]>`
    select sealed from refused_forms
    where id = ${id}::uuid and created_at > now() - make_interval(mins => ${ttlMinutes}::int)`;
  return row?.sealed;
}
