import { downloadResponse, createTextStream } from "#lib/operation/exports.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import { appendAuditEntry } from "#lib/audit/audit.ts";
import { prisma, runTransaction, sql } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { describeDevice } from "#lib/accounts/devices.ts";
import { findOwnAccount } from "#lib/accounts/queries.ts";
import { findIncidentVisibility, type Actor, type Subject } from "#lib/operation/policy.ts";

/**
 * Exports all data about the current user as one JSON file, read in batches as the client consumes it. Includes other
 * people's text only where the person may read it elsewhere: the team's messages on their reports that they can still
 * see. Includes team notes that the person wrote; no hashes of passwords, tokens or codes.
 */
export async function exportCurrentUserData({
  actor,
  right,
  call,
}: OperationContext<Subject, Actor>): Promise<Response> {
  await runTransaction((tx) =>
    appendAuditEntry(tx, {
      action: "account.export",
      actorId: actor.id,
      right,
      object: { type: "user", id: actor.id },
      requestId: call.requestId,
    }),
  );
  const name = `heed-account-${new Date().toISOString().slice(0, 10)}.json`;
  return downloadResponse(
    name,
    "application/json; charset=utf-8",
    await createTextStream(generateExport(actor)),
  );
}

async function* generateExport(actor: Actor): AsyncGenerator<string, void> {
  const head = {
    exportedAt: new Date(),
    account: await findOwnAccount(actor.id),
    ...(await readShortLists(actor.id)),
  };
  yield `${JSON.stringify(head, null, 2).replace(/\n\}$/, "")}`;
  for (const [name, read] of Object.entries(LIST_READERS)) {
    yield `,\n  ${JSON.stringify(name)}: [`;
    yield* generateElements((last) => read(actor, last));
    yield "]";
  }
  yield "\n}\n";
}

type ListedRow = { id: string; createdAt: Date };
const BATCH_SIZE = 200;

async function* generateElements(
  read: (last: ListedRow | undefined) => Promise<ListedRow[]>,
): AsyncGenerator<string, void> {
  let last: ListedRow | undefined;
  for (;;) {
    const rows = await read(last);
    const text = rows.map((row) => `\n    ${JSON.stringify(row)}`).join(",");
    if (text) yield last ? `,${text}` : text;
    if (rows.length < BATCH_SIZE) return;
    last = rows.at(-1);
  }
}

/** Lists that are short enough to read at once. */
async function readShortLists(userId: string) {
  const where = { userId };
  const [organizations, events, sessions, devices, tokens, choices] = await Promise.all([
    prisma.organizationMember.findMany({
      where,
      select: {
        role: true,
        pending: true,
        createdAt: true,
        organization: { select: { id: true, name: true, slug: true } },
      },
    }),
    prisma.eventRole.findMany({
      where,
      select: {
        roleName: true,
        pending: true,
        createdAt: true,
        event: { select: { id: true, name: true, slug: true } },
      },
    }),
    prisma.session.findMany({ where, select: { userAgent: true, createdAt: true, lastUsedAt: true } }),
    prisma.knownDevice.findMany({ where, select: { firstSeenAt: true, lastSeenAt: true } }),
    prisma.apiToken.findMany({
      where,
      select: { name: true, scope: true, eventId: true, expiresAt: true, lastUsedAt: true, createdAt: true },
    }),
    prisma.notificationChoice.findMany({ where, select: { kind: true, inApp: true, mail: true } }),
  ]);
  return {
    organizations,
    events,
    sessions: sessions.map((session) => ({ device: describeDevice(session.userAgent), ...session })),
    devices,
    tokens,
    notificationChoices: choices,
  };
}

type ListReader = (actor: Actor, last: ListedRow | undefined) => Promise<ListedRow[]>;

/** SQL for the next batch of a list in order of time, after its last element so far. */
const keysetSql = (last: ListedRow | undefined, table: "i" | "m" | "n" | "p" | "v") => {
  const [at, id] = [
    Prisma.raw(`${table}.created_at`),
    Prisma.raw(table === "p" ? "p.incident_id" : `${table}.id`),
  ];
  const later = last
    ? Prisma.sql`(${at}, ${id}) > (${last.createdAt}::timestamptz, ${last.id}::uuid)`
    : Prisma.sql`true`;
  return { later, order: Prisma.sql`order by ${at}, ${id} limit ${BATCH_SIZE}::int` };
};

/** Where a role in an event waits for a second factor, the export omits that event's messages and notes until then. */
const withheldEventIds = (actor: Actor) => actor.withheld?.events.map(({ eventId }) => eventId) ?? [];

const LIST_READERS: Record<string, ListReader> = {
  reports: readReports,
  messages: (actor, last) => readAuthored(actor, last, "reporter_messages"),
  notes: (actor, last) => readAuthored(actor, last, "team_notes"),
  pins: (actor, last) => {
    const { later, order } = keysetSql(last, "p");
    return sql.$queryRaw<ListedRow[]>`
      select p.incident_id as id, p.event_id as "eventId", p.created_at as "createdAt"
      from pins p where p.user_id = ${actor.id}::uuid and ${later} ${order}`;
  },
  savedViews: (actor, last) => {
    const { later, order } = keysetSql(last, "v");
    return sql.$queryRaw<ListedRow[]>`
      select v.id, v.name, v.query, v.created_at as "createdAt"
      from saved_views v where v.user_id = ${actor.id}::uuid and ${later} ${order}`;
  },
  notifications: (actor, last) => {
    const { later, order } = keysetSql(last, "n");
    return sql.$queryRaw<ListedRow[]>`
      select n.id, n.kind, n.event_id as "eventId", n.incident_id as "incidentId", n.created_at as "createdAt",
        n.read_at as "readAt"
      from notifications n where n.user_id = ${actor.id}::uuid and ${later} ${order}`;
  },
};

