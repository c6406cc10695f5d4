import { hasSameName } from "#lib/design/match-key.ts";
import type { Prisma } from "#lib/generated/prisma/client.ts";
import {
  listIncidentFieldsAcrossEventsAsJson,
  listEventIncidentFieldsAsJson,
  type IncidentListPageJson,
} from "#lib/incidents/list-queries.ts";
import { inboxRowJsonSql } from "#lib/incidents/json-sql.ts";
import type { ParsedIncidentsAcrossEventsQuery, IncidentListQuery } from "#lib/incidents/list-schema.ts";
import { hasTeamAccessToEvent, type Actor } from "#lib/operation/policy.ts";
import { listTeamsOfEvents } from "#lib/incidents/people-queries.ts";
import type { InboxRow } from "#lib/incidents/inbox-schema.ts";
import { findSearchPlaces } from "#lib/incidents/search-queries.ts";
import { isUnreadSql } from "#lib/incidents/unread-sql.ts";

/** The inbox list: fetches each incident's row and markers in one statement, and the teams for namesakes in another. */

type InboxRowsWithTotal = { rows: InboxRow[]; total: number };

export const listInboxRowsAcrossEvents = async (
  actor: Actor,
  query: ParsedIncidentsAcrossEventsQuery,
): Promise<InboxRowsWithTotal> =>
  toShownRows(actor, query, await listIncidentFieldsAcrossEventsAsJson(actor, query, inboxRowSql(actor)));

export const listEventInboxRows = async (
  actor: Actor,
  eventId: string,
  query: IncidentListQuery,
): Promise<InboxRowsWithTotal> =>
  toShownRows(
    actor,
    query,
    await listEventIncidentFieldsAsJson(actor, { ...query, eventId }, inboxRowSql(actor)),
  );

/** The database's row; what is for the team only is removed for anybody else. */
type UnredactedRow = Omit<InboxRow, "files" | "reporter" | "foundIn"> & {
  files: { all: number; shown: number };
  reporter: Omit<NonNullable<InboxRow["reporter"]>, "namesake"> | null;
};

async function toShownRows(
  actor: Actor,
  { search = "" }: Pick<IncidentListQuery, "search">,
  { records, total }: IncidentListPageJson,
): Promise<InboxRowsWithTotal> {
  const unredactedRows = JSON.parse(`[${records}]`) as UnredactedRow[];
  const isOnTeam = ({ eventId }: UnredactedRow) => hasTeamAccessToEvent(actor, eventId);
  const ids = unredactedRows.map(({ id }) => id);
  const [findNamesake, findPlaces] = await Promise.all([
    createNamesakeLookup(unredactedRows.filter(isOnTeam)),
    findSearchPlaces(actor, ids, search),
  ]);
  const rows = unredactedRows.map(({ files, reporter, ...row }) => ({
    ...row,
    foundIn: findPlaces(row.id),
    reporter: reporter && { ...reporter, namesake: findNamesake(row.eventId, reporter) },
    ...(hasTeamAccessToEvent(actor, row.eventId)
      ? { files: files.all }
      : { files: files.shown, unread: false, due: null, awaiting: null, hiddenFrom: [] }),
  }));
  return { rows, total };
}

type NamesakeLookup = (eventId: string, person: { id: string; name: string }) => string | null;

/** Creates a function that finds somebody else with a person's name on the team of an event, if these rows are of it. */
async function createNamesakeLookup(rows: readonly UnredactedRow[]): Promise<NamesakeLookup> {
  const eventIds = new Set(rows.filter(({ reporter }) => reporter).map(({ eventId }) => eventId));
  const people = eventIds.size > 0 ? await listTeamsOfEvents([...eventIds]) : [];
  return (eventId, { id, name }) =>
    people.find((member) => member.eventId === eventId && member.id !== id && hasSameName(member.name, name))
      ?.name ?? null;
}

const inboxRowSql = (actor: Actor): Prisma.Sql =>
  inboxRowJsonSql({ readerId: actor.id, isUnread: isUnreadSql(actor.id) });
