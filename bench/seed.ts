import bcrypt from "bcryptjs";
import pg from "pg";
import { startDeadlinesSql } from "#lib/incidents/deadline-sql.ts";
import { generateSentences } from "./text.ts";

/** An organization with 50 events and the given number of incidents, written in large SQL statements. */

export type Size = { incidents: number; events: number; reporters: number };

export const SIZES: Size[] = [
  { incidents: 10_000, events: 50, reporters: 200 },
  { incidents: 100_000, events: 50, reporters: 200 },
];

export const PASSWORD = "correct horse battery 42";
export const TEAM_EMAIL = "team@bench.example";
export const ADMIN_EMAIL = "admin@bench.example";

const SENTENCE_COUNT = 4000;

export type World = {
  organizationId: string;
  teamId: string;
  events: { id: string; slug: string }[];
  /** The assignee of each is the team member or nobody. */
  incidents: { id: string; eventId: string }[];
  /** Incidents that name a person. */
  named: { id: string; eventId: string }[];
};

/** Fills a migrated, empty database. The same size always gives the same numbers; ids differ. */
export async function seed(url: string, size: Size): Promise<World> {
  const client = new pg.Client({ connectionString: url, application_name: "heed-bench" });
  await client.connect();
  try {
    await client.query("set synchronous_commit = off");
    await client.query("select setseed(0.42)");
    await seedPeople(client, size);
    await withoutTextIndexes(client, () => seedIncidents(client, size));
    await seedHistory(client);
    await seedComments(client);
    await seedNamedPeople(client, size);
    const { text, values } = startDeadlinesSql();
    await client.query(text, values);
    await client.query("vacuum analyze");
    return await readWorld(client);
  } finally {
    await client.end();
  }
}

async function seedPeople(client: pg.Client, { events, reporters }: Size): Promise<void> {
  const hash = bcrypt.hashSync(PASSWORD, 12);
  await client.query(
    `insert into users (email, name, password_hash, system_admin, email_verified_at)
      select 'root@bench.example', 'Robin Root', $1, true, now()
      union all select '${ADMIN_EMAIL}', 'Ada Admin', $1, false, now()
      union all select '${TEAM_EMAIL}', 'Toni Team', $1, false, now()
      union all select 'reporter' || n || '@bench.example', 'Reporter Number ' || n, $1, false, now() from generate_series(1, ${reporters}) n`,
    [hash],
  );
  await client.query(`
    with org as (insert into organizations (name, slug) values ('Bench Conferences', 'bench') returning id),
    member as (insert into organization_members (organization_id, user_id, role)
      select org.id, u.id, 'org_admin' from org, users u where u.email = '${ADMIN_EMAIL}'),
    made as (insert into events (organization_id, name, slug, start_date, end_date)
      select org.id, 'Conference Number ' || n, 'conference-' || n, now() - n % ${events} * interval '8 days', now() - n % ${events} * interval '8 days' + interval '3 days'
      from org, generate_series(1, ${events}) n returning id, slug)
    insert into event_roles (event_id, user_id, role_name)
      select made.id, u.id, case when right(made.slug, 1) in ('0', '5') then 'Admin' else 'Responder' end::event_role_name
        from made, users u where u.email = '${TEAM_EMAIL}'
      union all select made.id, u.id, 'Reporter' from made
        join generate_series(1, ${reporters}) n on made.slug = 'conference-' || (1 + n % ${events})
        join users u on u.email = 'reporter' || n || '@bench.example'`);
}

/** Building trigram indexes in one go is many times faster than row by row. */
async function withoutTextIndexes(client: pg.Client, work: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(`
    select indexname as name, indexdef as definition from pg_indexes
    where schemaname = 'public' and tablename = 'incidents' and indexdef like '%gin_trgm_ops%'`);
  for (const { name } of rows) await client.query(`drop index "${name}"`);
  await client.query("set maintenance_work_mem = '256MB'");
  await work();
  for (const { definition } of rows) await client.query(definition);
}

