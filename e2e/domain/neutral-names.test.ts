import fs from "node:fs";
import path from "node:path";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { MIGRATIONS_FOLDER } from "#lib/run/migrate.ts";

/** The migration that takes given names from files of reports without a name, on rows as the version before wrote them. */

const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
afterAll(() => client.end());

const rows = async (sql: string, values: unknown[] = []) => (await client.query(sql, values)).rows;

async function migrateNames(): Promise<void> {
  const name = fs.readdirSync(MIGRATIONS_FOLDER).find((one) => one.endsWith("_files_not_inspected")) ?? "";
  const sql = fs.readFileSync(path.join(MIGRATIONS_FOLDER, name, "migration.sql"), "utf8");
  await client.query(`begin; ${sql}; commit`);
}

test("files of reports without a name lose the names they were given, also in the history; others keep them", async () => {
  const [organization] = await rows(
    "insert into organizations (name, slug) values ('N', 'neutral') returning id",
  );
  const [event] = await rows(
    "insert into events (organization_id, name, slug) values ($1, 'E', 'neutral-e') returning id",
    [organization.id],
  );
  const [maya] = await rows(
    "insert into users (email, name, password_hash) values ('maya@example.org', 'Maya', 'x') returning id",
  );
  const report = async (reporter: string | null) => {
    const [incident] = await rows(
      "insert into incidents (event_id, title, description, reporter_id) values ($1, 'A title of a report', 'x', $2) returning id",
      [event.id, reporter],
    );
    return incident.id as string;
  };
  const file = async (
    incident: string,
    filename: string,
    mimetype: string,
    uploader: string | null = null,
  ) => {
    const [{ id }] = await rows(
      `insert into related_files (incident_id, event_id, filename, mimetype, size, sha256, storage_key, uploaded_by_id,
         clean_state, reveals, created_at)
       values ($1, $2, $3, $4, 1, 'x', gen_random_uuid(), $5, 'not_cleanable', '{author}', clock_timestamp()) returning id`,
      [incident, event.id, filename, mimetype, uploader],
    );
    return id as string;
  };
  const happened = (incident: string, object: string, action: string, name: string) =>
    rows(
      "insert into incident_history (incident_id, event_id, action, object_id, to_value) values ($1, $2, $3, $4, $5)",
      [incident, event.id, action, object, name],
    );

  const [anonymous, named] = [await report(null), await report(maya.id)];
  const photo = await file(anonymous, "maya castillo.jpg", "image/jpeg");
  await file(anonymous, "castillo.mp3", "audio/mpeg");
  const gone = "6a1a1c2e-7b3d-4c55-9a0e-5f4f1c2d3e4f";
  await happened(anonymous, photo, "file.original", "maya castillo.jpg");
  await happened(anonymous, gone, "file.deleted", "maya castillo.pdf");
  const ofTeam = await file(anonymous, "minutes.pdf", "application/pdf");
  await happened(anonymous, ofTeam, "file.added", "minutes.pdf");
  await happened(anonymous, ofTeam, "file.changed", "minutes.pdf");
  await file(named, "hall.wav", "audio/wav", maya.id);

  await migrateNames();
  const names = async (incident: string) =>
    (
      await rows(
        "select filename, clean_state from related_files where incident_id = $1 order by created_at",
        [incident],
      )
    ).map((row) => [row.filename, row.clean_state]);
  expect(await names(anonymous)).toEqual([
    ["photo-1.jpg", "not_inspected"],
    ["recording-2.mp3", "not_cleanable"],
    ["minutes.pdf", "not_inspected"],
  ]);
  expect(await names(named)).toEqual([["hall.wav", "not_cleanable"]]);
  const history = await rows(
    "select action, to_value from incident_history where incident_id = $1 order by created_at, action",
    [anonymous],
  );
  expect(history.map(({ action, to_value }) => [action, to_value]).sort()).toEqual([
    ["file.added", "minutes.pdf"],
    ["file.changed", "minutes.pdf"],
    ["file.deleted", "file"],
    ["file.original", "photo-1.jpg"],
  ]);
});
