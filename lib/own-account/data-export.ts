import { download, streamed } from "#lib/operation/exports.ts";
import type { Context } from "#lib/operation/operation.ts";
import { audit } from "#lib/audit/audit.ts";
import { db, transaction } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { deviceWords } from "#lib/accounts/devices.ts";
import { findOwnAccount } from "#lib/accounts/queries.ts";
import { incidentsVisibleTo, type Actor, type Subject } from "#lib/operation/policy.ts";

/**
 * Everything about oneself as one JSON file, read a batch at a time as the client takes it. What others wrote is in
 * it only as far as the person may read it elsewhere: messages of the team on reports that are still theirs to see.
 * Notes of the team are in it where the person wrote them, and no hash of anything is.
 */
export async function exportOwnData({ actor, right, call }: Context<Subject, Actor>): Promise<Response> {
  await transaction((tx) =>
    audit(tx, {
      action: "account.export",
      actorId: actor.id,
      right,
      object: { type: "user", id: actor.id },
      requestId: call.requestId,
    }),
  );
  const name = `heed-account-${new Date().toISOString().slice(0, 10)}.json`;
  return download(name, "application/json; charset=utf-8", await streamed(written(actor)));
}

async function* written(actor: Actor): AsyncGenerator<string, void> {
  const head = {
    exportedAt: new Date(),
    account: await findOwnAccount(actor.id),
    ...(await shortLists(actor.id)),
  };
  yield `${JSON.stringify(head, null, 2).replace(/\n\}$/, "")}`;
  for (const [name, read] of Object.entries(LONG_LISTS)) {
    yield `,\n  ${JSON.stringify(name)}: [`;
    yield* elements((last) => read(actor, last));
    yield "]";
  }
  yield "\n}\n";
}

type Placed = { id: string; createdAt: Date };
const BATCH = 200;

async function* elements(
  read: (last: Placed | undefined) => Promise<Placed[]>,
): AsyncGenerator<string, void> {
  let last: Placed | undefined;
  for (;;) {
    const rows = await read(last);
    const text = rows.map((row) => `\n    ${JSON.stringify(row)}`).join(",");
    if (text) yield last ? `,${text}` : text;
    if (rows.length < BATCH) return;
    last = rows.at(-1);
  }
}

/** What a person has few of. */
async function shortLists(userId: string) {
  const where = { userId };
  const [organizations, events, sessions, devices, tokens, choices] = await Promise.all([
    db.organizationMember.findMany({
      where,
      select: {
        role: true,
        pending: true,
        createdAt: true,
        organization: { select: { id: true, name: true, slug: true } },
      },
    }),
    db.eventRole.findMany({
      where,
      select: {
        roleName: true,
        pending: true,
        createdAt: true,
        event: { select: { id: true, name: true, slug: true } },
      },
    }),
    db.session.findMany({ where, select: { userAgent: true, createdAt: true, lastUsedAt: true } }),
    db.knownDevice.findMany({ where, select: { firstSeenAt: true, lastSeenAt: true } }),
    db.apiToken.findMany({
      where,
      select: { name: true, scope: true, eventId: true, expiresAt: true, lastUsedAt: true, createdAt: true },
    }),
    db.notificationChoice.findMany({ where, select: { kind: true, inApp: true, mail: true } }),
  ]);
  return {
    organizations,
    events,
    sessions: sessions.map((session) => ({ device: deviceWords(session.userAgent), ...session })),
    devices,
    tokens,
    notificationChoices: choices,
  };
}

type Reader = (actor: Actor, last: Placed | undefined) => Promise<Placed[]>;

/** The part of a list, in order of time, that comes after its last element so far. */
const after = (last: Placed | undefined, table: "i" | "m" | "n" | "p" | "v") => {
  const [at, id] = [
    Prisma.raw(`${table}.created_at`),
    Prisma.raw(table === "p" ? "p.incident_id" : `${table}.id`),
  ];
  const later = last
    ? Prisma.sql`(${at}, ${id}) > (${last.createdAt}::timestamptz, ${last.id}::uuid)`
    : Prisma.sql`true`;
  return { later, order: Prisma.sql`order by ${at}, ${id} limit ${BATCH}::int` };
};

/** Events whose roles wait for a second factor keep their words to themselves until then. */
const withheldEvents = (actor: Actor) => actor.withheld?.events.map(({ eventId }) => eventId) ?? [];

const LONG_LISTS: Record<string, Reader> = {
  reports: readReports,
  messages: (actor, last) => readWritten(actor, last, "reporter_messages"),
  notes: (actor, last) => readWritten(actor, last, "team_notes"),
  pins: (actor, last) => {
    const { later, order } = after(last, "p");
    return db.$queryRaw<Placed[]>`
      select p.incident_id as id, p.event_id as "eventId", p.created_at as "createdAt"
      from pins p where p.user_id = ${actor.id}::uuid and ${later} ${order}`;
  },
  savedViews: (actor, last) => {
    const { later, order } = after(last, "v");
    return db.$queryRaw<Placed[]>`
      select v.id, v.name, v.query, v.created_at as "createdAt"
      from saved_views v where v.user_id = ${actor.id}::uuid and ${later} ${order}`;
  },
  notifications: (actor, last) => {
    const { later, order } = after(last, "n");
    return db.$queryRaw<Placed[]>`
      select n.id, n.kind, n.event_id as "eventId", n.incident_id as "incidentId", n.created_at as "createdAt",
        n.read_at as "readAt"
      from notifications n where n.user_id = ${actor.id}::uuid and ${later} ${order}`;
  },
};