/** Reads what the person wrote on other people's reports; team notes only while they are on that team. */
function readAuthored(
  actor: Actor,
  last: ListedRow | undefined,
  table: "reporter_messages" | "team_notes",
): Promise<ListedRow[]> {
  const { later, order } = keysetSql(last, "m");
  return sql.$queryRaw<ListedRow[]>`
    select m.id, m.incident_id as "incidentId", i.event_id as "eventId", m.body, m.created_at as "createdAt",
      m.updated_at as "updatedAt"
    from ${Prisma.raw(table)} m join incidents i on i.id = m.incident_id
    where m.author_id = ${actor.id}::uuid and i.reporter_id is distinct from ${actor.id}::uuid
      and i.event_id <> all(${withheldEventIds(actor)}::uuid[]) and ${table === "team_notes" ? onTeamSql(actor) : Prisma.sql`true`}
      and ${later} ${order}`;
}

function onTeamSql(actor: Actor): Prisma.Sql {
  const visibility = findIncidentVisibility(actor);
  return visibility.everything ? Prisma.sql`true` : Prisma.sql`i.event_id = any(${visibility.all}::uuid[])`;
}

type ReportRow = ListedRow & { eventId: string; visible: boolean; course: object };
type MessageRow = { incidentId: string; own: boolean; body: string; createdAt: Date };
type FileRow = { incidentId: string; file: object };

/**
 * Reads the person's reports as they wrote them; where they can still see the report, with its outcome and the
 * team's messages.
 */
async function readReports(actor: Actor, last: ListedRow | undefined): Promise<ListedRow[]> {
  const { later, order } = keysetSql(last, "i");
  const rows = await sql.$queryRaw<ReportRow[]>`
    select i.id, i.event_id as "eventId", ${visibleSql(actor)} as visible, i.title, i.description, i.type, i.location, i.parties,
      i.incident_at as "incidentAt", i.contact_method::text as "contactMethod", i.created_at as "createdAt",
      json_build_object('state', i.state, 'severity', i.severity, 'resolution', case when not i.resolution_internal then i.resolution end,
        'firstResponseAt', i.first_response_at, 'resolvedAt', i.resolved_at, 'escalatedAt', i.escalated_at,
        'reopenedAt', i.reopened_at) as course
    from incidents i where i.reporter_id = ${actor.id}::uuid and ${later} ${order}`;
  const [messages, files] = await Promise.all([readMessages(actor, rows), readFiles(actor, rows)]);
  return rows.map(({ visible, course, ...row }) => ({
    ...row,
    ...(visible ? course : {}),
    messages: messages.get(row.id) ?? [],
    files: files.get(row.id) ?? [],
  }));
}

function visibleSql(actor: Actor): Prisma.Sql {
  const visibility = findIncidentVisibility(actor);
  if (visibility.everything) return Prisma.sql`true`;
  return Prisma.sql`i.event_id = any(${[...visibility.all, ...visibility.own]}::uuid[])`;
}

async function readMessages(actor: Actor, rows: ReportRow[]) {
  const visible = rows.filter((row) => row.visible).map(({ id }) => id);
  const messages = await sql.$queryRaw<MessageRow[]>`
    select incident_id as "incidentId", author_id is not distinct from ${actor.id}::uuid as own, body, created_at as "createdAt"
    from reporter_messages where incident_id = any(${rows.map(({ id }) => id)}::uuid[])
      and (incident_id = any(${visible}::uuid[]) or author_id = ${actor.id}::uuid)
    order by created_at, id`;
  return groupByIncident(messages, ({ own, body, createdAt }) => ({
    from: own ? "you" : "team",
    body,
    createdAt,
  }));
}

/** Reads the metadata of the files that the person uploaded, not their contents. */
async function readFiles(actor: Actor, rows: ReportRow[]) {
  const files = await sql.$queryRaw<FileRow[]>`
    select incident_id as "incidentId", json_build_object('id', id, 'filename', filename, 'mimetype', mimetype,
      'size', size, 'sha256', sha256, 'description', description, 'createdAt', created_at) as file
    from related_files where incident_id = any(${rows.map(({ id }) => id)}::uuid[])
      and uploaded_by_id = ${actor.id}::uuid order by created_at, id`;
  return groupByIncident(files, ({ file }) => file);
}

function groupByIncident<Row extends { incidentId: string }>(
  rows: Row[],
  toItem: (row: Row) => object,
): Map<string, object[]> {
  const groups = new Map<string, object[]>();
  for (const row of rows) groups.set(row.incidentId, [...(groups.get(row.incidentId) ?? []), toItem(row)]);
  return groups;
}
