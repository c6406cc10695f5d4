import { useTranslator } from "#i18n";
import { useTimeFormatOptionsByEvent } from "#components/i18n/server-translator.ts";
import { SelectField, TextArea, TextField } from "#components/ui/field.tsx";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import { DAY_PARTS, EXACT_TIME, toIncidentTimeFormValues } from "#lib/incident-time.ts";
import { type IncidentKind, STORED_TYPE_BY_INCIDENT_KIND } from "#lib/incidents/kinds.ts";
import { MAX_INCIDENT_SUMMARY_LENGTH, MAX_LOCATION_LENGTH } from "#lib/incidents/limits.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import { changeIncidentDetailsAction } from "./details-actions.ts";
import type { FormAccountBinding } from "./form-binding.ts";
import { buildIncidentHiddenFormFields } from "./incident-fields.ts";
import { AccountBoundForm } from "./ticketed-form.tsx";
import { FormToast } from "./toasts.tsx";
import { buildFormerValueFields } from "./undo.ts";

type Props = { incident: Incident; writing: FormAccountBinding };

/** Edits the type, time and place of an incident, and what it is about in the team's words. */
export function DetailsForm({ incident, writing }: Props) {
  const t = useTranslator("incidentPage");
  const tIncident = useTranslator("incident");
  const zone = useTimeFormatOptionsByEvent()(incident.eventId).timeZone;
  const { type, location, summary } = incident;
  const time = toIncidentTimeFormValues(incident, zone);
  return (
    <AccountBoundForm
      writing={writing}
      form="details"
      action={changeIncidentDetailsAction}
      of={buildIncidentHiddenFormFields(incident)}
      hidden={{ zone, ...buildFormerValueFields({ type, location, summary, ...time }) }}
      dialog={{ title: t("detailsEdit"), trigger: t("edit") }}
      versions={{
        fields: [
          { name: "type", label: tIncident("field.kind"), theirs: type ?? "" },
          { name: "location", label: tIncident("field.where"), theirs: location ?? "" },
          { name: "summary", label: tIncident("field.summary"), theirs: summary ?? "" },
          ...Object.entries(time).map(([name, theirs]) => ({ name, label: tIncident("field.when"), theirs })),
        ],
      }}
    >
      <FormToast />
      <p className="text-muted">{t("detailsAbout")}</p>
      <TextFields incident={incident} />
      <TimeFields time={time} zone={zone} />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("detailsSave")}</SubmitButton>
      </FormActions>
    </AccountBoundForm>
  );
}

/** What it is about, which type it is, and where it happened. */
function TextFields({ incident: { type, location, summary } }: Pick<Props, "incident">) {
  const t = useTranslator("incidentPage");
  const tIncident = useTranslator("incident");
  return (
    <>
      <TextArea
        name="summary"
        label={tIncident("field.summary")}
        hint={t("summaryHint")}
        defaultValue={summary ?? ""}
        maxLength={MAX_INCIDENT_SUMMARY_LENGTH}
        rows={3}
        count
      />
      <SelectField
        name="type"
        label={tIncident("field.kind")}
        prompt={tIncident("severity.none")}
        options={useTypeOptions(type)}
        defaultValue={type ?? ""}
      />
      <TextField
        name="location"
        label={tIncident("field.where")}
        defaultValue={location ?? ""}
        maxLength={MAX_LOCATION_LENGTH}
        autoComplete="off"
      />
    </>
  );
}

type TimeProps = { time: ReturnType<typeof toIncidentTimeFormValues>; zone: string };

function TimeFields({ time, zone }: TimeProps) {
  const t = useTranslator("reportForm");
  return (
    <section className="grid gap-4">
      <TextField
        name="incidentDay"
        type="date"
        label={t("field.incidentDay")}
        defaultValue={time.incidentDay}
        autoComplete="off"
      />
      <SelectField
        name="incidentClock"
        label={t("field.incidentClock")}
        prompt={t("dayPart.unsure")}
        options={[...DAY_PARTS, EXACT_TIME].map((value) => ({
          value,
          label: t(`dayPart.${value as "exact"}`),
        }))}
        defaultValue={time.incidentClock}
      />
      <div className="if-exact-time">
        <TextField
          name="incidentTime"
          type="time"
          label={`${t("field.incidentTime")} (${zone})`}
          defaultValue={time.incidentTime}
          autoComplete="off"
          markOptional={false}
        />
      </div>
    </section>
  );
}

/** Lists the kinds that the report form offers, and another text that the report has. */
function useTypeOptions(present: string | null) {
  const t = useTranslator("incident");
  const offered = Object.entries(STORED_TYPE_BY_INCIDENT_KIND).map(([kind, value]) => ({
    value: value as string,
    label: t(`kind.${kind as IncidentKind}`),
  }));
  const isOther = present !== null && offered.every(({ value }) => value !== present);
  return isOther ? [{ value: present, label: present }, ...offered] : offered;
}
