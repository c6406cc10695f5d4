import { expect, test } from "vitest";
import { sql } from "#lib/database/client.ts";
import { STORAGE_KEY_COLUMNS } from "#lib/files/storage/key-columns.ts";

test("every column that names a stored file is known to backups", async () => {
  const rows = await sql.$queryRaw<{ at: string }[]>`
    select table_name || '.' || column_name as at from information_schema.columns
    where table_schema = 'public' and data_type = 'text' and column_name like '%\\_key'`;
  expect(rows.map(({ at }) => at).sort()).toEqual(STORAGE_KEY_COLUMNS.map((one) => one.join(".")).sort());
});
