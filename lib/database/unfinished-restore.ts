import type pg from "pg";

/**
 * The mark of a database that a restore has emptied and not yet filled: a comment on the schema `public`, which is
 * created with the schema and removed in the transaction that brings the rows. Where the restore was interrupted the mark
 * stays, and nobody uses the database until another restore completes it (docs/architecture.md).
 */
const COMMENT = "Heed: a restore of this database is unfinished";

export const MARK_RESTORE_UNFINISHED_SQL = `comment on schema public is '${COMMENT}'`;

export const MARK_RESTORE_FINISHED_SQL = "comment on schema public is null";

/** An expression: whether the database has the mark. */
export const IS_RESTORE_UNFINISHED_SQL = `obj_description(to_regnamespace('public'), 'pg_namespace') is not distinct from '${COMMENT}'`;

/** Thrown where a restore was interrupted; requests treat it as an unavailable database (503). */
export class RestoreUnfinishedError extends Error {
  /** SQLSTATE cannot_connect_now. */
  readonly code = "57P03";

  constructor() {
    super(
      "A restore of this database was interrupted. Run it again with --replace: npm run restore -- --from FILE --replace",
    );
  }
}

/** Refuses a database that an interrupted restore left. @throws RestoreUnfinishedError */
export async function refuseUnfinishedRestore(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ unfinished: boolean }>(
    `select ${IS_RESTORE_UNFINISHED_SQL} as unfinished`,
  );
  if (rows[0]?.unfinished) throw new RestoreUnfinishedError();
}
