import { Inbox as InboxIcon } from "lucide-react";
import type { ReactNode } from "react";
import { LinkButton } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { ClientWords } from "#components/words/client-words.tsx";
import { hrefWith, type Query } from "#lib/design/query.ts";
import { SEVERITIES, STATES } from "#lib/incidents/schema.ts";
import { isTeam, type Actor } from "#lib/operation/policy.ts";
import { type DeskRow, MOST_EVENTS, type Summary } from "#lib/triage/schema.ts";
import { useWords } from "#words";
import { Bar } from "./bar.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import { Control } from "./control.tsx";
import { Fresh } from "./fresh.tsx";
import { failuresIn, Outcome } from "./outcome.tsx";
import type { Preferences } from "./preferences.ts";
import { Rail } from "./rail.tsx";
import { useRowLines } from "./row-facts.ts";
import { Rows } from "./rows.tsx";
import { isFiltered, listAddress, only, queryOf, valuesIn, type View } from "./view.ts";

type DeskProps = {
  path: string;
  view: View;
  query: Query;
  actor: Actor;
  /** Says, unreadable to others, for whom the page was made (`formTicket`). */
  ticket: string;
  summary: Summary;
  saved: readonly { id: string; name: string; query: string }[];
  rows: readonly DeskRow[];
  pinned: readonly DeskRow[];
  pagination: { page: number; totalPages: number; total: number };
  preferences: Preferences;
  now: Date;
  /** The one event whose list it is; null where it holds several. */
  event: { id: string; slug: string } | null;
  /** To whom reports can be given, where the list is of one event. */
  people: readonly { id: string; name: string }[];
  /** The path and query of this page, to come back to. */
  here: string;
  /** What the page says where there is no report at all. */
  empty: ReactNode;
};

/** The desk of a response team: views beside the list, filters over it, and what can be done to its rows. */
export function Desk(props: DeskProps) {
  const { path, view, actor, summary, saved, preferences, event, here, rows } = props;
  const matching = queryOf(view);
  return (
    <div
      id="desk-area"
      className="grid gap-x-6 gap-y-4 min-[56.25rem]:grid-cols-[13.75rem_minmax(0,1fr)] min-[56.25rem]:items-start"
    >
      <Rail path={path} view={view} summary={summary} saved={saved} here={here} single={event !== null} />
      <ClientWords of={["inboxClient", "keySheet"]}>
        <div className="group/desk grid min-w-0 gap-3">
          <Bar path={path} view={view} query={props.query} summary={summary} single={event !== null} />
          <Fresh eventIds={event ? [event.id] : null} />
          <Outcome
            path={path}
            ticket={props.ticket}
            view={matching}
            event={event?.slug ?? null}
            query={props.query}
            incidents={rows}
          />
          <Lists {...props} />
          <div className="no-print sticky bottom-2 z-20 grid grid-cols-[minmax(0,1fr)] gap-2">
            <Control actorId={actor.id} keys={preferences.keys} here={here} vocabulary={useVocabulary()} />
            <BulkBar
              path={path}
              ticket={props.ticket}
              query={matching}
              event={event?.slug ?? null}
              total={props.pagination.total}
              shown={rows.length}
              people={props.people.filter(({ id }) => id !== actor.id)}
            />
          </div>
        </div>
      </ClientWords>
    </div>
  );
}

/** The words of the vocabulary that dialogs choose from. */
function useVocabulary() {
  const t = useWords("incident");
  return {
    states: STATES.map((value) => ({ value, label: t(`state.${value}`) })),
    severities: [
      ...SEVERITIES.toReversed().map((value) => ({ value, label: t(`severity.${value}`) })),
      { value: "" as const, label: t("severity.none") },
    ],
  };
}

function Lists({ rows, pinned, pagination, preferences, query, ...props }: DeskProps) {
  const t = useWords("inbox");
  const { actor, event, now, path, view } = props;
  const top = new Set(pinned.map(({ id }) => id));
  const rest = rows.filter(({ id }) => !top.has(id));
  const of = {
    now,
    withEvent: event === null,
    onTeam: (eventId: string) => isTeam(actor, eventId),
    ticked: new Set(failuresIn(query).map(({ id }) => id)),
  };
  const lines = { pinned: useRowLines(pinned, of), rest: useRowLines(rest, of) };
  const shown = {
    compact: preferences.compact,
    from: `?list=${encodeURIComponent(listAddress(path, view))}`,
  };
  if (rows.length === 0) return <Nothing {...props} query={query} total={pagination.total} />;
  return (
    <>
      {pinned.length > 0 && (
        <section className="grid gap-1.5">
          <h2 className="text-sm font-[550] text-muted">{t("pinnedList")}</h2>
          <Rows {...shown} label={t("pinnedList")} rows={lines.pinned} />
        </section>
      )}
      {rest.length > 0 && (
        <section className="grid gap-1.5">
          <h2 className={pinned.length > 0 ? "text-sm font-[550] text-muted" : "sr-only"}>{t("list")}</h2>
          <Rows {...shown} label={t("list")} rows={lines.rest} />
        </section>
      )}
      <Pagination as="a" path={path} query={view} page={pagination.page} pages={pagination.totalPages} />
    </>
  );
}

type NothingProps = Pick<DeskProps, "path" | "view" | "query" | "summary" | "empty"> & { total: number };

function Nothing({ path, view, summary, total, empty }: NothingProps) {
  const t = useWords("inbox");
  if (total > 0)
    return (
      <EmptyState
        title={t("pastEnd")}
        actions={<LinkButton href={hrefWith(path, view, { page: null })}>{t("firstPage")}</LinkButton>}
      />
    );
  if (!isFiltered(view)) return empty;
  const words = nothingOf(view, summary);
  return (
    <EmptyState
      icon={InboxIcon}
      title={t(words)}
      actions={<LinkButton href={only(path, view, {})}>{t("clear")}</LinkButton>}
    >
      <p>{t(`${words}Hint`)}</p>
    </EmptyState>
  );
}

/** An event that one has nothing to do with must not look like one where all is quiet. */
function nothingOf(view: View, { events }: Summary): "noEvent" | "noMatch" | "viewEmpty" {
  const isKnown = (event: string) => events.some(({ id, slug }) => id === event || slug === event);
  if (view.event && events.length < MOST_EVENTS && !valuesIn(view, "event").some(isKnown)) return "noEvent";
  return view.search ? "noMatch" : "viewEmpty";
}
