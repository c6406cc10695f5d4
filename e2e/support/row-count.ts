import type pg from "pg";

/** Compares how many rows each table has before and after a request that is refused. */

export type RowCount = {
  /** Counts the rows as they were and as they are. Both are empty where nothing at all was written since. */
  countBoth(): Promise<{ before: RowsByTable; after: RowsByTable }>;
  /** Gives the connection back. */
  end(): Promise<void>;
};

type RowsByTable = Record<string, number>;

/**
 * Keeps a snapshot of the rows, in which they can be counted later. That is needed only where the write-ahead log has
 * grown since: counting takes longer than most refusals, and longer the more tests have used the database.
 */
export async function beginRowCount(pool: pg.Pool): Promise<RowCount> {
  const client = await pool.connect();
  // A connection that ends meanwhile fails the next query; a pool doesn't listen to those it has lent.
  const ignore = () => {};
  client.on("error", ignore);
  const giveBack = (error?: Error) => {
    client.off("error", ignore);
    client.release(error);
  };
  // In one round trip. The first query of the transaction takes the snapshot.
  const begun = await client
    .query(`begin isolation level repeatable read, read only; ${END_OF_LOG_SQL}`)
    .catch((error: Error) => {
      giveBack(error);
      throw error;
    });
  const [, first] = begun as unknown as pg.QueryResult[];
  return {
    countBoth: async () => {
      const now = await client.query(END_OF_LOG_SQL);
      if (now.rows[0].position === first?.rows[0].position) return { before: {}, after: {} };
      const before = await countRows(client);
      await client.query("commit; begin");
      return { before, after: await countRows(client) };
    },
    end: () => client.query("commit").then(() => giveBack(), giveBack),
  };
}

const END_OF_LOG_SQL = "select pg_current_wal_insert_lsn()::text as position";

/** Counts the rows of the tables. The query is named, so that each connection plans it once. */
async function countRows(client: pg.PoolClient): Promise<RowsByTable> {
  return (await client.query({ name: "count-rows", text: COUNT_ROWS_SQL })).rows[0] ?? {};
}

/** Tables to which only requests write; jobs and counters write to others at any time. */
const REQUEST_TABLES = [
  "users",
  "sessions",
  "organizations",
  "organization_members",
  "events",
  "event_roles",
  "invites",
  "invite_uses",
  "incidents",
  "related_files",
  "incident_history",
  "team_notes",
  "team_note_revisions",
  "team_note_mentions",
  "messages",
  "message_revisions",
  "pins",
  "unread_markers",
  "saved_views",
  "notification_settings",
  "webhooks",
  "audit_entries",
];

/**
 * Jobs write to the history that a deadline has passed or that a former outside person was unassigned, and to the
 * audit log in the service's own right.
 */
const REQUEST_ROWS: Record<string, string> = {
  incident_history: "where action <> 'deadline' and (action <> 'assignee' or actor_id is not null)",
  audit_entries: "where by_right <> 'service'",
};

const COUNT_ROWS_SQL = `select ${REQUEST_TABLES.map(
  (table) => `(select count(*)::int from ${table} ${REQUEST_ROWS[table] ?? ""}) as ${table}`,
).join(", ")}`;
