"use client";

import { useTranslator } from "#i18n";
import { TextArea } from "#components/ui/field.tsx";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import { UserText } from "#components/ui/user-text.tsx";
import { MAX_STATUS_NOTES_LENGTH } from "#lib/incidents/limits.ts";
import type { IncidentStateWithOutcome } from "#lib/organizations/outcome-templates.ts";
import { buildFormerValueFields } from "./undo.ts";
import { sendOutcomeAction, updateIncidentAction } from "./actions.ts";
import { buildIncidentHiddenFormFields } from "./incident-fields.ts";
import { useIncidentForms } from "./incident-forms.tsx";
import { OutcomeTextArea } from "./outcome-fields.tsx";
import { AccountBoundForm } from "./ticketed-form.tsx";
import { FormToast } from "./toasts.tsx";

/** Writes the team's record. */
export function TeamRecordForm() {
  const t = useTranslator("incidentPage");
  const tIncident = useTranslator("incident");
  const { incident, writing } = useIncidentForms();
  const { resolution } = incident;
  return (
    <AccountBoundForm
      writing={writing}
      form="resolution"
      action={updateIncidentAction}
      of={buildIncidentHiddenFormFields(incident)}
      hidden={buildFormerValueFields({ resolution })}
      versions={{
        theirs: resolution ? <UserText>{resolution}</UserText> : t("nothingYet"),
        field: "resolution",
      }}
      dialog={{
        trigger: resolution ? t("edit") : t("write"),
        title: resolution ? t("recordEdit") : t("recordWrite"),
      }}
    >
      <FormToast />
      <TextArea
        name="resolution"
        label={tIncident("field.resolution")}
        hint={t("recordHint")}
        defaultValue={resolution ?? ""}
        maxLength={MAX_STATUS_NOTES_LENGTH}
        count
      />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("recordSave")}</SubmitButton>
      </FormActions>
    </AccountBoundForm>
  );
}

/** Sends another outcome, which starts from the one that the reporter has. */
export function OutcomeForm({ state }: { state: IncidentStateWithOutcome }) {
  const t = useTranslator("incidentPage");
  const { incident, writing, outcome } = useIncidentForms();
  const { templates, presentOutcome } = outcome;
  return (
    <AccountBoundForm
      writing={writing}
      form="outcome"
      action={sendOutcomeAction}
      of={buildIncidentHiddenFormFields(incident)}
      hidden={{ state, outcomeChoice: "send" }}
      versions={{
        theirs: presentOutcome ? <UserText>{presentOutcome}</UserText> : t("nothingYet"),
        field: "outcome",
      }}
      dialog={{
        trigger: t(presentOutcome ? "edit" : "write"),
        title: t(presentOutcome ? "outcomeEdit" : "outcomeWrite"),
      }}
    >
      <FormToast />
      <OutcomeTextArea state={state} templates={templates} present={presentOutcome} />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("outcomeSend")}</SubmitButton>
      </FormActions>
    </AccountBoundForm>
  );
}