/** What one wrote on other people's reports; notes of a team only while one is of that team. */
function readWritten(
  actor: Actor,
  last: Placed | undefined,
  table: "reporter_messages" | "team_notes",
): Promise<Placed[]> {
  const { later, order } = after(last, "m");
  return db.$queryRaw<Placed[]>`
    select m.id, m.incident_id as "incidentId", i.event_id as "eventId", m.body, m.created_at as "createdAt",
      m.updated_at as "updatedAt"
    from ${Prisma.raw(table)} m join incidents i on i.id = m.incident_id
    where m.author_id = ${actor.id}::uuid and i.reporter_id is distinct from ${actor.id}::uuid
      and i.event_id <> all(${withheldEvents(actor)}::uuid[]) and ${table === "team_notes" ? onTeam(actor) : Prisma.sql`true`}
      and ${later} ${order}`;
}

function onTeam(actor: Actor): Prisma.Sql {
  const visibility = incidentsVisibleTo(actor);
  return visibility.everything ? Prisma.sql`true` : Prisma.sql`i.event_id = any(${visibility.all}::uuid[])`;
}

type ReportRow = Placed & { eventId: string; visible: boolean; course: object };
type Word = { incidentId: string; own: boolean; body: string; createdAt: Date };
type FileRow = { incidentId: string; file: object };

/**
 * One's own reports, as one wrote them; where they are still one's own to see, with what became of them and what the
 * team wrote back.
 */
async function readReports(actor: Actor, last: Placed | undefined): Promise<Placed[]> {
  const { later, order } = after(last, "i");
  const rows = await db.$queryRaw<ReportRow[]>`
    select i.id, i.event_id as "eventId", ${seen(actor)} as visible, i.title, i.description, i.type, i.location, i.parties,
      i.incident_at as "incidentAt", i.contact_method::text as "contactMethod", i.created_at as "createdAt",
      json_build_object('state', i.state, 'severity', i.severity, 'resolution', case when not i.resolution_internal then i.resolution end,
        'firstResponseAt', i.first_response_at, 'resolvedAt', i.resolved_at, 'escalatedAt', i.escalated_at,
        'reopenedAt', i.reopened_at) as course
    from incidents i where i.reporter_id = ${actor.id}::uuid and ${later} ${order}`;
  const [words, files] = await Promise.all([wordsOn(actor, rows), filesOn(actor, rows)]);
  return rows.map(({ visible, course, ...row }) => ({
    ...row,
    ...(visible ? course : {}),
    messages: words.get(row.id) ?? [],
    files: files.get(row.id) ?? [],
  }));
}

function seen(actor: Actor): Prisma.Sql {
  const visibility = incidentsVisibleTo(actor);
  if (visibility.everything) return Prisma.sql`true`;
  return Prisma.sql`i.event_id = any(${[...visibility.all, ...visibility.own]}::uuid[])`;
}

async function wordsOn(actor: Actor, rows: ReportRow[]) {
  const visible = rows.filter((row) => row.visible).map(({ id }) => id);
  const words = await db.$queryRaw<Word[]>`
    select incident_id as "incidentId", author_id is not distinct from ${actor.id}::uuid as own, body, created_at as "createdAt"
    from reporter_messages where incident_id = any(${rows.map(({ id }) => id)}::uuid[])
      and (incident_id = any(${visible}::uuid[]) or author_id = ${actor.id}::uuid)
    order by created_at, id`;
  return grouped(words, ({ own, body, createdAt }) => ({ from: own ? "you" : "team", body, createdAt }));
}

/** The files that one sent oneself: their names and sizes, not their bytes. */
async function filesOn(actor: Actor, rows: ReportRow[]) {
  const files = await db.$queryRaw<FileRow[]>`
    select incident_id as "incidentId", json_build_object('id', id, 'filename', filename, 'mimetype', mimetype,
      'size', size, 'sha256', sha256, 'description', description, 'createdAt', created_at) as file
    from related_files where incident_id = any(${rows.map(({ id }) => id)}::uuid[])
      and uploaded_by_id = ${actor.id}::uuid order by created_at, id`;
  return grouped(files, ({ file }) => file);
}

function grouped<Row extends { incidentId: string }>(
  rows: Row[],
  shown: (row: Row) => object,
): Map<string, object[]> {
  const groups = new Map<string, object[]>();
  for (const row of rows) groups.set(row.incidentId, [...(groups.get(row.incidentId) ?? []), shown(row)]);
  return groups;
}
