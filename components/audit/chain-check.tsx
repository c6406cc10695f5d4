import type { z } from "zod";
import { useTimeFormatOptions, useTranslator } from "#i18n";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { CopyField } from "#components/ui/copy-field.tsx";
import { Notice } from "#components/ui/notice.tsx";
import type { AuditVerification } from "#lib/audit/schema.ts";
import { buildHrefWithQueryChanges, type SearchParams } from "#lib/design/query.ts";
import { formatDateTime } from "#lib/design/time.ts";

export type AuditChainVerificationData = z.output<typeof AuditVerification>;

type Props = { path: string; query: SearchParams; verdict: AuditChainVerificationData | null; now: Date };

/** Verifies that a log is unchanged: a link that requests the check, and the result in words. */
export function AuditChainCheckCard({ path, query, verdict, now }: Props) {
  const t = useTranslator("audit");
  return (
    <Card title={t("verifyTitle")} id="check">
      <div className="grid gap-4">
        <p className="max-w-[68ch] text-muted">{t("verifyAbout")}</p>
        {verdict && <ChainCheckResult verdict={verdict} now={now} />}
        <div>
          <LinkButton
            href={`${buildHrefWithQueryChanges(path, query, { verify: 1 })}#check`}
            icon="shield-check"
          >
            {t("verify")}
          </LinkButton>
        </div>
      </div>
    </Card>
  );
}

function ChainCheckResult({ verdict, now }: { verdict: AuditChainVerificationData; now: Date }) {
  const t = useTranslator("audit");
  const time = formatDateTime(now, useTimeFormatOptions());
  const { ok, entries, firstProblem, head } = verdict;
  return (
    <div className="grid gap-4">
      <Notice kind={ok ? "success" : "danger"} title={t(ok ? "intact" : "broken")} live>
        <p>{ok ? t("intactAbout", { count: entries }) : <ChainProblem number={firstProblem} />}</p>
        <p className="text-sm text-muted">{t("checkedAt", { time })}</p>
      </Notice>
      {head && (
        <div className="grid max-w-2xl gap-1">
          <CopyField label={t("head")} value={head} />
          <p className="text-sm text-muted">{t("headAbout")}</p>
        </div>
      )}
    </div>
  );
}

function ChainProblem({ number }: { number: number | null }) {
  const t = useTranslator("audit");
  return number ? t("brokenAbout", { number }) : t("brokenNowhere");
}
