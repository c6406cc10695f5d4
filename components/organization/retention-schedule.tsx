import { useLocale, useTranslator } from "#i18n";
import { Card } from "#components/ui/card.tsx";
import { Table } from "#components/ui/table.tsx";
import { formatMonthAndYear } from "#lib/design/time.ts";
import type { RetentionSchedule } from "#lib/retention/schema.ts";

/**
 * The numbers of reports that will be deleted, by month and event, and of those that stay. It shows no titles, since
 * members of an organization see no incidents.
 */
export function RetentionScheduleCard({ schedule }: { schedule: RetentionSchedule }) {
  const t = useTranslator("retention");
  const { months, undated, held, deleted } = schedule;
  return (
    <Card title={t("schedule")} id="schedule">
      <div className="grid gap-6">
        {months.length === 0 && <p className="text-muted">{t("scheduleNone")}</p>}
        {months.map((month) => (
          <MonthSection key={month.month} month={month} />
        ))}
        <div className="grid gap-1 text-muted empty:hidden">
          {undated > 0 && <p>{t("undated", { count: undated })}</p>}
          {held > 0 && <p>{t("held", { count: held })}</p>}
          {deleted > 0 && <p>{t("deleted", { count: deleted })}</p>}
        </div>
      </div>
    </Card>
  );
}

function MonthSection({ month }: { month: RetentionSchedule["months"][number] }) {
  const t = useTranslator("retention");
  const locale = useLocale();
  const title = t("monthSum", { count: month.reports, month: formatMonthAndYear(month.month, locale) });
  return (
    <div className="grid gap-2">
      <h3 className="text-lg">{title}</h3>
      <Table
        caption={title}
        columns={[
          {
            key: "event",
            header: t("event"),
            cell: ({ name }) => <bdi className="wrap-anywhere">{name}</bdi>,
            rowHeader: true,
          },
          { key: "reports", header: t("reports"), cell: ({ reports }) => reports, align: "end" },
        ]}
        rows={month.events}
        rowKey={({ id }) => id}
        cards={false}
      />
    </div>
  );
}
