import clsx from "clsx";
import { Icon } from "#components/ui/icon.tsx";
import { buildButtonClass } from "#components/ui/button.tsx";
import type { IncidentCountsSummary } from "#lib/incidents/inbox-schema.ts";
import { PERSONAL_COUNT_CAP, MAX_EVENTS_WITH_INBOX_COUNTS } from "#lib/incidents/inbox-schema.ts";
import type { Translator } from "#components/i18n/translator.ts";
import { buildHrefWithQueryChanges } from "#lib/design/query.ts";
import { useTranslator } from "#i18n";
import { removeViewAction } from "./actions.ts";
import { InboxViewLink, type InboxViewLinkData, InboxViewLinks } from "./list-links.tsx";
import styles from "./rail.module.css";
import {
  buildStandardViewHref,
  hasExactlyTheseFilters,
  parseSavedViewQuery,
  buildReplacedFiltersHref,
  buildOpenIncidentsOfEventFilters,
  type IncidentListViewParams,
  STANDARD_INBOX_VIEWS,
  type StandardViewName,
} from "./view.ts";

type SavedViewLink = { id: string; name: string; query: string };

type Props = {
  path: string;
  view: IncidentListViewParams;
  summary: IncidentCountsSummary;
  saved: readonly SavedViewLink[];
  /** Path and query of this page, to return to. */
  here: string;
  /** Whether the list covers one event: it then links to the list across events, which links to each event. */
  onlyEvent: boolean;
};

/**
 * The button that opens the sidebar on narrow screens, where the sidebar is a sheet. Placed in the page header, on one
 * line with the sort order.
 */
export function OpenViewSidebarButton() {
  const t = useTranslator("inbox");
  return (
    <button
      type="button"
      popoverTarget="views"
      className={clsx(buildButtonClass("secondary", "min-[56.25rem]:hidden"), styles.button)}
    >
      <Icon as="panel-left" className="rtl:-scale-x-100" />
      {t("views")}
    </button>
  );
}

/** Views with their counts, saved views, and events; a sheet on narrow screens. */
export function InboxViewsSidebar(props: Props) {
  const t = useTranslator("inbox");
  const ui = useTranslator("ui");
  const people = useTranslator("people");
  return (
    <nav id="views" popover="auto" aria-label={t("views")} className={SHEET_CLASS}>
      <button
        type="button"
        popoverTarget="views"
        popoverTargetAction="hide"
        className={clsx(buildButtonClass("quiet", "justify-self-start min-[56.25rem]:hidden"), styles.button)}
      >
        <Icon as="x" />
        {ui("close")}
      </button>
      <ViewLinks {...props} />
      {props.saved.length > 0 && <SavedViews {...props} />}
      {(props.onlyEvent || props.summary.events.length > 1) && <EventLinks {...props} />}
      <a href="/people" className="text-link inline-flex min-h-11 items-center ps-3">
        {people("title")}
      </a>
    </nav>
  );
}

/** A popover on narrow screens; part of the page on wide ones. */
const SHEET_CLASS = clsx(
  "no-print inset-y-0 start-0 m-0 h-dvh max-h-none w-72 max-w-[85vw] content-start gap-5 overflow-y-auto border-e border-line bg-surface p-4 text-ink",
  "grid-cols-[minmax(0,1fr)] open:grid min-[56.25rem]:static min-[56.25rem]:grid min-[56.25rem]:h-auto min-[56.25rem]:w-auto min-[56.25rem]:border-0 min-[56.25rem]:bg-transparent min-[56.25rem]:p-0",
);

function ViewLinks({ path, view, summary }: Props) {
  const t = useTranslator("inbox");
  const counts = readViewCounts(summary);
  return (
    <InboxViewLinks
      places={STANDARD_INBOX_VIEWS.map((standardView) => {
        const { name, filters, key } = standardView;
        return {
          href: buildStandardViewHref(path, view, standardView),
          icon: `view-${name}`,
          label: t(`view.${name}`),
          count:
            CAPPED_COUNT_VIEWS.has(name) && counts[name] >= PERSONAL_COUNT_CAP
              ? t("orMore", { count: PERSONAL_COUNT_CAP - 1 })
              : t("number", { count: counts[name] }),
          ...(hasExactlyTheseFilters(view, filters) && { current: true }),
          goKey: key,
        };
      })}
    />
  );
}

