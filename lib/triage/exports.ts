import { csvHeader, csvLines } from "#lib/design/csv.ts";
import { urlOf } from "#lib/analytics/exports.ts";
import { isoTime, type ReportRow } from "#lib/analytics/queries.ts";
import { download, streamed } from "#lib/operation/exports.ts";
import { audit } from "#lib/audit/audit.ts";
import { db, sqlTransaction } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { notFound } from "#lib/operation/errors.ts";
import { recordExport } from "#lib/incidents/access.ts";
import { type Filters, type Place, refsOf } from "#lib/incidents/neighbours.ts";
import { isTeam, rightFor, type Actor } from "#lib/operation/policy.ts";
import type { Sql } from "#lib/database/sql.ts";

type ChosenRow = ReportRow & { eventId: string; organizationId: string };

type Exporter = { actor: Actor; requestId: string };

/**
 * The chosen incidents as CSV, in the columns of the organization's export (contract 10.3), newest first. Each of them must
 * be of an event whose team the actor is on. Every event's audit log and every incident's own log tell of it first.
 * @throws AppError NOT_FOUND when one of them isn't there, or is none of the actor's
 */
export async function exportChosen(by: Exporter, ids: readonly string[]): Promise<Response> {
  const rows = await rowsFor(by.actor, ids);
  if (rows.length < ids.length) throw notFound("One of these incidents");
  return csvFile(csvHeader() + (await handOut(by, rows)));
}

const A_PART = 500;

type Matching = Omit<Filters, "sort" | "order">;

/**
 * All that match, in the events whose team the actor is on, in the same columns; read a part at a time as the client
 * takes them, and each part told in the logs before it leaves.
 */
export const exportMatching = async (by: Exporter, query: Matching): Promise<Response> =>
  csvFile(await streamed(written(by, query)));

async function* written(by: Exporter, query: Matching): AsyncGenerator<string, void> {
  let head = csvHeader();
  for (let after: Place | undefined, complete = false; !complete; head = "") {
    const part = await refsOf(by.actor, { ...query, limit: A_PART }, after);
    const ids = part.refs.map(({ id }) => id);
    yield head + (await handOut(by, await rowsFor(by.actor, ids)));
    const last = part.refs.at(-1);
    after = last && { createdAt: last.createdAt.toISOString(), id: last.id };
    complete = part.complete;
  }
}

const csvFile = (body: BodyInit): Response => download("heed-reports.csv", "text/csv; charset=utf-8", body);

/** Lines for rows that leave, which the logs tell of first. */
async function handOut({ actor, requestId }: Exporter, rows: readonly ChosenRow[]): Promise<string> {
  await sqlTransaction((tx) => tellLogs(tx, { actor, requestId, rows }));
  for (const { right, ids } of byRight(actor, rows)) await recordExport(ids, { actorId: actor.id, right });
  return csvLines(rows, urlOf);
}

const ofIncident = (column: "created_at" | "first_response_at" | "resolved_at") => Prisma.raw(`i.${column}`);

/** Those of the events whose team the actor is on, newest first. */
async function rowsFor(actor: Actor, ids: readonly string[]): Promise<ChosenRow[]> {
  const rows = await rowsOf(ids);
  return rows.filter(({ eventId }) => isTeam(actor, eventId));
}

const rowsOf = (ids: readonly string[]): Promise<ChosenRow[]> => db.$queryRaw<ChosenRow[]>`
  select i.id, i.title, i.state::text as state, i.severity::text as severity, e.name as event, e.slug as "eventSlug",
    u.name as "assignedTo", e.id as "eventId", e.organization_id as "organizationId",
    ${isoTime(ofIncident("created_at"))} as "createdAt", ${isoTime(ofIncident("first_response_at"))} as "firstResponseAt",
    ${isoTime(ofIncident("resolved_at"))} as "resolvedAt"
  from incidents i join events e on e.id = i.event_id left join users u on u.id = i.assigned_responder_id
  where i.id = any(${[...ids]}::uuid[]) order by i.created_at desc, i.id desc`;

type Telling = { actor: Actor; requestId: string; rows: readonly ChosenRow[] };

/** An entry an event, in the order of the chains, so that two exports never wait for one another. */
async function tellLogs(tx: Sql, { actor, requestId, rows }: Telling): Promise<void> {
  const chains = Map.groupBy(rows, ({ organizationId, eventId }) => `${organizationId} ${eventId}`);
  for (const key of [...chains.keys()].toSorted()) {
    const of = chains.get(key) ?? [];
    const [first] = of;
    if (!first) continue;
    await audit(tx, {
      action: "incidents.export",
      organizationId: first.organizationId,
      eventId: first.eventId,
      actorId: actor.id,
      right: rightIn(actor, first.eventId),
      object: { type: "event", id: first.eventId },
      data: { incidentIds: of.map(({ id }) => id) },
      requestId,
    });
  }
}

const rightIn = (actor: Actor, eventId: string) =>
  rightFor(actor, "incident.view", { eventId }) ?? "SystemAdmin";

const byRight = (actor: Actor, rows: readonly ChosenRow[]) =>
  [...Map.groupBy(rows, ({ eventId }) => rightIn(actor, eventId))].map(([right, of]) => ({
    right,
    ids: of.map(({ id }) => id),
  }));
