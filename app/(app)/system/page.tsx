import { RefreshCw } from "lucide-react";
import { useLocale, useWords } from "#words";
import { page } from "#components/shell/page.tsx";
import { HealthList } from "#components/system/health-list.tsx";
import { Months, Tiles } from "#components/system/numbers.tsx";
import { SystemHead } from "#components/system/system-head.tsx";
import { systemTitle } from "#components/system/title.ts";
import { Card } from "#components/ui/card.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { showHealth, showStats } from "#lib/admin/operations.ts";
import { show } from "#lib/http/page.ts";
import { exactTime } from "#lib/design/time.ts";

export const generateMetadata = systemTitle("title");

/** How the installation is, and how much there is in it. */
export default page(async function System() {
  const [health, stats] = await Promise.all([show(showHealth), show(showStats)]);
  const t = useWords("system");
  const locale = useLocale();
  const fine = health.status === "ok" && health.mail.failed === 0 && health.jobs.failed === 0;
  return (
    <div className="grid gap-6">
      <SystemHead
        current="overview"
        actions={
          <LinkButton href="/system" icon={RefreshCw}>
            {t("lookAgain")}
          </LinkButton>
        }
      />
      <Notice kind={fine ? "success" : "danger"} title={t(fine ? "healthy" : "unhealthy")}>
        <p>{t("checkedAt", { time: exactTime(new Date(), locale) })}</p>
      </Notice>
      {health.warnings.map(({ warning, seenAt }) => (
        <Notice key={warning} kind="warning" title={t(`warning.${warning}`)}>
          <p>{t(`warningAbout.${warning}`)}</p>
          <p>{t("warningSeen", { time: exactTime(new Date(seenAt), locale) })}</p>
        </Notice>
      ))}
      <Tiles stats={stats} />
      <Card title={t("health")} id="health">
        <HealthList health={health} />
        <p className="mt-4 border-t border-line pt-4 text-sm text-muted">
          {t("versionAbout", {
            version: health.version,
            node: health.node,
            time: exactTime(new Date(health.startedAt), locale),
          })}
        </p>
      </Card>
      <Card title={t("perMonth")} padded={false}>
        <Months stats={stats} />
      </Card>
    </div>
  );
});
