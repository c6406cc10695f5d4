import { useTranslator } from "#i18n";
import { SeverityBadge, StatusBadge } from "#components/incident/badges.tsx";
import { Card } from "#components/ui/card.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { type TableColumn, Table } from "#components/ui/table.tsx";
import { Time } from "#components/ui/time.tsx";
import { isQuarterHour } from "#lib/design/time.ts";
import type { Severity, IncidentState } from "#lib/incidents/schema.ts";

type Report = {
  id: string;
  title: string;
  status: IncidentState;
  severity: Severity | null;
  eventId: string;
  eventName: string;
  createdAt: string;
};

type Props = {
  reports: readonly Report[];
  /** Returns the slug of an event whose incidents the current user may read; undefined for any other. */
  opens: (eventId: string) => string | undefined;
  now: Date;
};

/**
 * The newest reports. Only the event's team sees a report's content; everybody else sees only that there is a report. A
 * note says so to a person who may open none of them.
 */
export function RecentReportsTable({ reports, opens, now }: Props) {
  const t = useTranslator("insights");
  const [title, ...facts] = useColumns(opens, now);
  const hasOpenable = reports.some(({ eventId }) => opens(eventId) !== undefined);
  return (
    <Card title={t("recent.title", { count: reports.length })} padded={false}>
      {!hasOpenable && <p className="px-4 pb-3 text-muted sm:px-6">{t("recent.allClosed")}</p>}
      <Table
        caption={t("recent.caption")}
        columns={hasOpenable && title ? [title, ...facts] : facts}
        rows={reports}
        rowKey={({ id }) => id}
      />
    </Card>
  );
}

function useColumns(opens: Props["opens"], now: Date): TableColumn<Report>[] {
  const t = useTranslator("insights");
  return [
    {
      key: "title",
      header: t("recent.report"),
      rowHeader: true,
      cell: ({ id, title, eventId }) => {
        const event = opens(eventId);
        if (event)
          return (
            <TextLink href={`/e/${event}/i/${id}`} className="wrap-anywhere">
              {title}
            </TextLink>
          );
        return <span className="font-normal text-muted">{t("recent.closed")}</span>;
      },
    },
    {
      key: "event",
      header: t("event"),
      cell: ({ eventName }) => <span className="wrap-anywhere">{eventName}</span>,
    },
    { key: "status", header: t("state"), cell: ({ status }) => <StatusBadge state={status} /> },
    { key: "severity", header: t("severity"), cell: ({ severity }) => <SeverityBadge severity={severity} /> },
    {
      key: "createdAt",
      header: t("recent.made"),
      align: "end",
      cell: ({ createdAt }) => <Time value={createdAt} now={now} isRounded={isQuarterHour(createdAt)} />,
    },
  ];
}
