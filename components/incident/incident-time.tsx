import type { ReactNode } from "react";
import { useLocale, useTranslator } from "#i18n";
import { Time } from "#components/ui/time.tsx";
import { formatCalendarDate } from "#lib/design/time.ts";
import type { Incident } from "#lib/incidents/schema.ts";

type IncidentTimes = Pick<Incident, "incidentOn" | "incidentDayPart" | "incidentAt">;

/** Renders when it happened: a time, or a day with or without a part of it; null if the reporter gave neither. */
export const renderIncidentTime = ({ incidentOn, incidentDayPart, incidentAt }: IncidentTimes): ReactNode =>
  incidentOn ? (
    <IncidentDay day={incidentOn} part={incidentDayPart} />
  ) : (
    incidentAt && <Time value={incidentAt} show="exact" />
  );

/** A day without a time, as the reporter gave it, whatever the reader's zone. */
function IncidentDay({ day, part }: { day: string; part: Incident["incidentDayPart"] }) {
  const t = useTranslator("reportForm");
  const locale = useLocale();
  return (
    <time dateTime={day}>
      {formatCalendarDate(day, locale)}
      {part && `, ${t(`dayPart.${part}`)}`}
    </time>
  );
}
