import type { ReactNode } from "react";
import { PageLinkPerEvent } from "#components/event/event-page-links.tsx";
import { buildButtonClass, LinkButton } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { FilterBar, FilterSearchField, FilterSelectField } from "#components/ui/filter-bar.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { PaginationNav } from "#components/ui/pagination.tsx";
import { buildHrefWithQueryChanges, type SearchParams, readSingleSearchParam } from "#lib/design/query.ts";
import { type Incident, INCIDENT_STATES } from "#lib/incidents/schema.ts";
import { useTranslator } from "#i18n";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import type { QuickExitTarget } from "#components/event/event-data.ts";
import { OwnIncidentList } from "./incident-list.tsx";
import { QuickExit } from "./quick-exit.tsx";

type Props = {
  path: string;
  query: SearchParams;
  incidents: readonly Incident[];
  /** Ids of the reports that the current user pinned. */
  pinned: readonly string[];
  pagination: { page: number; total: number; totalPages: number };
  now: Date;
  /** Events where the current user can report. */
  events: readonly { name: string; slug: string }[];
  exit: QuickExitTarget;
  /** Header of an event's page, in place of the default header. */
  head?: (parts: { title: string; meta: ReactNode }) => ReactNode;
};

/** A person's own reports and their status. */
export function OwnReportsPage({
  path,
  query,
  incidents,
  pinned,
  pagination,
  now,
  events,
  exit,
  head,
}: Props) {
  const t = useTranslator("mine");
  const tIncident = useTranslator("incident");
  const showsList = pagination.total > 0 || hasFilters(query);
  const meta = showsList && <p>{tIncident("reports", { count: pagination.total })}</p>;
  return (
    <ReporterPageLayout exit={exit}>
      {head?.({ title: t("title"), meta }) ?? (
        <PageHeader title={t("title")} meta={meta} actions={<ReportFormLinkPerEvent events={events} />} />
      )}
      {showsList && <OwnReportsFilterBar path={path} query={query} />}
      {incidents.length > 0 ? (
        <OwnIncidentList incidents={incidents} pinned={pinned} now={now} withEvent={head === undefined} />
      ) : (
        <OwnReportsEmptyState path={path} query={query} total={pagination.total} events={events} />
      )}
      <PaginationNav path={path} query={query} page={pagination.page} pages={pagination.totalPages} />
    </ReporterPageLayout>
  );
}

/** Links to the report form: of the only event, or of each of several. */
export function ReportFormLinkPerEvent({ events }: Pick<Props, "events">) {
  const t = useTranslator("mine");
  return (
    <PageLinkPerEvent
      events={events}
      page="report"
      icon="megaphone"
      label={t("report")}
      listLabel={t("reportWhere")}
    />
  );
}

/** A reporter's page with its quick exit; the page narrows to leave room for it. */
export function ReporterPageLayout({ exit, children }: { exit: QuickExitTarget; children: ReactNode }) {
  return (
    <>
      <ClientMessagesProvider of={["quickExit"]}>
        <QuickExit {...exit} belowBar />
      </ClientMessagesProvider>
      <div className="mx-auto grid w-full max-w-3xl grid-cols-1 gap-5 pb-28 xl:pb-0">{children}</div>
    </>
  );
}

const hasFilters = ({ search, status }: SearchParams) => Boolean(search ?? status);

function OwnReportsFilterBar({ path, query }: Pick<Props, "path" | "query">) {
  const t = useTranslator("mine");
  const tIncident = useTranslator("incident");
  const search = readSingleSearchParam(query, "search");
  const hrefWithout = (name: string) => buildHrefWithQueryChanges(path, query, { [name]: null, page: null });
  const state = INCIDENT_STATES.find((one) => one === query.status);
  return (
    <div className="flex flex-wrap items-end justify-between gap-3">
      <div className="min-w-0 grow">
        <FilterBar
          action={path}
          label={t("filter")}
          keep={{ order: readSingleSearchParam(query, "order") }}
          applied={[
            ...(search ? [{ label: t("searchText", { text: search }), href: hrefWithout("search") }] : []),
            ...(state
              ? [{ label: t("stateIs", { state: tIncident(`state.${state}`) }), href: hrefWithout("status") }]
              : []),
          ]}
          clearHref={path}
        >
          <FilterSearchField label={t("search")} value={search} />
          <FilterSelectField
            name="status"
            label={tIncident("field.state")}
            any={t("anyState")}
            options={INCIDENT_STATES.map((value) => ({ value, label: tIncident(`state.${value}`) }))}
            value={state}
          />
        </FilterBar>
      </div>
      <OrderLink path={path} query={query} />
    </div>
  );
}

/** Reverses the sort order. */
function OrderLink({ path, query }: Pick<Props, "path" | "query">) {
  const t = useTranslator("mine");
  const oldest = query.order === "asc";
  return (
    <Link
      href={buildHrefWithQueryChanges(path, query, { order: oldest ? null : "asc", page: null })}
      className={buildButtonClass("secondary")}
    >
      <Icon as="arrow-down-up" /> {t(oldest ? "newest" : "oldest")}
    </Link>
  );
}

type EmptyProps = Pick<Props, "path" | "query" | "events"> & { total: number };

function OwnReportsEmptyState({ path, query, total, events }: EmptyProps) {
  const t = useTranslator("mine");
  if (total > 0)
    return (
      <EmptyState
        title={t("pastEnd")}
        actions={
          <LinkButton href={buildHrefWithQueryChanges(path, query, { page: null })}>
            {t("firstPage")}
          </LinkButton>
        }
      />
    );
  if (hasFilters(query))
    return (
      <EmptyState title={t("noMatch")} actions={<LinkButton href={path}>{t("clear")}</LinkButton>}>
        <p>{t("noMatchHint")}</p>
      </EmptyState>
    );
  return (
    <EmptyState
      icon="inbox"
      title={t("none")}
      actions={events.slice(0, 3).map(({ name, slug }) => (
        <LinkButton key={slug} href={`/e/${slug}`}>
          {t("pageOf", { name })}
        </LinkButton>
      ))}
    >
      <p>{t("noneHint")}</p>
    </EmptyState>
  );
}
