import { unstable_rethrow } from "next/navigation";
import { formatInboxRow } from "#components/triage/row-facts.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { currentLocale, loadPageDataStrict, requireSignIn } from "#lib/http/page.ts";
import { createEventTimeFormat } from "#lib/design/reader-zone.ts";
import { toAppError } from "#lib/operation/errors.ts";
import { isTeamMember } from "#lib/operation/policy.ts";
import { listInbox } from "#lib/triage/operations.ts";
import { MAX_BULK_INCIDENTS } from "#lib/triage/schema.ts";

/**
 * Rows of the inbox that an open page shows already, as they are now, in the reader's language. Rows that the reader may
 * no longer see are missing.
 */
export async function GET(request: Request): Promise<Response> {
  const { searchParams } = new URL(request.url);
  const ids = searchParams.get("ids") ?? "";
  try {
    const actor = await requireSignIn();
    const { rows } = await loadPageDataStrict(listInbox, {}, { ids, limit: String(MAX_BULK_INCIDENTS) });
    const translators = {
      incident: await getTranslator("incident"),
      inbox: await getTranslator("inbox"),
      due: await getTranslator("due"),
      timeFormatOf: createEventTimeFormat(actor, await currentLocale()),
    };
    const context = {
      now: new Date(),
      withEvent: searchParams.get("events") === "1",
      onTeam: (eventId: string) => isTeamMember(actor, eventId),
    };
    const facts = rows.map((row) => formatInboxRow(row, translators, context));
    return Response.json({ rows: facts }, { headers: { "Cache-Control": "no-store" } });
  } catch (error) {
    unstable_rethrow(error);
    const { status } = toAppError(error);
    return new Response(null, { status });
  }
}
