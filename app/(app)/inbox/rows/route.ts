import { formatInboxRow } from "#components/triage/row-data.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import {
  getCurrentLocale,
  loadPageDataRefusingBadFilters,
  getActorOrRedirectToSignIn,
} from "#lib/http/page.ts";
import { createPageDataHandler } from "#lib/http/page-data.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { createEventTimeFormatOptionsLookup } from "#lib/design/reader-zone.ts";
import { InvalidInputError } from "#lib/operation/errors.ts";
import { hasTeamAccessToEvent } from "#lib/operation/policy.ts";
import { listInbox } from "#lib/incidents/inbox-operations.ts";
import { MAX_BULK_INCIDENTS } from "#lib/incidents/inbox-schema.ts";

/**
 * Returns the current state of inbox rows that an open page shows. Rows that the reader may no longer see are missing.
 */
export const GET = createPageDataHandler(async ({ ids, events }) => {
  const actor = await getActorOrRedirectToSignIn();
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
  return { rows: rows.map((row) => formatInboxRow(row, translators, context)) };
});
