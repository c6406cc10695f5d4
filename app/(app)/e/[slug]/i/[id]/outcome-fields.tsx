import { useLocale, useTranslator } from "#i18n";
import { RadioGroup, TextArea } from "#components/ui/field.tsx";
import { MAX_OUTCOME_MESSAGE_LENGTH } from "#lib/incidents/schema.ts";
import type { IncidentStateWithOutcome, OutcomeTemplate } from "#lib/organizations/outcome-templates.ts";

/** The texts that the fields start from, and whether the reporter has an outcome already. */
export type OutcomeMessageDefaults = {
  /** The organization's own texts; where one is missing, the interface's text is used. */
  templates: readonly OutcomeTemplate[];
  /** Whether the reporter has already been told an outcome. */
  hasOutcome: boolean;
};

/**
 * The message that tells the reporter the outcome. It is sent unless somebody chooses not to; if the reporter has an
 * outcome already, no message is the default. Without script, CSS hides the text that isn't sent.
 */
export function OutcomeMessageFields({
  state,
  templates,
  hasOutcome,
}: OutcomeMessageDefaults & { state: IncidentStateWithOutcome }) {
  const t = useTranslator("incidentPage");
  const tOutcome = useTranslator("outcome");
  const locale = useLocale();
  const own = templates.find((template) => template.locale === locale && template.state === state);
  return (
    <div className="group/outcome grid gap-4 border-t border-line pt-4">
      <RadioGroup
        name="outcomeChoice"
        label={t("outcomeChoice")}
        defaultValue={hasOutcome ? "none" : "send"}
        markOptional={false}
        options={(["send", "none"] as const).map((value) => ({ value, label: t(`outcomeChoice.${value}`) }))}
      />
      <div className="group-has-[[value=none]:checked]/outcome:hidden">
        <TextArea
          name="outcome"
          label={t("outcome.message")}
          hint={t("outcome.hint")}
          defaultValue={own?.body ?? tOutcome(`template.${state}`)}
          maxLength={MAX_OUTCOME_MESSAGE_LENGTH}
          rows={7}
          markOptional={false}
          count
        />
      </div>
    </div>
  );
}
