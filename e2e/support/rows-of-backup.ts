import pg from "pg";

/** Tables that backups leave out. */
const TABLES_NOT_BACKED_UP = [
  "public._prisma_migrations",
  "public.sessions",
  "public.password_resets",
  "public.email_verifications",
  "public.refused_forms",
  "public.idempotency_keys",
  "public.rate_limits",
  "public.sign_in_delays",
  "public.sign_in_retries",
  "public.job_queue_failures",
  "public.evidence_problems",
  "public.evidence_checks",
  "graphile_worker.migrations",
];

/** Conditions that leave out what a backup or a restore writes itself. */
const WRITTEN_LATER: Record<string, string> = {
  "public.installation_metadata": "where key <> 'last-backup'",
  "public.audit_entries": "where action <> 'audit.restore'",
  "public.audit_chains": "where chain <> 'system'",
};

/** Reads all rows that a restore must bring back, by table, in the server's text form. */
export async function readAllRows(url: string): Promise<Record<string, string[]>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "select schemaname || '.' || tablename as name from pg_tables where schemaname in ('public', 'graphile_worker') order by 1",
    );
    const all: Record<string, string[]> = {};
    for (const { name } of tables.filter(({ name }) => !TABLES_NOT_BACKED_UP.includes(name))) {
      const { rows } = await client.query<{ row: string }>(
        `select t::text as row from ${name} t ${WRITTEN_LATER[name] ?? ""} order by 1`,
      );
      all[name] = rows.map(({ row }) => row);
    }
    return all;
  } finally {
    await client.end();
  }
}
