import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { TextField } from "#components/ui/field.tsx";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import {
  type Incident,
  MAX_INCIDENT_TITLE_LENGTH,
  MIN_INCIDENT_TITLE_LENGTH,
} from "#lib/incidents/schema.ts";
import { changeIncidentTitleAction } from "./actions.ts";
import type { FormAccountBinding } from "./form-binding.ts";
import { buildIncidentHiddenFormFields } from "./incident-fields.ts";
import { AccountBoundForm } from "./ticketed-form.tsx";
import { FormToast } from "./toasts.tsx";

type Props = { incident: Incident; writing: FormAccountBinding; id?: string; trigger?: ReactNode };

/** Edits the title, for those who may change it. */
export function TitleForm({ incident, writing, id, trigger }: Props) {
  const t = useTranslator("ownReport");
  return (
    <AccountBoundForm
      writing={writing}
      form="title"
      action={changeIncidentTitleAction}
      of={buildIncidentHiddenFormFields(incident)}
      dialog={{ title: t("titleEdit"), variant: "quiet", ...(id ? { id } : { trigger }) }}
      versions={{ theirs: incident.title, field: "title" }}
    >
      <FormToast />
      <TextField
        name="title"
        label={t("title")}
        hint={t("titleHint", { min: MIN_INCIDENT_TITLE_LENGTH, max: MAX_INCIDENT_TITLE_LENGTH })}
        defaultValue={incident.title}
        minLength={MIN_INCIDENT_TITLE_LENGTH}
        maxLength={MAX_INCIDENT_TITLE_LENGTH}
        count
        autoComplete="off"
        required
      />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("titleSave")}</SubmitButton>
      </FormActions>
    </AccountBoundForm>
  );
}
