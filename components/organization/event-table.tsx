import { useLocale, useWords } from "#words";
import { Badge } from "#components/ui/badge.tsx";
import { Card } from "#components/ui/card.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { type Column, Table } from "#components/ui/table.tsx";
import { exactDate } from "#lib/design/time.ts";

type Event = {
  id: string;
  name: string;
  slug: string;
  isActive: boolean;
  startDate: string | null;
  endDate: string | null;
};

type Numbers = {
  id: string;
  reportCount: number;
  openCount: number;
  submittedCount: number;
  teamSize: number;
};

export type ListedEvent = Event & Numbers;

/** Events as the list has them, each with its numbers from the summary; one that isn't in both is left out. */
export function listedEvents(events: readonly Event[], summary: readonly Numbers[]): ListedEvent[] {
  const numbers = new Map(summary.map((event) => [event.id, event]));
  return events.flatMap((event) => {
    const counted = numbers.get(event.id);
    return counted ? [{ ...event, ...counted }] : [];
  });
}

/** Links that sort by a column, and how it is sorted now. */
export type Sorting = { of: (sort: "name" | "startDate" | "reports") => Column<ListedEvent>["sort"] };

type Props = {
  rows: readonly ListedEvent[];
  /** Whether this person may open the list of an event's reports, by its id: a role of the organization opens none. */
  opens: (eventId: string) => boolean;
  sorting?: Sorting;
};

/** Events with their numbers. */
export function EventTable({ rows, opens, sorting }: Props) {
  const t = useWords("organization");
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

function useColumns(opens: Props["opens"], sorting: Sorting | undefined): Column<ListedEvent>[] {
  const t = useWords("organization");
  const days = useDays();
  return [
    {
      key: "name",
      header: t("event"),
      rowHeader: true,
      sort: sorting?.of("name"),
      cell: ({ name, slug }) => (
        <TextLink href={`/e/${slug}`} className="min-w-32 wrap-anywhere">
          {name}
        </TextLink>
      ),
    },
    { key: "dates", header: t("when"), sort: sorting?.of("startDate"), cell: days },
    {
      key: "state",
      header: t("state"),
      cell: ({ isActive }) =>
        isActive ? <Badge tone="positive">{t("event.active")}</Badge> : <Badge>{t("event.over")}</Badge>,
    },
    {
      key: "reports",
      header: t("reports"),
      align: "end",
      sort: sorting?.of("reports"),
      cell: (event) => <Reports event={event} open={opens(event.id)} />,
    },
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

function Reports({ event, open }: { event: ListedEvent; open: boolean }) {
  const t = useWords("organization");
  const words = t("count", { count: event.reportCount });
  if (!open) return words;
  return (
    <TextLink
      href={`/e/${event.slug}/incidents`}
      aria-label={t("reportsOf", { count: event.reportCount, event: event.name })}
      className="-my-2.5 inline-block min-w-11 py-2.5"
    >
      {words}
    </TextLink>
  );
}

/** When an event is, as days in UTC. */
function useDays(): (event: Pick<ListedEvent, "startDate" | "endDate">) => string {
  const t = useWords("organization");
  const locale = useLocale();
  return ({ startDate, endDate }) => {
    const [start, end] = [startDate, endDate].map((at) => at && exactDate(new Date(at), locale));
    if (start && end) return start === end ? start : t("days.both", { start, end });
    if (start) return t("days.from", { start });
    return end ? t("days.until", { end }) : t("days.none");
  };
}
