import type { Prisma } from "#lib/generated/prisma/client.ts";
import {
  listIncidentFieldsAcrossEventsAsJson,
  listEventIncidentFieldsAsJson,
  type IncidentListPageJson,
} from "#lib/incidents/list-queries.ts";
import { inboxRowJsonSql } from "#lib/incidents/json-sql.ts";
import type { ParsedIncidentsAcrossEventsQuery, IncidentListQuery } from "#lib/incidents/schema.ts";
import { hasTeamAccessToEvent, type Actor } from "#lib/operation/policy.ts";
import type { InboxRow } from "#lib/triage/schema.ts";
import { isUnreadSql } from "#lib/triage/unread-sql.ts";

/** The inbox list: fetches each incident's row and markers in one statement. */

type InboxRowsWithTotal = { rows: InboxRow[]; total: number };

export const listInboxRowsAcrossEvents = async (
  actor: Actor,
  query: ParsedIncidentsAcrossEventsQuery,
): Promise<InboxRowsWithTotal> =>
  shown(actor, await listIncidentFieldsAcrossEventsAsJson(actor, query, inboxRowSql(actor)));

export const listEventInboxRows = async (
  actor: Actor,
  eventId: string,
  query: IncidentListQuery,
): Promise<InboxRowsWithTotal> =>
  shown(actor, await listEventIncidentFieldsAsJson(actor, { ...query, eventId }, inboxRowSql(actor)));

/** The database's row; what is for the team only is removed for anybody else. */
type UnredactedRow = Omit<InboxRow, "files"> & { files: { all: number; shown: number } };

function shown(actor: Actor, { records, total }: IncidentListPageJson): InboxRowsWithTotal {
  const unredactedRows = JSON.parse(`[${records}]`) as UnredactedRow[];
  const rows = unredactedRows.map(({ files, ...row }) =>
    hasTeamAccessToEvent(actor, row.eventId)
      ? { ...row, files: files.all }
      : { ...row, files: files.shown, unread: false, due: null, awaiting: null, hiddenFrom: [] },
  );
  return { rows, total };
}

const inboxRowSql = (actor: Actor): Prisma.Sql =>
  inboxRowJsonSql({ readerId: actor.id, isUnread: isUnreadSql(actor.id) });
