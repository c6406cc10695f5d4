import { useLocale, useTranslator } from "#i18n";
import { Badge } from "#components/ui/badge.tsx";
import { Card } from "#components/ui/card.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { type TableColumn, Table } from "#components/ui/table.tsx";
import { formatCalendarDate } from "#lib/design/time.ts";
import { toEventFirstAndLastDay } from "#lib/events/event-days.ts";

type EventSummary = {
  id: string;
  name: string;
  slug: string;
  isActive: boolean;
  startDate: string | null;
  endDate: string | null;
  timeZone: string | null;
};

type EventCounts = {
  id: string;
  reportCount: number;
  openCount: number;
  submittedCount: number;
  teamSize: number;
};

export type EventSummaryWithCounts = EventSummary & EventCounts;

/** Joins the listed events with their figures from the summary; omits events that aren't in both. */
export function joinEventsWithCounts(
  events: readonly EventSummary[],
  summary: readonly EventCounts[],
): EventSummaryWithCounts[] {
  const numbers = new Map(summary.map((event) => [event.id, event]));
  return events.flatMap((event) => {
    const eventCounts = numbers.get(event.id);
    return eventCounts ? [{ ...event, ...eventCounts }] : [];
  });
}

/** How the table is sorted: `of` returns the link that sorts by a column, and the column's current direction. */
export type EventTableSorting = {
  of: (sort: "name" | "startDate" | "reports") => TableColumn<EventSummaryWithCounts>["sort"];
};

type Props = {
  rows: readonly EventSummaryWithCounts[];
  /**
   * Whether this person may open the incidents of an event, by id; a role in the organization alone doesn't
   * allow it.
   */
  opens: (eventId: string) => boolean;
  sorting?: EventTableSorting;
};

/** Events with their figures. */
export function EventTable({ rows, opens, sorting }: Props) {
  const t = useTranslator("organization");
  return (
    <Card padded={false}>
      <Table
        caption={t("eventsCaption")}
        rows={rows}
        rowKey={({ id }) => id}
        columns={useColumns(opens, sorting)}
      />
    </Card>
  );
}

function useColumns(
  opens: Props["opens"],
  sorting: EventTableSorting | undefined,
): TableColumn<EventSummaryWithCounts>[] {
  const t = useTranslator("organization");
  const days = useDateRangeFormatter();
  return [
    {
      key: "name",
      header: t("event"),
      rowHeader: true,
      sort: sorting?.of("name"),
      cell: (event) => <EventLink {...event} />,
    },
    { key: "dates", header: t("when"), sort: sorting?.of("startDate"), cell: days },
    {
      key: "state",
      header: t("state"),
      cell: (event) => <EventStatusBadge {...event} />,
    },
    {
      key: "reports",
      header: t("reports"),
      align: "end",
      sort: sorting?.of("reports"),
      cell: (event) => <ReportCountCell event={event} open={opens(event.id)} />,
    },
    ...useCountColumns(),
  ];
}

/** The columns that show a number and nothing else. */
function useCountColumns(): TableColumn<EventSummaryWithCounts>[] {
  const t = useTranslator("organization");
  return [
    {
      key: "open",
      header: t("open"),
      align: "end",
      cell: ({ openCount }) => t("count", { count: openCount }),
    },
    {
      key: "waiting",
      header: t("waiting"),
      align: "end",
      cell: ({ submittedCount }) => t("count", { count: submittedCount }),
    },
    { key: "team", header: t("team"), align: "end", cell: ({ teamSize }) => t("count", { count: teamSize }) },
  ];
}

function EventLink({ name, slug }: EventSummaryWithCounts) {
  return (
    <TextLink href={`/e/${slug}`} className="min-w-32 wrap-anywhere">
      {name}
    </TextLink>
  );
}

function EventStatusBadge({ isActive }: EventSummaryWithCounts) {
  const t = useTranslator("organization");
  return isActive ? <Badge tone="positive">{t("event.active")}</Badge> : <Badge>{t("event.over")}</Badge>;
}

function ReportCountCell({ event, open }: { event: EventSummaryWithCounts; open: boolean }) {
  const t = useTranslator("organization");
  const reportCountText = t("count", { count: event.reportCount });
  if (!open) return reportCountText;
  return (
    <TextLink
      href={`/e/${event.slug}/incidents`}
      aria-label={t("reportsOf", { count: event.reportCount, event: event.name })}
      className="-my-2.5 inline-block min-w-11 py-2.5"
    >
      {reportCountText}
    </TextLink>
  );
}

/** Formats the days of an event in its own zone. */
function useDateRangeFormatter(): (event: EventSummaryWithCounts) => string {
  const t = useTranslator("organization");
  const locale = useLocale();
  return (event) => {
    const { first, last } = toEventFirstAndLastDay(event);
    const [start, end] = [first, last].map((day) => day && formatCalendarDate(day, locale));
    if (start && end) return start === end ? start : t("days.both", { start, end });
    if (start) return t("days.from", { start });
    return end ? t("days.until", { end }) : t("days.none");
  };
}
