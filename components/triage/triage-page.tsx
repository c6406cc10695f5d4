import type { ReactNode } from "react";
import { buildButtonClass, LinkButton } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { PaginationNav } from "#components/ui/pagination.tsx";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { toColumns } from "#lib/design/columns.ts";
import { buildHrefWithQueryChanges, type SearchParams } from "#lib/design/query.ts";
import type { UnansweredIncident } from "#lib/readers/schema.ts";
import { hasTeamAccessToEvent, type Actor } from "#lib/operation/policy.ts";
import {
  type InboxFilterPeople,
  type InboxRow,
  MAX_EVENTS_WITH_INBOX_COUNTS,
  type IncidentCountsSummary,
} from "#lib/incidents/inbox-schema.ts";
import { useTranslator } from "#i18n";
import type { Translator } from "#components/i18n/translator.ts";
import { UnansweredIncidents } from "./unanswered-incidents.tsx";
import { IncidentFilterBar } from "./incident-filter-bar.tsx";
import { TriageInteractions } from "./triage-interactions.tsx";
import { LiveIncidentListUpdates } from "./live-incident-list-updates.tsx";
import { parseBulkFailuresQuery, BulkActionUrlResultNotice } from "./bulk-result.tsx";
import type { InboxPreferences } from "./preferences.ts";
import { InboxViewsSidebar } from "./view-sidebar.tsx";
import { InboxProvider } from "./inbox-state.tsx";
import { formatInboxRow, useIncidentRowTranslators } from "./row-data.ts";
import { IncidentRows } from "./rows.tsx";
import {
  buildAllStatusesHref,
  buildReplacedFiltersHref,
  formatViewQuery,
  isViewLimitedByStatus,
  listFilterValues,
  type IncidentListViewParams,
} from "./view.ts";

type TriagePageProps = {
  path: string;
  /** The list as the URL names it, for links that keep it. */
  askedView: IncidentListViewParams;
  view: IncidentListViewParams;
  query: SearchParams;
  actor: Actor;
  /** Opaque form of the account that the page was rendered for (`sealWriterIdAsFormTicket`). */
  ticket: string;
  summary: IncidentCountsSummary;
  saved: readonly { id: string; name: string; query: string }[];
  /** Whether the URL has filters; without any, it shows open incidents. */
  isFiltered: boolean;
  /** Whether there is anything to order and filter. */
  hasList: boolean;
  /** How many resolved and closed incidents a search of the open ones would match as well; null elsewhere. */
  finishedMatches: number | null;
  /** The newest incidents that wait for the reader's answer to the conflict check, and how many there are. */
  unanswered: { incidents: readonly UnansweredIncident[]; total: number };
  /** URL of this list, for the page of an incident opened from it. */
  listHref: string;
  filterPeople: InboxFilterPeople;
  rows: readonly InboxRow[];
  pagination: { page: number; totalPages: number; total: number };
  preferences: InboxPreferences;
  now: Date;
  /** The one event that the list covers; null if it spans several. */
  event: { id: string; slug: string } | null;
  /** Possible assignees, if the list covers one event. */
  people: readonly { id: string; name: string }[];
  /** Path and query of this page, to return to. */
  here: string;
  /** Shown if there are no incidents at all. */
  empty: ReactNode;
};

/** The inbox of a response team: views on the side, filters above the list, and actions on its rows. */
export function TriagePage(props: TriagePageProps) {
  const { path, view, summary, saved, event, here } = props;
  return (
    <div
      id="inbox-area"
      className="grid gap-x-6 gap-y-4 min-[56.25rem]:grid-cols-[13.75rem_minmax(0,1fr)] min-[56.25rem]:items-start"
    >
      <InboxViewsSidebar
        path={path}
        view={view}
        summary={summary}
        saved={saved}
        here={here}
        onlyEvent={event !== null}
      />
      <ClientMessagesProvider of={[]}>
        <InboxProvider
          list={here}
          rows={toColumns(useInboxRows(props))}
          ticket={props.ticket}
          tickedIds={parseBulkFailuresQuery(props.query).map(({ id }) => id)}
        >
          <TriageArea {...props} />
        </InboxProvider>
      </ClientMessagesProvider>
    </div>
  );
}

function useInboxRows({ rows, actor, event, now }: TriagePageProps) {
  const translators = useIncidentRowTranslators();
  const onTeam = (eventId: string) => hasTeamAccessToEvent(actor, eventId);
  return rows.map((row) => formatInboxRow(row, translators, { now, withEvent: event === null, onTeam }));
}

