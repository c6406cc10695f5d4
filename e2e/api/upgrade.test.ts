import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { Client } from "#e2e/support/client.ts";
import { spawnProjectCommand } from "#e2e/support/command.ts";
import { dropDatabase } from "#e2e/support/database.ts";
import { createPng } from "#e2e/support/evidence.ts";
import { startProcess } from "#e2e/support/process.ts";
import { openTestPool } from "#e2e/support/test-pool.ts";
import { PASSWORD } from "#e2e/support/world.ts";
import { migrate, MIGRATIONS_FOLDER, readMigrations } from "#lib/database/migrate.ts";

/** From a database that the first migration made to the newest, with data in it. */

const MIGRATIONS = readMigrations(MIGRATIONS_FOLDER).map(({ name }) => name);

const LATER = "99991231235959_later";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-upgrade-"));
const server = new URL(process.env.DATABASE_URL ?? "");
const name = `upgrade_${randomBytes(6).toString("hex")}`;
const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;

await once(server.href, `create database ${name}`);
const old = openTestPool(url, 2);

afterAll(async () => {
  await old.end();
  await dropDatabase(server.href, name);
  fs.rmSync(folder, { recursive: true, force: true });
});

async function once(at: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: at });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/** A folder with the first so many migrations, as the version of that time had it. */
function copyMigrations(count: number): string {
  const copy = fs.mkdtempSync(path.join(folder, "migrations-"));
  for (const one of MIGRATIONS.slice(0, count))
    fs.cpSync(path.join(MIGRATIONS_FOLDER, one), path.join(copy, one), { recursive: true });
  return copy;
}

const migrateTo = (count: number) => migrate(url, () => {}, copyMigrations(count));

const rows = async <Row = Record<string, any>>(statement: string, values: unknown[] = []): Promise<Row[]> =>
  (await old.query(statement, values)).rows as Row[];

/** What comes and goes by itself, and what is kept beside the rows: the sums are looked at below. */
const PASSING = ["_prisma_migrations", "refused_forms", "outbox_events", "incident_counts"];

type Contents = Record<string, { columns: string[]; rows: string[] }>;

/** Every table of ours with the values of these columns, or of all. */
async function contents(of?: Contents): Promise<Contents> {
  const tables = await rows<{ name: string; columns: string[] }>(
    `select table_name as name, array_agg(quote_ident(column_name) order by ordinal_position) as columns
     from information_schema.columns where table_schema = 'public' and not table_name = any($1)
       and not table_name || '.' || column_name = any($2) group by 1 order by 1`,
    [[...PASSING, ...DROPPED_TABLES], DROPPED_COLUMNS],
  );
  const found: Contents = {};
  for (const table of tables.filter(({ name }) => !of || name in of)) {
    const columns = of?.[table.name]?.columns ?? table.columns;
    const tableRows = await rows<{ row: string }>(
      `select row(${columns.join(", ")})::text as row from ${table.name} order by 1`,
    );
    found[table.name] = { columns, rows: tableRows.map(({ row }) => row) };
  }
  return found;
}

/** Columns and tables that a migration removes on purpose. */
const DROPPED_COLUMNS = [
  "event_roles.granted_by_id",
  "event_roles.granted_through_ids",
  "incident_referrals.for_review",
  "incidents.description_keys",
  "incidents.resolution_internal",
  "organization_members.added_by_id",
  "organization_members.added_through_ids",
  "organizations.contact_named_at",
  "organizations.contact_named_by_id",
  "organizations.contact_named_through_ids",
  "users.system_admin_through_ids",
  "users.system_admin_until",
];
const DROPPED_TABLES = [
  "conflict_answers",
  "conflict_bypasses",
  "conflict_reviews",
  "former_organization_members",
  "former_team_members",
  "incident_exclusions",
  "incident_referrals",
  "report_aggregates",
  "report_changes",
  "report_histograms",
];

/** Migrations that give rows to a table or change them. What they leave there is looked at below. */
const CHANGES_ROWS_OF: Record<string, string> = {
  "20261125191200_report_access": "event_report_settings",
  "20261125212500_close_former_events": "event_report_settings",
  "20261129141403_list_readers": "incident_readers",
  "20261129181100_answers_of_readers": "incident_readers",
};

/** Two exclusions of omar, of which one is his own, before reports had lists. */
const EXCLUSIONS = `insert into incident_exclusions (incident_id, user_id, source)
  select i.id, u.id, case when i.title like 'Somebody followed%' then 'reporter' else 'recusal' end::exclusion_source
  from users u, (select * from incidents where title like 'Somebody followed%'
    union all (select * from incidents where title not like 'Somebody followed%' order by title limit 1)) i
  where u.email = 'omar@example.org'`;

