import type { z } from "zod";
import { useLocale, useTranslator } from "#i18n";
import { definePage } from "#components/shell/page.tsx";
import { SystemHeader } from "#components/system/system-header.tsx";
import { createSystemPageMetadataLoader } from "#components/system/system-metadata.ts";
import { Badge } from "#components/ui/badge.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { FilterBar, FilterSearchField, FilterSelectField } from "#components/ui/filter-bar.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { PaginationNav } from "#components/ui/pagination.tsx";
import { type TableColumn, Table } from "#components/ui/table.tsx";
import { Time } from "#components/ui/time.tsx";
import { listAllEvents } from "#lib/admin/operations.ts";
import type { AdminEvent } from "#lib/admin/schema.ts";
import { loadPageData } from "#lib/http/page.ts";
import { formatFileSize } from "#lib/design/file-size.ts";
import { type SearchParams, readSingleSearchParam } from "#lib/design/query.ts";

export const generateMetadata = createSystemPageMetadataLoader("events");

const PATH = "/system/events";

/** The events of all organizations, with their figures. */
export default definePage(async function Events({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = await searchParams;
  const { events, pagination } = await loadPageData(listAllEvents, {}, query);
  const t = useTranslator("system");
  const filtered = Boolean(
    readSingleSearchParam(query, "search") || readSingleSearchParam(query, "isActive"),
  );
  return (
    <div className="grid gap-6">
      <SystemHeader current="events" />
      <EventFilters query={query} />
      <p role="status" className="text-muted">
        {t("count", { count: pagination.total })}
      </p>
      {events.length > 0 ? (
        <Card padded={false}>
          <SystemEventTable events={events} />
        </Card>
      ) : (
        <EventsEmptyState filtered={filtered} />
      )}
      <PaginationNav path={PATH} query={query} page={pagination.page} pages={pagination.totalPages} />
    </div>
  );
});

function EventFilters({ query }: { query: Awaited<SearchParams> }) {
  const t = useTranslator("system");
  return (
    <FilterBar action={PATH} label={t("searchEvents")} submitLabel={t("search")}>
      <FilterSearchField label={t("eventName")} value={readSingleSearchParam(query, "search")} />
      <FilterSelectField
        name="isActive"
        label={t("activity")}
        any={t("anyActivity")}
        value={readSingleSearchParam(query, "isActive")}
        options={[
          { value: "true", label: t("active") },
          { value: "false", label: t("inactive") },
        ]}
      />
    </FilterBar>
  );
}

function EventsEmptyState({ filtered }: { filtered: boolean }) {
  const t = useTranslator("system");
  return (
    <EmptyState
      icon="calendar-days"
      title={t(filtered ? "nothingMatches" : "noEvents")}
      actions={filtered && <LinkButton href={PATH}>{t("clear")}</LinkButton>}
    >
      <p>{t(filtered ? "nothingMatchesAbout" : "noEventsAbout")}</p>
    </EmptyState>
  );
}

type Event = z.output<typeof AdminEvent>;

function SystemEventTable({ events }: { events: readonly Event[] }) {
  const t = useTranslator("system");
  const columns = useEventColumns();
  return <Table caption={t("eventsCaption")} rows={events} rowKey={({ id }) => id} columns={columns} />;
}

function useEventColumns(): TableColumn<Event>[] {
  const t = useTranslator("system");
  const locale = useLocale();
  return [
    {
      key: "name",
      header: t("name"),
      rowHeader: true,
      cell: (event) => <EventName event={event} />,
    },
    {
      key: "organization",
      header: t("organization"),
      cell: ({ organization }) => (
        <TextLink href={`/orgs/${organization.slug}`} className="-my-2.5 inline-block py-2.5 wrap-anywhere">
          <bdi>{organization.name}</bdi>
        </TextLink>
      ),
    },
    { key: "people", header: t("people"), align: "end", cell: ({ people }) => people },
    {
      key: "reports",
      header: t("reports"),
      align: "end",
      cell: ({ incidents }) => t("reportsOpen", incidents),
    },
    { key: "bytes", header: t("bytes"), align: "end", cell: ({ bytes }) => formatFileSize(bytes, locale) },
    {
      key: "since",
      header: t("since"),
      align: "end",
      cell: ({ createdAt }) => <Time value={createdAt} show="date" />,
    },
  ];
}

function EventName({ event: { name, slug, isActive } }: { event: Event }) {
  const t = useTranslator("system");
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <TextLink href={`/e/${slug}`} className="wrap-anywhere">
        {name}
      </TextLink>
      {!isActive && <Badge>{t("inactive")}</Badge>}
    </span>
  );
}
