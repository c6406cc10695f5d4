import { useLocale, useTranslator } from "#i18n";
import { Card } from "#components/ui/card.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { TextArea } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { createTranslatorForLocale } from "#lib/i18n/catalogue.ts";
import { LOCALES, LOCALE_NAMES, type Locale } from "#lib/i18n/locales.ts";
import {
  MAX_OUTCOME_TEMPLATE_LENGTH,
  type OutcomeTemplate,
  INCIDENT_STATES_WITH_OUTCOME,
} from "#lib/organizations/outcome-templates.ts";
import { saveOutcomeTemplatesAction } from "./actions.ts";

type Props = { organization: { slug: string }; templates: readonly OutcomeTemplate[] };

/**
 * The form for the texts with which teams tell reporters the outcome, in each language; the one in the reader's
 * language is open.
 */
export function OutcomeTemplatesForm({ organization, templates }: Props) {
  const t = useTranslator("organization");
  const current = useLocale();
  return (
    <Card title={t("outcomes")} id="outcomes">
      <div className="grid grid-cols-1 gap-4">
        <p className="text-muted">{t("outcomes.about")}</p>
        <Form
          action={saveOutcomeTemplatesAction}
          hidden={{ organization: organization.slug }}
          label={t("outcomes")}
        >
          {[current, ...LOCALES.filter((locale) => locale !== current)].map((locale) => (
            <Disclosure key={locale} summary={LOCALE_NAMES[locale]} open={locale === current}>
              <LanguageFields locale={locale} templates={templates} />
            </Disclosure>
          ))}
          <FormActions>
            <SubmitButton pendingLabel={t("saving")}>{t("outcomes.save")}</SubmitButton>
          </FormActions>
        </Form>
      </div>
    </Card>
  );
}

function LanguageFields({ locale, templates }: Pick<Props, "templates"> & { locale: Locale }) {
  const t = useTranslator("organization");
  const defaults = createTranslatorForLocale(locale, "outcome");
  const own = templates.filter((template) => template.locale === locale);
  return (
    <div className="grid gap-5">
      {INCIDENT_STATES_WITH_OUTCOME.map((state) => (
        <TextArea
          key={state}
          name={`${locale}.${state}`}
          label={t(`outcomes.${state}`)}
          hint={t("outcomes.hint")}
          defaultValue={
            own.find((template) => template.state === state)?.body ?? defaults(`template.${state}`)
          }
          maxLength={MAX_OUTCOME_TEMPLATE_LENGTH}
          rows={6}
          markOptional={false}
          count
        />
      ))}
    </div>
  );
}
