import type { ReactNode } from "react";
import { useTranslator } from "#i18n";

type Summary = {
  totalEvents: number;
  activeEvents: number;
  events: readonly { reportCount: number; openCount: number; submittedCount: number }[];
};

/** An organization at a glance: events, reports, and open work. */
export function OverviewTiles({ summary: { totalEvents, activeEvents, events } }: { summary: Summary }) {
  const t = useTranslator("organization");
  const sum = (of: "reportCount" | "openCount" | "submittedCount") =>
    t("count", { count: events.reduce((total, event) => total + event[of], 0) });
  return (
    <dl className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
      <OverviewTile name={t("activeEvents")} value={t("count", { count: activeEvents })}>
        {t("ofEvents", { count: totalEvents })}
      </OverviewTile>
      <OverviewTile name={t("allReports")} value={sum("reportCount")}>
        {t("sinceStart")}
      </OverviewTile>
      <OverviewTile name={t("openNow")} value={sum("openCount")}>
        {t("openNow.about")}
      </OverviewTile>
      <OverviewTile name={t("waitingNow")} value={sum("submittedCount")}>
        {t("waitingNow.about")}
      </OverviewTile>
    </dl>
  );
}

function OverviewTile({ name, value, children }: { name: string; value: string; children: ReactNode }) {
  return (
    <div className="grid content-start gap-1 rounded-surface border border-line bg-surface p-3 sm:px-6 sm:py-4">
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="grid gap-1">
        <span className="text-2xl font-[650] tabular-nums">{value}</span>
        <span className="text-sm text-muted">{children}</span>
      </dd>
    </div>
  );
}