/**
 * Answers to the conflict check, before they were rows of readers: of one of two people on the list and of one who isn't on
 * it, and of the one from whom it is hidden. The other report was opened without an answer.
 */
const ANSWERS = `with checked as (update incidents set conflict_check = true
    where id in (select incident_id from incident_readers) returning id, listed),
  people as (select c.*, u.id as user_id, exists (select 1 from incident_readers x
      where x.incident_id = c.id and x.user_id = u.id and x.access = 'full') as reads,
    exists (select 1 from incident_readers x where x.incident_id = c.id and x.user_id = u.id) as has_row from checked c, users u),
  guest as (insert into users (email, name, password_hash) values ('guest@example.org', 'Gwen Guest', '-') returning id),
  row_of_guest as (insert into incident_readers (incident_id, user_id, access, source)
    select c.id, g.id, 'full', 'team' from checked c, guest g where c.listed)
  insert into conflict_answers (incident_id, user_id, answer)
    select * from (select id, user_id, 'soft'::conflict_degree from people where listed and reads order by user_id limit 1) one
    union all select * from (select id, user_id, 'none'::conflict_degree from people where listed and not has_row order by user_id limit 1) two
    union all select * from (select id, user_id, 'none'::conflict_degree from people where listed and has_row and not reads limit 1) hidden
    union all select * from (select id, user_id, null::conflict_degree from people where not listed and not has_row order by user_id limit 1) three`;

const omitTable = <Value>(
  tables: Record<string, Value>,
  omitted: string | undefined,
): Record<string, Value> => Object.fromEntries(Object.entries(tables).filter(([name]) => name !== omitted));

const picture = await createPng();
const key = "0d5e9a52-3f0e-4f0e-9d43-0c1f5a1b2c3d";
const file = path.join(folder, "data", "files", key.slice(0, 2), key.slice(2, 4), key);

test("data of the oldest version goes through every migration unharmed", async () => {
  await migrateTo(1);
  await old.query(WORLD, []);
  await old.query(
    `insert into related_files (incident_id, event_id, filename, mimetype, size, sha256, storage_key, uploaded_by_id)
     select id, event_id, 'door.png', 'image/png', $1, $2, $3, reporter_id
     from incidents where title like 'Somebody followed%'`,
    [picture.length, createHash("sha256").update(picture).digest("hex"), key],
  );
  expect(await rows("select count(*)::int as n from incidents")).toEqual([{ n: 7 }]);
  for (const count of listSteps()) {
    const before = await contents();
    await migrateTo(count);
    const name = MIGRATIONS[count - 1] ?? "";
    if (MIGRATIONS[count] === "20261129141403_list_readers") await old.query(EXCLUSIONS);
    const [after, expected] = [await contents(before), before].map((one) =>
      omitTable(one, CHANGES_ROWS_OF[name]),
    );
    expect(after, `what was there before ${name}, or before one of those that lead to it`).toEqual(expected);
    if (MIGRATIONS[count] === "20261129181100_answers_of_readers")
      expect((await old.query(ANSWERS)).rowCount).toBe(4);
  }
});

/** How many migrations there are after each step: ten at once, and each by itself that changes rows. */
function listSteps(): number[] {
  const counts = MIGRATIONS.map((_, index) => index + 1).slice(1);
  return counts.filter(
    (count) =>
      count % 10 === 0 ||
      count === MIGRATIONS.length ||
      [MIGRATIONS[count - 1], MIGRATIONS[count]].some((name = "") => name in CHANGES_ROWS_OF),
  );
}

test("events from before the settings of who may report stay as closed as they were", async () => {
  const [{ n: events } = { n: 0 }] = await rows<{ n: number }>("select count(*)::int as n from events");
  expect(
    await rows(
      `select who_can_report::text, search_engines, without_account, count(*)::int as n
       from event_report_settings group by 1, 2, 3`,
    ),
  ).toEqual([{ who_can_report: "invite", search_engines: false, without_account: false, n: events }]);
});

test("a report that was hidden from somebody has a list of everybody else, who answer its conflict check; one that somebody left has none", async () => {
  const list = async (listed: boolean) => {
    const found = await rows<{ row: string }>(
      `select concat_ws(' ', case when u.email like 'omar@%' then 'omar' end, x.access, x.source, x.answer,
         case when x.opened_until > now() + interval '23 hours' then 'opened' end) as row
       from incidents i join incident_readers x on x.incident_id = i.id join users u on u.id = x.user_id where i.listed = $1`,
      [listed],
    );
    return [...new Set(found.map(({ row }) => row))].toSorted();
  };
  expect(await list(false)).toEqual(["ask emergency opened", "omar none recusal"]);
  expect(await list(true)).toEqual(["ask team", "full team soft", "omar none reporter"]);
  await old.query("delete from incident_readers");
  await old.query("update incidents set listed = false, conflict_check = false");
});

