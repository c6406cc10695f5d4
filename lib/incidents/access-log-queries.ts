import { z } from "zod";
import type { OperationCall } from "#lib/operation/operation.ts";
import {
  computePageOffset,
  idOutput,
  limitQuery,
  pageNumberQuery,
  Pagination,
  buildPaginationFromTotal,
  timeOutput,
} from "#lib/operation/fields.ts";
import { derivePublicRecordUuid } from "#lib/crypto/record-id.ts";
import { prisma } from "#lib/database/client.ts";
import { ACCESS_KINDS, recordIncidentAccessByOperation } from "#lib/incidents/access.ts";
import { SERVICE_TOKEN_DISPLAY_NAME_PREFIX } from "#lib/operation/token-scope.ts";
import type { IncidentWithoutContentPermissionSubject } from "#lib/incidents/scope.ts";
import { type Actor, hasTeamAccessToEvent } from "#lib/operation/policy.ts";

/**
 * The access log of an incident: the team sees each view, the reporter only how many people read it and on which day
 * last.
 */

/** A person, or a service token: then `token` is true, and `name` is "Token: " and the token's name. */
const Person = z.object({ id: idOutput, name: z.string(), token: z.literal(true).optional() });

export const AccessLogForTeam = z.object({
  /** Newest first. */
  access: z.array(
    z.object({
      id: idOutput,
      kind: z.enum(ACCESS_KINDS),
      /** Null once the account is gone. */
      actor: Person.nullable(),
      /** Why the actor was allowed to view it, in the terms of the audit log. */
      right: z.string(),
      /** Why an original, a hidden incident or one with an unanswered conflict check was opened; otherwise null. */
      reason: z.string().nullable(),
      at: timeOutput,
    }),
  ),
  /** The people who opened the report or one of its files, and how often. Most recent reader first, at most 100. */
  readers: z.array(Person.extend({ lastAt: timeOutput, views: z.int() })),
  pagination: Pagination,
});
type AccessLogForTeam = z.input<typeof AccessLogForTeam>;

export const AccessSummaryForReporter = z.object({
  readBy: z.int(),
  /** A UTC day, deliberately no finer. */
  lastReadOn: z.string().meta({ format: "date" }).nullable(),
});

/**
 * `only=readers` leaves out the single entries. It is part of the incident's page, so it isn't recorded as a view of
 * the log.
 */
export const AccessLogQuery = z.object({
  page: pageNumberQuery,
  limit: limitQuery(50),
  kind: z.enum(ACCESS_KINDS).optional(),
  only: z.enum(["readers"]).optional(),
});
type AccessLogQuery = z.output<typeof AccessLogQuery>;

export const AccessLogOrSummaryForReporter = z.union([AccessLogForTeam, AccessSummaryForReporter]);

type AccessLogReader = IncidentWithoutContentPermissionSubject & {
  actor: Actor;
  right: string;
  call: OperationCall;
};

/** Loads the access log for the team, and records that they viewed it; loads the summary for the reporter. */
export async function loadAccessLogAndRecordView(
  reader: AccessLogReader,
  query: AccessLogQuery,
): Promise<z.input<typeof AccessLogOrSummaryForReporter>> {
  const { actor, eventId, incidentId } = reader;
  if (!hasTeamAccessToEvent(actor, eventId)) return await countReadersAndFindLastReadDay(incidentId);
  if (query.only) {
    await recordIncidentAccessByOperation(reader, { kind: "view" });
    return {
      access: [],
      readers: await listReaders(incidentId),
      pagination: buildPaginationFromTotal(query, 0),
    };
  }
  await recordIncidentAccessByOperation(reader, { kind: "log" });
  const [{ access, total }, readers] = await Promise.all([
    listAccessEntries(incidentId, query),
    listReaders(incidentId),
  ]);
  return { access, readers, pagination: buildPaginationFromTotal(query, total) };
}

async function listAccessEntries(incidentId: string, { page, limit, kind }: AccessLogQuery) {
  const where = { incidentId, ...(kind && { kind }) };
  const [entries, total] = await Promise.all([
    prisma.incidentAccess.findMany({
      where,
      orderBy: [{ at: "desc" }, { id: "desc" }],
      skip: computePageOffset(page, limit),
      take: limit,
      select: { id: true, kind: true, actorId: true, byRight: true, reason: true, at: true },
    }),
    prisma.incidentAccess.count({ where }),
  ]);
  const actors = await findActorsByIds(entries.map(({ actorId }) => actorId));
  const access = entries.map((entry) => ({
    id: derivePublicRecordUuid("access", String(entry.id)),
    kind: entry.kind as (typeof ACCESS_KINDS)[number],
    actor: actors.get(entry.actorId) ?? null,
    right: entry.byRight,
    reason: entry.reason,
    at: entry.at,
  }));
  return { access, total };
}

/** Finds the people and service tokens of these ids that still exist. */
async function findActorsByIds(
  actorIds: (string | null)[],
): Promise<Map<string | null, z.input<typeof Person>>> {
  const ids = new Set(actorIds.filter((id) => id !== null));
  const select = { id: true, name: true } as const;
  const people = await prisma.user.findMany({ where: { id: { in: [...ids] } }, select });
  for (const { id } of people) ids.delete(id);
  const tokens =
    ids.size > 0 ? await prisma.serviceToken.findMany({ where: { id: { in: [...ids] } }, select }) : [];
  const asActors = tokens.map(({ id, name }) => ({
    id,
    name: SERVICE_TOKEN_DISPLAY_NAME_PREFIX + name,
    token: true as const,
  }));
  return new Map([...people, ...asActors].map((actor) => [actor.id, actor]));
}

/**
 * Counts how often each actor read an incident, and when last. Opening the report, a list with its texts, a file or a file's
 * original counts as reading; exporting it or viewing this log doesn't.
 */
const countReadingsByActor = (incidentId: string) =>
  prisma.incidentAccess.groupBy({
    by: ["actorId"],
    where: { incidentId, kind: { in: ["view", "list", "file", "original"] } },
    _count: { _all: true },
    _max: { at: true },
    orderBy: [{ _max: { at: "desc" } }, { actorId: "asc" }],
  });

const MAX_LISTED_READERS = 100;

async function listReaders(incidentId: string): Promise<AccessLogForTeam["readers"]> {
  const readings = await countReadingsByActor(incidentId);
  const actors = await findActorsByIds(readings.map(({ actorId }) => actorId));
  const readers = readings.flatMap(({ actorId, _count, _max }) => {
    const actor = actors.get(actorId);
    return actor && _max.at ? { ...actor, lastAt: _max.at, views: _count._all } : [];
  });
  return readers.slice(0, MAX_LISTED_READERS);
}

/**
 * Counts the people, not programs, who have read an incident, and finds the UTC day of the latest reading; deliberately
 * no finer.
 */
export async function countReadersAndFindLastReadDay(
  incidentId: string,
): Promise<z.input<typeof AccessSummaryForReporter>> {
  const [incident, readings] = await Promise.all([
    prisma.incident.findUnique({ where: { id: incidentId }, select: { reporterId: true } }),
    countReadingsByActor(incidentId),
  ]);
  const actors = await findActorsByIds(readings.map(({ actorId }) => actorId));
  const byOthers = readings.filter(
    ({ actorId }) => incident && actorId !== incident.reporterId && !actors.get(actorId)?.token,
  );
  return {
    readBy: byOthers.filter(({ actorId }) => actorId !== null).length,
    lastReadOn: byOthers[0]?._max.at?.toISOString().slice(0, 10) ?? null,
  };
}
