import type { ReactNode } from "react";
import { TextArea, TextField } from "#components/ui/field.tsx";
import { formatZoneName } from "#lib/design/time.ts";
import { useTranslator } from "#i18n";
import { IncidentTimeFields } from "./incident-time-fields.tsx";
import type { ReportFormLimits } from "./report-form.tsx";
import { type ReportFormStepName, useReportStepContext } from "./report-steps.ts";

/** A step of the form with its heading; without script, a section of the page. */
export function ReportFormStep({ name, children }: { name: ReportFormStepName; children: ReactNode }) {
  const t = useTranslator("reportForm");
  const { stepped, step, at, of, heading } = useReportStepContext();
  const isCurrentStep = step === name;
  const start = name === "start";
  return (
    <section
      hidden={stepped && !isCurrentStep}
      aria-label={t(`step.${name}`)}
      className={`grid scroll-mt-6 gap-6 ${start ? "" : "border-t border-line pt-6"}`}
    >
      <div className="grid gap-0.5">
        {stepped && !start && <p className="text-sm text-muted">{t("progress", { at, of })}</p>}
        <h2 ref={isCurrentStep ? heading : undefined} tabIndex={-1} className="text-xl outline-none">
          {t(`step.${name}`)}
        </h2>
      </div>
      {children}
    </section>
  );
}

export function WhatHappenedFields({ limits }: { limits: ReportFormLimits }) {
  const t = useTranslator("reportForm");
  const { stepped } = useReportStepContext();
  return (
    <>
      <TextArea
        name="description"
        label={t("field.description")}
        hint={t("descriptionHint")}
        rows={8}
        maxLength={limits.description}
        count
        // The browser's own check of the whole form is for dates that were entered by half, without script.
        aria-required
        markOptional={false}
      />
      <TextField
        name="title"
        label={t("field.title")}
        hint={t(stepped ? "titleHint" : "titleHintPlain", limits.title)}
        maxLength={limits.title.max}
        count
      />
    </>
  );
}

type DetailsProps = {
  /** The incident type field. */
  kind: ReactNode;
  /** Zone of the time: the event's, else the device's. */
  zone: string;
  eventZone: string | null;
  /** The time zone field, for browsers without script and events without a time zone. */
  zoneField: ReactNode;
  /** Fields for place, people involved and severity. */
  more: ReactNode;
};

export function ReportDetailFields({ kind, zone, eventZone, zoneField, more }: DetailsProps) {
  const { stepped } = useReportStepContext();
  return (
    <>
      {kind}
      <IncidentTimeFields zone={eventZone || stepped ? formatZoneName(zone) : null} />
      {eventZone ? <input type="hidden" name="zone" value={eventZone} /> : !stepped && zoneField}
      {more}
    </>
  );
}