test("counters and aggregates match the rows", async () => {
  const counted = await rows(
    `select event_id, sum(submitted)::int as submitted, sum(acknowledged)::int as acknowledged,
       sum(investigating)::int as investigating, sum(resolved)::int as resolved, sum(closed)::int as closed,
       sum(open_unassigned)::int as unassigned, sum(open_escalated)::int as escalated, sum(open_critical)::int as critical,
       sum(open_high)::int as high, sum(open_medium)::int as medium, sum(open_low)::int as low
     from incident_counts group by 1 order by 1`,
  );
  const open = "state in ('submitted', 'acknowledged', 'investigating')";
  const real = await rows(
    `select event_id, count(*) filter (where state = 'submitted')::int as submitted,
       count(*) filter (where state = 'acknowledged')::int as acknowledged,
       count(*) filter (where state = 'investigating')::int as investigating,
       count(*) filter (where state = 'resolved')::int as resolved, count(*) filter (where state = 'closed')::int as closed,
       count(*) filter (where ${open} and assigned_responder_id is null)::int as unassigned,
       count(*) filter (where ${open} and escalated_at is not null)::int as escalated,
       count(*) filter (where ${open} and severity = 'critical')::int as critical,
       count(*) filter (where ${open} and severity = 'high')::int as high,
       count(*) filter (where ${open} and severity = 'medium')::int as medium,
       count(*) filter (where ${open} and severity = 'low')::int as low
     from incidents group by 1 order by 1`,
  );
  expect(counted).toEqual(real);
  expect(await rows("select bytes::int from evidence_usage")).toEqual([{ bytes: picture.length }]);
  expect(
    await rows(
      "select distinct event_id = (select event_id from incidents i where i.id = incident_id) as fits from related_files",
    ),
  ).toEqual([{ fits: true }]);
});

test("the service works on the migrated database", async () => {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  fs.writeFileSync(file, picture, { mode: 0o600 });
  const settings = { DATABASE_URL: url, HEED_DATA_DIR: path.join(folder, "data") };
  const running = await startProcess(settings);
  try {
    const client = new Client(running.url, { countRows: async () => ({}) });
    const login = await client.post("/api/auth/login", { email: "omar@example.org", password: PASSWORD });
    expect(login.status, login.text).toBe(200);
    const { incidents, pagination } = (await client.get("/api/events/slug/harbour-days/incidents")).body;
    expect([incidents.length, pagination.total]).toEqual([6, 6]);
    const followed = incidents.find(({ title }: { title: string }) => title.startsWith("Somebody followed"));
    const at = `/api/events/slug/harbour-days/incidents/${followed.id}`;
    const [evidence] = (await client.get(`${at}/related-files`)).body.relatedFiles;
    const { status, bytes } = await client.get(`${at}/related-files/${evidence.id}/download`);
    expect([status, Buffer.compare(bytes, picture)]).toEqual([200, 0]);
    const { comments } = (await client.get(`${at}/comments`)).body;
    expect(comments.map(({ body, visibility }: Record<string, string>) => [body, visibility])).toEqual(
      expect.arrayContaining([
        ["Ask the volunteer at the door.", "internal"],
        ["Thank you. We are looking into it.", "public"],
      ]),
    );
    const moved = await client.patch(`/api/events/${followed.eventId}/incidents/${followed.id}/state`, {
      state: "resolved",
      notes: "Spoken to, and sent home.",
    });
    expect(moved.status, moved.text).toBe(200);
    const resolved = (await client.get("/api/events/slug/harbour-days/incidents?status=resolved")).body;
    expect(resolved.pagination.total).toBe(2);
    expect((await client.get("/api/health/ready")).status).toBe(200);
  } finally {
    expect(await running.stop()).toBe(0);
  }
  const audit = await spawnProjectCommand("audit-verify", ["--verbose"], settings);
  expect(audit, audit.output).toMatchObject({ code: 0 });
  expect(audit.output).toMatch(/ok +organization/);
});