/** Only these views have counts that are capped. */
const CAPPED_COUNT_VIEWS = new Set<StandardViewName>(["needsUs", "mine", "waiting"]);

const readViewCounts = ({ byState, open, openMine, openAwaiting, needsUs }: IncidentCountsSummary) =>
  ({
    needsUs,
    mine: openMine,
    waiting: openAwaiting.reporter,
    open,
    finished: byState.resolved + byState.closed,
  }) satisfies Record<StandardViewName, number>;

function SavedViews({ path, view, saved, here }: Props) {
  const t = useTranslator("inbox");
  return (
    <SidebarSection title={t("saved")}>
      <ul className={styles.places}>
        {saved.map(({ id, name, query }) => (
          <li key={id} className="group/saved flex items-center">
            <InboxViewLink
              href={buildReplacedFiltersHref(
                "/inbox",
                parseSavedViewQuery(query),
                parseSavedViewQuery(query),
              )}
              icon="saved"
              label={name}
              current={path === "/inbox" && hasExactlyTheseFilters(view, parseSavedViewQuery(query))}
            />
            <form action={removeViewAction}>
              <input type="hidden" name="viewId" value={id} />
              <input type="hidden" name="path" value={here} />
              <button
                type="submit"
                aria-label={t("removeView", { name })}
                title={t("removeView", { name })}
                className={buildButtonClass("quiet", "w-11 px-0 !text-muted")}
              >
                <Icon as="x" />
              </button>
            </form>
          </li>
        ))}
      </ul>
    </SidebarSection>
  );
}

/** Number of events listed; the filter has all of them. */
const MAX_NAMED_EVENTS = 12;

function EventLinks(props: Props) {
  const t = useTranslator("inbox");
  const everything: InboxViewLinkData = {
    href: "/inbox",
    icon: "event",
    label: t("allEvents"),
  };
  return (
    <SidebarSection title={t("events")}>
      <InboxViewLinks places={props.onlyEvent ? [everything] : buildEventLinks(props, t)} />
    </SidebarSection>
  );
}

/**
 * The first events by name, including the current one, and a link to the others. Each links to its open
 * incidents, which is what its number counts.
 */
function buildEventLinks(
  { path, view, summary: { events } }: Props,
  t: Translator<"inbox">,
): InboxViewLinkData[] {
  const isCurrent = ({ slug }: { slug: string }) =>
    hasExactlyTheseFilters(view, buildOpenIncidentsOfEventFilters(slug)) ||
    hasExactlyTheseFilters(view, { event: slug });
  const current = events.findIndex(isCurrent);
  const isShortened = events.length > MAX_NAMED_EVENTS + 1;
  const namedEvents = isShortened
    ? events.filter((_, at) => at < MAX_NAMED_EVENTS || at === current)
    : events;
  const places = namedEvents.map(({ name, slug, open }): InboxViewLinkData => ({
    href: buildReplacedFiltersHref(path, view, buildOpenIncidentsOfEventFilters(slug)),
    icon: "event",
    label: name,
    count: t("number", { count: open }),
    ...(isCurrent({ slug }) && { current: true }),
  }));
  return isShortened ? [...places, buildAllEventsLink({ path, view, events: events.length }, t)] : places;
}

function buildAllEventsLink(
  { path, view, events }: { path: string; view: IncidentListViewParams; events: number },
  t: Translator<"inbox">,
): InboxViewLinkData {
  return {
    href: buildHrefWithQueryChanges(path, view, { page: null, choose: "event" }),
    icon: "open",
    label: events < MAX_EVENTS_WITH_INBOX_COUNTS ? t("everyEvent", { count: events }) : t("moreEvents"),
    choose: "event",
  };
}

function SidebarSection({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <h2 className="px-3 text-sm font-[550] text-muted">{title}</h2>
      {children}
    </section>
  );
}
