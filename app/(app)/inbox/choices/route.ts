import { listFilterChips } from "#components/triage/filter-chips.ts";
import { parseIncidentListViewParams } from "#components/triage/view.ts";
import { createCommaJoiner } from "#components/ui/text-joiner.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { getCurrentLocale, loadPageData } from "#lib/http/page.ts";
import { createPageDataHandler } from "#lib/http/page-data.ts";
import { listInboxPeople, summarizeIncidents } from "#lib/incidents/inbox-operations.ts";

/**
 * Returns the choices of each filter above a list, by the filter's name. The query is that of the list; `onlyEvent` is the
 * slug of the one event that it covers.
 */
export const GET = createPageDataHandler(async ({ onlyEvent, ...query }) => {
  const view = parseIncidentListViewParams(query);
  const { assigned, reporter } = view;
  const [summary, people] = await Promise.all([
    loadPageData(summarizeIncidents, {}, { event: onlyEvent }),
    loadPageData(listInboxPeople, {}, { event: onlyEvent, assigned, reporter }),
  ]);
  const translators = {
    inbox: await getTranslator("inbox"),
    inboxClient: await getTranslator("inboxClient"),
    incident: await getTranslator("incident"),
    joinTexts: createCommaJoiner(await getCurrentLocale()),
  };
  const list = { path: "/inbox", view, summary, people, onlyEvent: onlyEvent ?? null };
  return Object.fromEntries(
    listFilterChips(list, translators).map(({ name, listGroups }) => [name, listGroups()]),
  );
});
