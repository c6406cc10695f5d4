import { unstable_rethrow } from "next/navigation";
import { formatInboxRow } from "#components/triage/row-data.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { createErrorResponse } from "#lib/http/endpoint.ts";
import {
  getCurrentLocale,
  loadPageDataRefusingBadFilters,
  getActorOrRedirectToSignIn,
} from "#lib/http/page.ts";
import { readQuery } from "#lib/http/query.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { createEventTimeFormatOptionsLookup } from "#lib/design/reader-zone.ts";
import { InvalidInputError, toAppError } from "#lib/operation/errors.ts";
import { hasTeamAccessToEvent } from "#lib/operation/policy.ts";
import { listInbox } from "#lib/triage/operations.ts";
import { MAX_BULK_INCIDENTS } from "#lib/triage/schema.ts";

const HEADERS = { "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store" };

/**
 * Returns the current state of inbox rows that an open page shows, in the reader's language. Rows that the reader may
 * no longer see are missing.
 */
export async function GET(request: Request): Promise<Response> {
  try {
    const actor = await getActorOrRedirectToSignIn();
    const { ids, events } = readQuery(request.url);
    // Without ids the list would answer with its first page.
    if (!ids) throw new InvalidInputError({ ids: createFieldProblem("mustBeIds") });
    const { rows } = await loadPageDataRefusingBadFilters(listInbox, {
      ids,
      limit: String(MAX_BULK_INCIDENTS),
    });
    const translators = {
      incident: await getTranslator("incident"),
      inbox: await getTranslator("inbox"),
      due: await getTranslator("due"),
      timeFormatOf: createEventTimeFormatOptionsLookup(actor, await getCurrentLocale()),
    };
    const context = {
      now: new Date(),
      withEvent: events === "1",
      onTeam: (eventId: string) => hasTeamAccessToEvent(actor, eventId),
    };
    const facts = rows.map((row) => formatInboxRow(row, translators, context));
    return Response.json({ rows: facts }, { headers: HEADERS });
  } catch (error) {
    unstable_rethrow(error);
    return createErrorResponse(toAppError(error, request.headers.get("x-request-id")));
  }
}
