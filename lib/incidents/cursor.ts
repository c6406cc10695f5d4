import { createHash } from "node:crypto";
import { sealText, tryUnsealText } from "#lib/crypto/sealed-text.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import type { IncidentListPageCursorSql } from "#lib/incidents/list-sql.ts";
import type { IncidentListQuery } from "#lib/incidents/list-schema.ts";
import { afterSortKeysSql, buildIncidentSortKeysSql } from "#lib/incidents/sort-keys-sql.ts";
import { InvalidInputError } from "#lib/operation/errors.ts";
import { buildPaginationFromTotal } from "#lib/operation/fields.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import type { Actor } from "#lib/operation/policy.ts";

/**
 * Cursors of lists of incidents (contract 3.17). A cursor is the position of the last incident that was shown, sealed
 * for its reader and for the list with its filters, so it reveals nothing and works nowhere else.
 */

type CursorOwner = {
  actor: Actor;
  call: OperationCall;
  /** Which list it is: of an event, of a person in it, or across events. */
  list: string;
};

/** How many incidents were shown up to here, and the sort keys of the last one. */
type Cursor = { seen: number; keys: string[] };

type CursorListQuery = IncidentListQuery & { cursor?: string | undefined };

type IncidentListQueryWithPaginator<Query> = {
  /** The query with the position that its cursor names. */
  query: Query & IncidentListPageCursorSql;
  /** Describes the page that was found, and gives the call the cursor of the next one. */
  paginate: (found: {
    total: number;
    lastKeys?: string[] | null;
  }) => ReturnType<typeof buildPaginationFromTotal>;
};

/**
 * Reads the position at which a list page begins. A request with `page` continues by page numbers, any other by cursor.
 * @throws InvalidInputError for a cursor of another reader or list, and for a cursor together with `page`
 */
export function parseIncidentListQueryWithPaginator<Query extends CursorListQuery>(
  owner: CursorOwner,
  input: Query,
): IncidentListQueryWithPaginator<Query> {
  const { cursor, ...query } = input;
  const byNumber = isPageGiven(owner.call);
  if (cursor !== undefined && byNumber)
    throw new InvalidInputError({ cursor: createFieldProblem("cursorWithPage") });
  const start = cursor === undefined ? undefined : openCursor(owner, query, cursor);
  const lookahead = owner.call.request !== null && !byNumber ? (true as const) : undefined;
  const after = start && afterSortKeysSql(buildIncidentSortKeysSql(query), start.keys);
  const { limit } = query;
  const page = start ? Math.floor(start.seen / limit) + 1 : query.page;
  return {
    query: { ...input, page: start ? 1 : query.page, after, lookahead },
    paginate: ({ total, lastKeys }) => {
      if (lookahead)
        owner.call.nextCursor = lastKeys
          ? sealCursor(owner, query, { seen: (start?.seen ?? 0) + limit, keys: lastKeys })
          : null;
      return buildPaginationFromTotal({ page, limit }, total);
    },
  };
}

const isPageGiven = ({ request }: OperationCall): boolean =>
  request !== null && new URL(request.url).searchParams.has("page");

const PURPOSE = "incident cursor";

const sealCursor = (owner: CursorOwner, query: IncidentListQuery, cursor: Cursor): string =>
  Buffer.from(sealText(PURPOSE, JSON.stringify([hashList(owner, query), cursor]))).toString("base64url");

function openCursor(owner: CursorOwner, query: IncidentListQuery, text: string): Cursor {
  const sealed = tryUnsealText(PURPOSE, Buffer.from(text, "base64url"));
  const [list, cursor] = JSON.parse(sealed ?? "[]") as [string, Cursor] | [];
  if (cursor && list === hashList(owner, query)) return cursor;
  throw new InvalidInputError({ cursor: createFieldProblem("unknownCursor") });
}

/**
 * Names what a cursor belongs to: its reader, and the list with its filters and order. The size of the page isn't part of
 * it, so it may differ from one page to the next.
 */
function hashList({ actor, list }: CursorOwner, query: IncidentListQuery): string {
  const { page: _page, limit: _limit, ...filters } = query;
  const named = Object.entries(filters).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([actor.id, list, named]))
    .digest("base64url");
}