/** Events of different sizes, fourteen months, every status and severity, one report in ten anonymous. */
async function seedIncidents(client: pg.Client, size: Size): Promise<void> {
  await createTexts(client, size.incidents);
  await createIncidentNumbers(client, size);
  await client.query(`
    insert into incidents (event_id, number, code_name, title, description, state, severity, type, contact_method, incident_at, location, parties, reporter_id,
      assigned_responder_id, resolution, first_response_at, resolved_at, escalated_at, created_at, updated_at)
    select e.id, x.n, 'case-' || x.n, left(t.heading, 52) || ' (' || x.n || ')', t.description, x.state, x.severity, case when x.n % 3 = 0 then 'harassment' end,
      (array['email', 'phone', 'in_person', 'no_contact'])[1 + x.n % 4]::contact_method, x.created_at - x.wait * interval '6 hours',
      case when x.n % 2 = 0 then 'Hall ' || x.n % 9 end, case when x.n % 4 = 0 then 'Badge numbers ' || x.n || ' and ' || x.n + 17 end,
      case when x.n % 10 > 0 then u.id end, case when x.state > 'acknowledged' then team.id end,
      case when x.state in ('resolved', 'closed') then 'We spoke with everybody and agreed on what happens next.' end,
      case when x.state > 'submitted' then least(now(), x.created_at + x.wait * interval '1 day') end,
      case when x.state in ('resolved', 'closed') then least(now(), x.created_at + interval '1 day' + x.length * interval '12 days') end,
      case when x.severity = 'critical' then x.created_at end, x.created_at, least(now(), x.created_at + interval '1 day')
    from numbers x join texts t on t.n = x.n join events e on e.slug = 'conference-' || x.event
    join users u on u.email = 'reporter' || x.reporter || '@bench.example'
    cross join (select id from users where email = '${TEAM_EMAIL}') team`);
  await client.query(`
    insert into conversations (id, incident_id, party, created_at) select id, id, 'reporter', created_at from incidents`);
}

/** Seven sentences per report, some more often than others. */
async function createTexts(client: pg.Client, incidents: number): Promise<void> {
  await client.query("create temp table sentences (id serial primary key, body text not null)");
  await client.query("insert into sentences (body) select unnest($1::text[])", [
    generateSentences(SENTENCE_COUNT),
  ]);
  await client.query(`
    create temp table drawn as
      select n, k, 1 + floor(${SENTENCE_COUNT} * power(random(), 1.5))::int as sentence
      from generate_series(1, ${incidents}) n, generate_series(1, 7) k`);
  await client.query("analyze sentences");
  await client.query("analyze drawn");
  await client.query(`
    create temp table texts as
      select n, string_agg(s.body, ' ' order by k) as description, min(s.body) as heading
      from drawn join sentences s on s.id = drawn.sentence group by n`);
  await client.query("analyze texts");
}

async function createIncidentNumbers(
  client: pg.Client,
  { incidents, events, reporters }: Size,
): Promise<void> {
  await client.query(`
    create temp table numbers as
      select n, 1 + floor(${events} * power(random(), 1.4))::int as event,
        1 + floor(${reporters} * random())::int as reporter,
        (case when state < 0.15 then 'submitted' when state < 0.25 then 'acknowledged' when state < 0.4 then 'investigating'
          when state < 0.8 then 'resolved' else 'closed' end)::incident_state as state,
        (case when severity < 0.3 then 'low' when severity < 0.6 then 'medium' when severity < 0.75 then 'high'
          when severity < 0.85 then 'critical' end)::severity as severity,
        now() - random() * interval '425 days' as created_at, random() as wait, random() as length
      from (select n, random() as state, random() as severity from generate_series(1, ${incidents}) n) drawn`);
  await client.query("analyze numbers");
}

async function seedHistory(client: pg.Client): Promise<void> {
  await client.query(`
    insert into incident_history (incident_id, event_id, actor_id, action, from_value, to_value, created_at)
    select id, event_id, reporter_id, 'submitted', null, 'submitted', created_at from incidents
    union all select id, event_id, assigned_responder_id, 'state', 'submitted', state::text, first_response_at
      from incidents where state <> 'submitted'`);
}

