import type { z } from "zod";
import { useTimeFormatOptions, useTranslator } from "#i18n";
import { definePage } from "#components/shell/page.tsx";
import { HealthList, useMissingSetupFormatter } from "#components/system/health-list.tsx";
import { NewRecordsByMonthTable, SystemTotalsTiles } from "#components/system/statistics.tsx";
import { ReportsWithoutReaderNotice } from "#components/system/reports-without-reader.tsx";
import { SystemHeader } from "#components/system/system-header.tsx";
import { createSystemPageMetadataLoader } from "#components/system/system-metadata.ts";
import { Card } from "#components/ui/card.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { showHealth, showStats } from "#lib/admin/operations.ts";
import type { SystemHealth } from "#lib/admin/schema.ts";
import { listIncidentsWithoutReader } from "#lib/readers/operations.ts";
import { loadPageData } from "#lib/http/page.ts";
import { formatDateTime } from "#lib/design/time.ts";

export const generateMetadata = createSystemPageMetadataLoader("title");

/** Health and size of the installation. */
export default definePage(async function System() {
  const [health, stats, withoutReader] = await Promise.all([
    loadPageData(showHealth),
    loadPageData(showStats),
    loadPageData(listIncidentsWithoutReader),
  ]);
  const t = useTranslator("system");
  const times = useTimeFormatOptions();
  return (
    <div className="grid gap-6">
      <SystemHeader
        current="overview"
        actions={
          <LinkButton href="/system" icon="refresh-cw">
            {t("refresh")}
          </LinkButton>
        }
      />
      <HealthNotice health={health} now={new Date()} />
      <ConfigurationWarnings warnings={health.warnings} />
      <ReportsWithoutReaderNotice incidents={withoutReader.incidents} />
      <SystemTotalsTiles stats={stats} />
      <Card title={t("health")} id="health">
        <HealthList health={health} />
        <p className="mt-4 border-t border-line pt-4 text-sm text-muted">
          {t("versionAbout", {
            version: health.version,
            node: health.node,
            time: formatDateTime(new Date(health.startedAt), times),
          })}
        </p>
      </Card>
      <Card title={t("perMonth")} padded={false}>
        <NewRecordsByMonthTable stats={stats} />
      </Card>
    </div>
  );
});

/** Summarizes the health of the installation, and the parts that still have to be set up. */
function HealthNotice({ health, now }: { health: z.output<typeof SystemHealth>; now: Date }) {
  const t = useTranslator("system");
  const times = useTimeFormatOptions();
  const unprepared = useMissingSetupFormatter()(health);
  const isHealthy = health.status === "ok" && health.mail.failed === 0 && health.jobs.failed === 0;
  const isPrepared = unprepared.length === 0;
  return (
    <Notice
      kind={!isHealthy ? "danger" : isPrepared ? "success" : "warning"}
      title={t(!isHealthy ? "unhealthy" : isPrepared ? "healthy" : "notPrepared")}
    >
      {unprepared.map((text) => (
        <p key={text}>{text}</p>
      ))}
      <p>{t("checkedAt", { time: formatDateTime(now, times) })}</p>
    </Notice>
  );
}

function ConfigurationWarnings({ warnings }: Pick<z.output<typeof SystemHealth>, "warnings">) {
  const t = useTranslator("system");
  const times = useTimeFormatOptions();
  return warnings.map(({ warning, seenAt }) => (
    <Notice key={warning} kind="warning" title={t(`warning.${warning}`)}>
      <p>{t(`warningAbout.${warning}`)}</p>
      {/* It lasts as long as the setting. */}
      {warning !== "noMailServer" && (
        <p>{t("warningSeen", { time: formatDateTime(new Date(seenAt), times) })}</p>
      )}
    </Notice>
  ));
}
