import type { ReactNode } from "react";
import { useLocale, useTimeFormatOptions, useTranslator } from "#i18n";
import { Time } from "#components/ui/time.tsx";
import { formatCalendarDate, formatDateTime } from "#lib/design/time.ts";
import type { Incident } from "#lib/incidents/schema.ts";

type IncidentTimes = Pick<Incident, "incidentOn" | "incidentDayPart" | "incidentAt">;

/** Renders when it happened: a time, or a day with or without a part of it; null if the reporter gave neither. */
export const renderIncidentTime = ({ incidentOn, incidentDayPart, incidentAt }: IncidentTimes): ReactNode =>
  incidentOn ? (
    <IncidentDay day={incidentOn} part={incidentDayPart} />
  ) : (
    incidentAt && <Time value={incidentAt} show="exact" />
  );

/** Returns a function that formats the same as text. */
export function useIncidentTimeFormatter(): (time: IncidentTimes) => string | null {
  const t = useTranslator("reportForm");
  const options = useTimeFormatOptions();
  return ({ incidentOn, incidentDayPart, incidentAt }) =>
    incidentOn
      ? [formatCalendarDate(incidentOn, options.locale), incidentDayPart && t(`dayPart.${incidentDayPart}`)]
          .filter(Boolean)
          .join(", ")
      : incidentAt && formatDateTime(new Date(incidentAt), options);
}

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