/** Filters, the announcement of new incidents, the list, and the actions at the bottom of the screen. */
function TriageArea(props: TriagePageProps) {
  const { path, view, summary, event } = props;
  return (
    <div className="group/inbox grid min-w-0 gap-3">
      <UnansweredIncidents {...props.unanswered} now={props.now} />
      <IncidentFilterBar
        path={path}
        view={view}
        isFiltered={props.isFiltered}
        query={props.query}
        summary={summary}
        people={props.filterPeople}
        onlyEvent={event?.slug ?? null}
      />
      <LiveIncidentListUpdates eventIds={event ? [event.id] : null} />
      <BulkActionUrlResultNotice
        path={path}
        ticket={props.ticket}
        view={formatViewQuery(view)}
        event={event?.slug ?? null}
        query={props.query}
        incidents={props.rows}
      />
      <TriageList {...props} />
      <TriageActions {...props} />
    </div>
  );
}

function TriageActions({ path, view, event, actor, ticket, here, ...props }: TriagePageProps) {
  const t = useTranslator("inbox");
  const { total } = props.pagination;
  const hiddenFields = {
    path,
    ticket,
    view: formatViewQuery(view),
    ...(event && { event: event.slug }),
    total: String(total),
  };
  const others = props.people.filter(({ id }) => id !== actor.id);
  const bulk = {
    preservedParams: Object.entries(hiddenFields),
    people: [
      { value: "me", label: t("me") },
      { value: "", label: t("nobody") },
      ...others.map(({ id, name }) => ({ value: id, label: name })),
    ],
    total,
    shown: props.rows.length,
  };
  return (
    <div className="no-print sticky bottom-2 z-20 grid grid-cols-[minmax(0,1fr)] gap-2">
      <TriageInteractions actorId={actor.id} keys={props.preferences.keys} here={here} bulk={bulk} />
    </div>
  );
}

function TriageList(props: TriagePageProps) {
  const { rows, pagination, preferences, path, view, askedView } = props;
  const t = useTranslator("inbox");
  if (rows.length === 0) return <TriageEmptyState {...props} />;
  return (
    <>
      <section className="grid gap-1.5">
        <h2 className="sr-only">{t("list")}</h2>
        <IncidentRows
          label={t("list")}
          compact={preferences.compact}
          from={`?list=${encodeURIComponent(props.listHref)}`}
        />
      </section>
      <PaginationNav
        as="a"
        path={path}
        query={askedView}
        page={pagination.page}
        pages={pagination.totalPages}
      />
      {isEveryStatusOffered(props) && (
        <a
          href={buildAllStatusesHref(path, view)}
          className={buildButtonClass("quiet", "justify-self-start")}
        >
          {formatEveryStatusLabel(props.finishedMatches, t)}
        </a>
      )}
    </>
  );
}

/** Returns whether a search is offered in every status: it leaves some out, and isn't known to find nothing there. */
const isEveryStatusOffered = ({ view, finishedMatches }: TriagePageProps): boolean =>
  view.search !== undefined && isViewLimitedByStatus(view) && finishedMatches !== 0;

const formatEveryStatusLabel = (finishedMatches: number | null, t: Translator<"inbox">): string =>
  finishedMatches === null ? t("searchEveryStatus") : t("moreFinished", { count: finishedMatches });

function TriageEmptyState(props: TriagePageProps) {
  const { path, view, isFiltered, hasList, summary, pagination, empty } = props;
  const t = useTranslator("inbox");
  if (pagination.total > 0)
    return (
      <EmptyState
        title={t("pastEnd")}
        actions={
          <LinkButton href={buildHrefWithQueryChanges(path, view, { page: null })}>
            {t("firstPage")}
          </LinkButton>
        }
      />
    );
  if (!hasList) return props.unanswered.total > 0 ? null : empty;
  const reason = isFiltered ? getEmptyReason(view, summary) : "nothingOpen";
  const isAllOffered = reason === "nothingOpen" || (reason === "noMatch" && isEveryStatusOffered(props));
  return (
    <EmptyState
      icon="inbox"
      title={t(reason)}
      actions={
        <>
          {isAllOffered && (
            <LinkButton href={buildAllStatusesHref(path, view)}>
              {view.search ? formatEveryStatusLabel(props.finishedMatches, t) : t("everyStatus")}
            </LinkButton>
          )}
          {isFiltered && (
            <LinkButton href={buildReplacedFiltersHref(path, view, {})}>{t("clear")}</LinkButton>
          )}
        </>
      }
    >
      <p>{t(`${reason}Hint`)}</p>
    </EmptyState>
  );
}

/** An event whose incidents the viewer can't read must not look like one without incidents. */
function getEmptyReason(
  view: IncidentListViewParams,
  { events }: IncidentCountsSummary,
): "noEvent" | "noMatch" | "viewEmpty" {
  const isKnown = (event: string) => events.some(({ id, slug }) => id === event || slug === event);
  if (
    view.event &&
    events.length < MAX_EVENTS_WITH_INBOX_COUNTS &&
    !listFilterValues(view, "event").some(isKnown)
  )
    return "noEvent";
  return view.search ? "noMatch" : "viewEmpty";
}
