import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { OrganizationHeader } from "#components/organization/organization-header.tsx";
import { RetentionScheduleCard } from "#components/organization/retention-schedule.tsx";
import { CompletedActionNotice } from "#components/shell/done-notice.tsx";
import { definePage } from "#components/shell/page.tsx";
import { Card } from "#components/ui/card.tsx";
import { type SearchParams } from "#lib/design/query.ts";
import { loadPageData } from "#lib/http/page.ts";
import { showRetention } from "#lib/retention/operations.ts";
import {
  loadOrganizationPage,
  type OrganizationPageProps,
  loadOrganizationPageMetadata,
} from "../organization.ts";
import { RetentionRulesForms, RETENTION_RULE_FIELDS, type MonthsByRetentionRule } from "./rules-form.tsx";

export const generateMetadata = ({ params }: OrganizationPageProps): Promise<Metadata> =>
  loadOrganizationPageMetadata(params, "retention");

/** The retention rules of an organization, and the numbers of reports that they will delete by month. */
export default definePage(async function RetentionPage({ params, searchParams }: OrganizationPageProps) {
  const { slug } = await params;
  const { after, ...query } = await searchParams;
  const { organization, may } = await loadOrganizationPage(slug);
  const previewed = may.edit ? readPreviewedRules(query) : {};
  const { rules, schedule } = await loadPageData(showRetention, { orgSlug: slug }, previewed);
  const shown = { ...rules, ...toShownRules(previewed) };
  // Once the previewed rules are saved, the preview's URL has nothing left to save.
  const isPreview = RETENTION_RULE_FIELDS.some((name) => shown[name] !== rules[name]);
  const t = useTranslator("retention");
  return (
    <div className="grid grid-cols-1 gap-6">
      <OrganizationHeader organization={organization} current="retention" may={may} />
      <CompletedActionNotice after={after} messages={{ saved: t("saved") }} />
      <p className="max-w-[68ch] text-muted">{t("about")}</p>
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[26rem_minmax(0,1fr)]">
        <Card title={t("rules")}>
          <RetentionRulesForms
            organization={slug}
            rules={shown}
            isPreview={isPreview}
            mayEdit={may.edit}
            now={new Date()}
          />
        </Card>
        <RetentionScheduleCard schedule={schedule} />
      </div>
    </div>
  );
});

type PreviewedRules = Partial<Record<(typeof RETENTION_RULE_FIELDS)[number], string>>;

/** Returns the rules that the URL asks to preview; empty unless it has all three. */
function readPreviewedRules(query: SearchParams): PreviewedRules {
  const given = RETENTION_RULE_FIELDS.map((name) => [name, query[name]] as const);
  if (!given.every(([, value]) => typeof value === "string")) return {};
  return Object.fromEntries(given) as PreviewedRules;
}

const toShownRules = (previewed: PreviewedRules): Partial<MonthsByRetentionRule> =>
  Object.fromEntries(
    Object.entries(previewed).map(([name, months]) => [name, months.trim() ? Number(months) : null]),
  );
