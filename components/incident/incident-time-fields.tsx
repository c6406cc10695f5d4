"use client";

import { useTranslator } from "#i18n";
import { Checkbox, RadioGroup, SelectField, TextField } from "#components/ui/field.tsx";
import { useFormContext } from "#components/ui/form-context.ts";
import { DAY_PARTS, EXACT_TIME } from "#lib/incident-time.ts";

type Props = {
  /** Name of the zone in which the time is entered; null if the form has a field for it. */
  zone: string | null;
};

/** Asks when it happened: a day, and the time or the part of the day. What is unclear is asked once it was entered. */
export function IncidentTimeFields({ zone }: Props) {
  const t = useTranslator("reportForm");
  return (
    <>
      <TextField
        name="incidentDay"
        type="date"
        label={t("field.incidentDay")}
        hint={t("incidentDayHint")}
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
      />
      <div className="if-exact-time">
        <TextField
          name="incidentTime"
          type="time"
          label={zone === null ? t("field.incidentTime") : `${t("field.incidentTime")} (${zone})`}
          autoComplete="off"
          markOptional={false}
        />
      </div>
      <UnclearTimeFields />
    </>
  );
}

/** Asks which of two times is meant, and whether a time in the future is, once such a time was entered. */
function UnclearTimeFields() {
  const t = useTranslator("reportForm");
  const { fieldErrors = {}, values = {} } = useFormContext().state;
  const isShown = (name: string) => Boolean(fieldErrors[name] ?? values[name]);
  return (
    <>
      {isShown("incidentTwice") && (
        <RadioGroup
          name="incidentTwice"
          label={t("field.incidentTwice")}
          options={(["first", "second"] as const).map((value) => ({
            value,
            label: t(`incidentTwice.${value}`),
          }))}
          markOptional={false}
        />
      )}
      {isShown("incidentAhead") && (
        <Checkbox name="incidentAhead" value="true" label={t("field.incidentAhead")} />
      )}
    </>
  );
}
