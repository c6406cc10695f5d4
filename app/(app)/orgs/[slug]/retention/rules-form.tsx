import { useLocale, useTranslator } from "#i18n";
import { Button } from "#components/ui/button.tsx";
import { DefinitionList } from "#components/ui/definition-list.tsx";
import { TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { formatCalendarDate } from "#lib/design/time.ts";
import { RETENTION_CHANGE_GRACE_DAYS, MAX_RETENTION_MONTHS } from "#lib/retention/schema.ts";
import { formatDayInTimeZone } from "#lib/zoned-day.ts";
import { saveRetentionAction } from "./actions.ts";

export const RETENTION_RULE_FIELDS = ["resolvedMonths", "closedMonths", "withoutNameMonths"] as const;
export type MonthsByRetentionRule = Record<(typeof RETENTION_RULE_FIELDS)[number], number | null>;

type Props = {
  organization: string;
  rules: MonthsByRetentionRule;
  isPreview: boolean;
  mayEdit: boolean;
  now: Date;
};

/**
 * The rules. Admins get two forms: one previews what changed rules would delete, the other saves the previewed ones.
 */
export function RetentionRulesForms({ organization, rules, isPreview, mayEdit, now }: Props) {
  const t = useTranslator("retention");
  if (!mayEdit) return <RuleList rules={rules} />;
  return (
    <div className="grid gap-6">
      <form
        method="get"
        action={`/orgs/${organization}/retention`}
        aria-label={t("rules")}
        className="grid gap-5"
      >
        {RETENTION_RULE_FIELDS.map((name) => (
          <TextField
            key={name}
            name={name}
            type="number"
            label={t(name)}
            hint={t(name === "withoutNameMonths" ? "blankSame" : "blankKeeps")}
            defaultValue={rules[name] ?? ""}
            min={1}
            max={MAX_RETENTION_MONTHS}
            inputMode="numeric"
          />
        ))}
        <FormActions>
          <Button type="submit" variant={isPreview ? "secondary" : "primary"}>
            {t("preview")}
          </Button>
        </FormActions>
      </form>
      {isPreview && <SaveForm organization={organization} rules={rules} now={now} />}
    </div>
  );
}

const DAY_MS = 24 * 3_600_000;

function SaveForm({ organization, rules, now }: Pick<Props, "organization" | "rules" | "now">) {
  const t = useTranslator("retention");
  const locale = useLocale();
  const firstDay = formatDayInTimeZone(
    new Date(now.getTime() + (RETENTION_CHANGE_GRACE_DAYS + 1) * DAY_MS),
    "UTC",
  );
  return (
    <Notice kind="warning" title={t("previewTitle")}>
      <div className="grid gap-4">
        <p>{t("previewText", { day: formatCalendarDate(firstDay, locale) })}</p>
        <Form
          action={saveRetentionAction}
          label={t("save")}
          hidden={{
            organization,
            ...Object.fromEntries(RETENTION_RULE_FIELDS.map((name) => [name, String(rules[name] ?? "")])),
          }}
        >
          <FormActions>
            <SubmitButton pendingLabel={t("saving")}>{t("save")}</SubmitButton>
            <TextLink href={`/orgs/${organization}/retention`}>{t("discard")}</TextLink>
          </FormActions>
        </Form>
      </div>
    </Notice>
  );
}

function RuleList({ rules }: Pick<Props, "rules">) {
  const t = useTranslator("retention");
  return (
    <DefinitionList
      items={RETENTION_RULE_FIELDS.map((name) => ({
        term: t(name),
        value: rules[name] === null ? t("noTime") : String(rules[name]),
      }))}
    />
  );
}
