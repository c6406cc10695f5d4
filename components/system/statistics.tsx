import type { z } from "zod";
import { useLocale, useTranslator } from "#i18n";
import { Table } from "#components/ui/table.tsx";
import type { SystemStatistics } from "#lib/admin/schema.ts";
import { formatFileSize } from "#lib/design/file-size.ts";
import { formatMonthAndYear } from "#lib/design/time.ts";

type SystemStats = z.output<typeof SystemStatistics>;

/** Totals of the installation. */
export function SystemTotalsTiles({ stats }: { stats: SystemStats }) {
  const t = useTranslator("system");
  const locale = useLocale();
  const { users, events, incidents, files } = stats;
  const open = incidents.submitted + incidents.acknowledged + incidents.investigating;
  const number = new Intl.NumberFormat(locale);
  const tiles = [
    { name: t("nUsers"), value: users.total, about: t("nUsersAbout", { active: users.active }) },
    { name: t("nOrganizations"), value: stats.organizations },
    { name: t("nEvents"), value: events.total, about: t("nEventsAbout", { active: events.active }) },
    { name: t("nIncidents"), value: incidents.total, about: t("nIncidentsAbout", { open }) },
    { name: t("nFiles"), value: files.count, about: formatFileSize(files.bytes, locale) },
    { name: t("nSignIns"), value: stats.signIns, about: t("nSignInsAbout") },
  ];
  return (
    <ul aria-label={t("numbers")} className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-3">
      {tiles.map(({ name, value, about }) => (
        <li key={name} className="rounded-surface border border-line bg-surface p-3 sm:px-6 sm:py-4">
          <p className="text-sm text-muted">{name}</p>
          <p className="text-2xl font-[650] tabular-nums">{number.format(value)}</p>
          {about && <p className="text-sm text-muted">{about}</p>}
        </li>
      ))}
    </ul>
  );
}

/** New records per month, the current one first. */
export function NewRecordsByMonthTable({ stats: { newPerMonth } }: { stats: SystemStats }) {
  const t = useTranslator("system");
  const locale = useLocale();
  const kinds = ["users", "organizations", "events", "incidents"] as const;
  const heads = {
    users: t("nUsers"),
    organizations: t("nOrganizations"),
    events: t("nEvents"),
    incidents: t("nIncidents"),
  };
  const rows = newPerMonth.users.map(({ month }, at) => ({
    month,
    counts: Object.fromEntries(kinds.map((kind) => [kind, newPerMonth[kind][at]?.count ?? 0])),
  }));
  return (
    <Table
      caption={t("perMonth")}
      rows={rows.toReversed()}
      rowKey={({ month }) => month}
      cards={false}
      columns={[
        {
          key: "month",
          header: t("month"),
          rowHeader: true,
          cell: ({ month }) => formatMonthAndYear(month, locale),
        },
        ...kinds.map((kind) => ({
          key: kind,
          header: heads[kind],
          align: "end" as const,
          cell: ({ counts }: (typeof rows)[number]) => counts[kind],
        })),
      ]}
    />
  );
}
