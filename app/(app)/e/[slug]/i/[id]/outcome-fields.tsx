import { useLocale, useTranslator } from "#i18n";
import { RadioGroup, TextArea } from "#components/ui/field.tsx";
import { hasTextGap } from "#lib/operation/text-gaps.ts";
import { MAX_OUTCOME_MESSAGE_LENGTH } from "#lib/incidents/limits.ts";
import type { IncidentStateWithOutcome, OutcomeTemplate } from "#lib/organizations/outcome-templates.ts";

/** The texts that the fields start from, and whether the reporter has an outcome already. */
export type OutcomeMessageDefaults = {
  /** The organization's own texts; where one is missing, the interface's text is used. */
  templates: readonly OutcomeTemplate[];
  /** The outcome that the reporter was sent, if any. */
  presentOutcome: string | null;
};

/**
 * The message that tells the reporter the outcome. It is sent unless somebody chooses not to; if the reporter has an
 * outcome already, no message is the default. Without script, CSS hides the text that isn't sent.
 */
export function OutcomeMessageFields({
  state,
  templates,
  presentOutcome,
}: OutcomeMessageDefaults & { state: IncidentStateWithOutcome }) {
  const t = useTranslator("incidentPage");
  return (
    <div className="group/outcome grid gap-4 border-t border-line pt-4">
      <RadioGroup
        name="outcomeChoice"
        label={t("outcomeChoice")}
        defaultValue={presentOutcome === null ? "send" : "none"}
        markOptional={false}
        options={(["send", "none"] as const).map((value) => ({ value, label: t(`outcomeChoice.${value}`) }))}
      />
      <div className="group-has-[[value=none]:checked]/outcome:hidden">
        <OutcomeTextArea state={state} templates={templates} present={null} />
      </div>
    </div>
  );
}

type TextAreaProps = Pick<OutcomeMessageDefaults, "templates"> & {
  state: IncidentStateWithOutcome;
  /** The outcome that the reporter has, to start from. */
  present: string | null;
};

/** Starts from a text with gaps, which nobody can send unread (contract 7.18). */
export function OutcomeTextArea({ state, templates, present }: TextAreaProps) {
  const t = useTranslator("incidentPage");
  const tOutcome = useTranslator("outcome");
  const locale = useLocale();
  const own = templates.find((template) => template.locale === locale && template.state === state)?.body;
  const template = own !== undefined && hasTextGap(own) ? own : tOutcome(`template.${state}`);
  return (
    <TextArea
      name="outcome"
      label={t("outcome.message")}
      hint={t("outcome.hint")}
      defaultValue={present ?? template}
      maxLength={MAX_OUTCOME_MESSAGE_LENGTH}
      rows={7}
      markOptional={false}
      count
    />
  );
}