/**
 * Four notes and three messages on one report in twenty; and for the team member a notification for each of their
 * reports.
 */
async function seedComments(client: pg.Client): Promise<void> {
  await client.query("create temp table talked as select * from incidents where md5(id::text) < '0d'");
  const said = (columns: string, count: number, values: string) => `
    insert into ${columns}, body, created_at, updated_at)
    select i.id, ${values}, left(i.description, 40 + n * 90), t.at, t.at
    from talked i cross join generate_series(1, ${count}) n
    cross join (select id from users where email = '${TEAM_EMAIL}') team,
    lateral (select i.created_at + n * interval '1 hour' as at) t`;
  await client.query(said("team_notes (incident_id, author_id", 4, "team.id"));
  await client.query(
    said(
      "messages (conversation_id, from_party, author_id",
      3,
      "n % 2 = 0, case when n % 2 = 0 then i.reporter_id else team.id end",
    ),
  );
  await client.query(`
    update incidents i set last_message_at = i.created_at + interval '3 hours', last_message_from = 'team'
    from talked t where t.id = i.id`);
  await client.query(`
    insert into notifications (user_id, kind, organization_id, event_id, incident_id, created_at, read_at, deduplication_id)
    select team.id, 'incident.created', e.organization_id, i.event_id, i.id, i.created_at,
      case when i.state <> 'submitted' then i.updated_at end, i.id::text
    from incidents i join events e on e.id = i.event_id
    join event_roles r on r.event_id = i.event_id
    join users team on team.id = r.user_id and team.email = '${TEAM_EMAIL}'`);
}

/** A person in one report in four, each name in five of them, and one record in ten joined with that of another name. */
async function seedNamedPeople(client: pg.Client, { incidents }: Size): Promise<void> {
  const names = Math.floor(incidents / 20);
  await client.query(`
    create temp table named as
      select i.id as incident_id, i.event_id, e.organization_id, gen_random_uuid() as person_id, i.created_at,
        row_number() over (order by md5(i.id::text)) as n
      from incidents i join events e on e.id = i.event_id where md5(i.id::text) < '4'`);
  await client.query(`
    insert into people (id, organization_id, code_name, joined_to_id, group_id, created_at)
    select a.person_id, a.organization_id, 'amber-heron-' || a.n, b.person_id, coalesce(b.person_id, a.person_id), a.created_at
    from named a left join named b on a.n % 10 = 0 and b.n = a.n - 1`);
  await client.query(`
    insert into incident_people (incident_id, event_id, person_id, name, handles, role, match_terms, created_at, updated_at)
    select incident_id, event_id, person_id, 'Person ' || n % ${names}, array['handle' || n],
      (array['reported', 'harmed', 'witness'])[1 + n % 3]::person_role,
      array['name:person ' || n % ${names}, 'handle:handle' || n], created_at, created_at
    from named`);
}

async function readWorld(client: pg.Client): Promise<World> {
  const one = async (sql: string) => (await client.query<{ id: string }>(sql)).rows[0]?.id as string;
  const events = await client.query<{ id: string; slug: string }>(
    "select id, slug from events order by slug",
  );
  const incidents = await client.query<{ id: string; eventId: string }>(
    `select id, event_id as "eventId" from (
      select id, event_id, row_number() over (partition by event_id order by md5(title)) as place from incidents) i
    where place <= 20 order by place, event_id`,
  );
  const named = await client.query<{ id: string; eventId: string }>(
    `select incident_id as id, event_id as "eventId" from incident_people order by md5(id::text) limit 500`,
  );
  return {
    organizationId: await one("select id from organizations"),
    teamId: await one(`select id from users where email = '${TEAM_EMAIL}'`),
    events: events.rows,
    incidents: incidents.rows,
    named: named.rows,
  };
}
