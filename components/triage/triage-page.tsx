import { Inbox as InboxIcon } from "lucide-react";
import type { ReactNode } from "react";
import { LinkButton } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { ClientMessages } from "#components/i18n/client-messages.tsx";
import { buildHref, type SearchParams } from "#lib/design/query.ts";
import { SEVERITIES, INCIDENT_STATES } from "#lib/incidents/schema.ts";
import { isTeamMember, type Actor } from "#lib/operation/policy.ts";
import { type InboxRow, MAX_SUMMARY_EVENTS, type IncidentSummary } from "#lib/triage/schema.ts";
import { useTranslator } from "#i18n";
import { IncidentFilterBar } from "./bar.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import { TriageController } from "./control.tsx";
import { NewReportsBar } from "./fresh.tsx";
import { parseFailures, BulkOutcomeNotice } from "./outcome.tsx";
import type { ListPreferences } from "./preferences.ts";
import { ViewSidebar } from "./rail.tsx";
import { useSerializedRows } from "./row-facts.ts";
import { IncidentRows } from "./rows.tsx";
import {
  hasIncidentFilters,
  buildReturnListHref,
  buildViewHref,
  formatViewQuery,
  listFilterValues,
  type IncidentListView,
} from "./view.ts";

type TriagePageProps = {
  path: string;
  view: IncidentListView;
  query: SearchParams;
  actor: Actor;
  /** Opaque form of the account that the page was rendered for (`createFormTicket`). */
  ticket: string;
  summary: IncidentSummary;
  saved: readonly { id: string; name: string; query: string }[];
  rows: readonly InboxRow[];
  pinned: readonly InboxRow[];
  pagination: { page: number; totalPages: number; total: number };
  preferences: ListPreferences;
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
      id="desk-area"
      className="grid gap-x-6 gap-y-4 min-[56.25rem]:grid-cols-[13.75rem_minmax(0,1fr)] min-[56.25rem]:items-start"
    >
      <ViewSidebar
        path={path}
        view={view}
        summary={summary}
        saved={saved}
        here={here}
        single={event !== null}
      />
      <ClientMessages of={["inboxClient", "keySheet"]}>
        <div className="group/desk grid min-w-0 gap-3">
          <IncidentFilterBar
            path={path}
            view={view}
            query={props.query}
            summary={summary}
            single={event !== null}
          />
          <NewReportsBar eventIds={event ? [event.id] : null} />
          <BulkOutcomeNotice
            path={path}
            ticket={props.ticket}
            view={formatViewQuery(view)}
            event={event?.slug ?? null}
            query={props.query}
            incidents={props.rows}
          />
          <TriageLists {...props} />
          <TriageActions {...props} />
        </div>
      </ClientMessages>
    </div>
  );
}

/** The actions on rows, over the bottom of the list. */
function TriageActions({ path, view, event, actor, ticket, here, ...props }: TriagePageProps) {
  return (
    <div className="no-print sticky bottom-2 z-20 grid grid-cols-[minmax(0,1fr)] gap-2">
      <TriageController
        actorId={actor.id}
        keys={props.preferences.keys}
        here={here}
        vocabulary={useTriageVocabulary()}
      />
      <BulkBar
        path={path}
        ticket={ticket}
        query={formatViewQuery(view)}
        event={event?.slug ?? null}
        total={props.pagination.total}
        shown={props.rows.length}
        people={props.people.filter(({ id }) => id !== actor.id)}
      />
    </div>
  );
}

/** Values and labels that the dialogs offer. */
function useTriageVocabulary() {
  const t = useTranslator("incident");
  return {
    states: INCIDENT_STATES.map((value) => ({ value, label: t(`state.${value}`) })),
    severities: [
      ...SEVERITIES.toReversed().map((value) => ({ value, label: t(`severity.${value}`) })),
      { value: "" as const, label: t("severity.none") },
    ],
  };
}

function TriageLists({ rows, pinned, pagination, preferences, query, ...props }: TriagePageProps) {
  const t = useTranslator("inbox");
  const { actor, event, now, path, view } = props;
  const top = new Set(pinned.map(({ id }) => id));
  const rest = rows.filter(({ id }) => !top.has(id));
  const of = {
    now,
    withEvent: event === null,
    onTeam: (eventId: string) => isTeamMember(actor, eventId),
    ticked: new Set(parseFailures(query).map(({ id }) => id)),
  };
  const lines = { pinned: useSerializedRows(pinned, of), rest: useSerializedRows(rest, of) };
  const shown = {
    compact: preferences.compact,
    from: `?list=${encodeURIComponent(buildReturnListHref(path, view))}`,
  };
  if (rows.length === 0) return <TriageEmptyState {...props} query={query} total={pagination.total} />;
  return (
    <>
      {pinned.length > 0 && (
        <section className="grid gap-1.5">
          <h2 className="text-sm font-[550] text-muted">{t("pinnedList")}</h2>
          <IncidentRows {...shown} label={t("pinnedList")} rows={lines.pinned} />
        </section>
      )}
      {rest.length > 0 && (
        <section className="grid gap-1.5">
          <h2 className={pinned.length > 0 ? "text-sm font-[550] text-muted" : "sr-only"}>{t("list")}</h2>
          <IncidentRows {...shown} label={t("list")} rows={lines.rest} />
        </section>
      )}
      <Pagination as="a" path={path} query={view} page={pagination.page} pages={pagination.totalPages} />
    </>
  );
}

type EmptyProps = Pick<TriagePageProps, "path" | "view" | "query" | "summary" | "empty"> & { total: number };

function TriageEmptyState({ path, view, summary, total, empty }: EmptyProps) {
  const t = useTranslator("inbox");
  if (total > 0)
    return (
      <EmptyState
        title={t("pastEnd")}
        actions={<LinkButton href={buildHref(path, view, { page: null })}>{t("firstPage")}</LinkButton>}
      />
    );
  if (!hasIncidentFilters(view)) return empty;
  const reason = getEmptyReason(view, summary);
  return (
    <EmptyState
      icon={InboxIcon}
      title={t(reason)}
      actions={<LinkButton href={buildViewHref(path, view, {})}>{t("clear")}</LinkButton>}
    >
      <p>{t(`${reason}Hint`)}</p>
    </EmptyState>
  );
}

/** An event whose incidents the viewer can't read must not look like one without incidents. */
function getEmptyReason(
  view: IncidentListView,
  { events }: IncidentSummary,
): "noEvent" | "noMatch" | "viewEmpty" {
  const isKnown = (event: string) => events.some(({ id, slug }) => id === event || slug === event);
  if (view.event && events.length < MAX_SUMMARY_EVENTS && !listFilterValues(view, "event").some(isKnown))
    return "noEvent";
  return view.search ? "noMatch" : "viewEmpty";
}
