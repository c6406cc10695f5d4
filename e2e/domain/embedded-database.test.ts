import pg from "pg";
import { expect, test } from "vitest";
import { createDataFolder } from "#e2e/support/data-folder.ts";
import { startOrJoinEmbeddedPostgres } from "#lib/database/embedded/server.ts";

test("the embedded database has each commit on the disk before it confirms it, unless a test gives that up", async () => {
  const settings = [];
  for (const options of [undefined, { fsync: false }]) {
    const folder = await createDataFolder();
    const server = await startOrJoinEmbeddedPostgres({ dataDir: folder.dataDir }, () => {}, options);
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query(
      "select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit, current_setting('full_page_writes') as pages",
    );
    settings.push(rows[0]);
    await client.end();
    await server.close();
    folder.remove();
  }
  expect(settings).toEqual([
    { fsync: "on", commit: "on", pages: "on" },
    { fsync: "off", commit: "on", pages: "off" },
  ]);
  // Two clusters are created, each with many small files.
}, 180_000);