test("data that the service wrote goes through a later migration, and the service before refuses to start", async () => {
  const before = await contents();
  const newer = copyMigrations(MIGRATIONS.length);
  fs.mkdirSync(path.join(newer, LATER));
  fs.writeFileSync(
    path.join(newer, LATER, "migration.sql"),
    "alter table incidents add column later text; update incidents set later = title;",
  );
  await migrate(url, () => {}, newer);
  expect(await contents(before)).toEqual(before);
  expect(await rows("select count(*)::int as n from incidents where later = title")).toEqual([{ n: 7 }]);
  const settings = { DATABASE_URL: url, HEED_DATA_DIR: path.join(folder, "data"), PORT: "0" };
  const refused = await spawnProjectCommand("start", [], settings);
  expect([refused.code, refused.output]).toEqual([1, expect.stringContaining(LATER)]);
});

/** As the service of that time wrote it: people, two events, reports in every state, and what goes with them. */
const WORLD = `
with people as (
  insert into users (email, name, password_hash, system_admin, email_verified_at) values
    ('sam@example.org', 'Sam Adeyemi', 'x', true, now()),
    ('maya@example.org', 'Maya Castillo', 'x', false, now()),
    ('omar@example.org', 'Omar Haddad', '$2b$12$vWAIQSgcN1BNHoIfP80ayuCznaL3Zt8tzWREFLGTP1adCcPxHzCXW', false, now())
  returning id, email
), organization as (
  insert into organizations (name, slug) values ('Riverside Meetups', 'riverside') returning id
), places as (
  insert into events (organization_id, name, slug)
  select id, name, slug from organization, (values ('Harbour Days', 'harbour-days'), ('Autumn Gathering', 'autumn')) e(name, slug)
  returning id, slug, organization_id
), members as (
  insert into organization_members (organization_id, user_id, role)
  select o.id, p.id, 'org_admin' from organization o, people p where email = 'sam@example.org'
), roles as (
  insert into event_roles (event_id, user_id, role_name)
  select e.id, p.id, (case email when 'omar@example.org' then 'Responder' else 'Reporter' end)::event_role_name
  from places e, people p where email <> 'sam@example.org'
), invites as (
  insert into invites (code, organization_id, event_id, role, max_uses, use_count)
  select 'an-invite-of-long-ago', organization_id, id, 'Reporter', 5, 1 from places where slug = 'harbour-days'
), reports as (
  insert into incidents (event_id, title, description, state, severity, contact_method, reporter_id, assigned_responder_id,
    first_response_at, resolved_at, escalated_at, created_at)
  select e.id, r.title, 'It went on for a while.', r.state::incident_state, r.severity::severity, 'email',
    case when r.anonymous then null else (select id from people where email = 'maya@example.org') end,
    case when r.state in ('investigating', 'resolved') then (select id from people where email = 'omar@example.org') end,
    case when r.state <> 'submitted' then timestamptz '2025-04-02 10:00Z' end,
    case when r.state in ('resolved', 'closed') then timestamptz '2025-04-05 10:00Z' end,
    case when r.severity = 'critical' then timestamptz '2025-04-01 10:00Z' end, timestamptz '2025-04-01 10:00Z'
  from (values
    ('harbour-days', 'Shouting at the registration desk', 'submitted', 'low', false),
    ('harbour-days', 'Words on a badge that hurt somebody', 'acknowledged', 'medium', true),
    ('harbour-days', 'Somebody followed me to the tram stop', 'investigating', 'critical', false),
    ('harbour-days', 'A joke on stage about where I come from', 'resolved', 'high', false),
    ('harbour-days', 'A picture was taken without asking', 'closed', null, false),
    ('harbour-days', 'Nobody at the desk knew whom to ask', 'submitted', null, true),
    ('autumn', 'The ramp was blocked by boxes all day', 'submitted', 'medium', false)
  ) r(slug, title, state, severity, anonymous) join places e on e.slug = r.slug
  returning id, event_id, title, state
), notes as (
  insert into team_notes (incident_id, author_id, body)
  select r.id, p.id, 'Ask the volunteer at the door.' from reports r, people p
  where r.state = 'investigating' and p.email = 'omar@example.org'
), messages as (
  insert into reporter_messages (incident_id, author_id, body)
  select r.id, p.id, 'Thank you. We are looking into it.' from reports r, people p
  where r.state = 'investigating' and p.email = 'omar@example.org'
), history as (
  insert into incident_history (incident_id, event_id, actor_id, action, from_value, to_value)
  select r.id, r.event_id, p.id, 'state', 'submitted', r.state::text from reports r, people p
  where r.state <> 'submitted' and p.email = 'omar@example.org'
), pins as (
  insert into pins (user_id, incident_id, event_id)
  select p.id, r.id, r.event_id from reports r, people p where r.state = 'investigating' and p.email = 'omar@example.org'
)
select append_audit_entry(o.id::text, (select id from people where email = 'sam@example.org'), 'event.create', 'event', e.id, e.id,
  'org_admin', null, '{}') from places e, organization o`;
