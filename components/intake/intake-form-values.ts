import { convertZonedTimeToUtc, listMomentsOfZonedTime } from "#lib/wall-clock.ts";
import { formatDayInTimeZone } from "#lib/zoned-day.ts";
import {
  INTAKE_SUPPORT_STEPS,
  POLICE_WISHES,
  type IntakeSupportStep,
} from "#lib/conversations/support-steps.ts";

/** Converts between the fields of the form that takes a report and the input of the API, which differ. */

type Options = {
  /** Zone in which times are entered. */
  zone: string;
  now: Date;
  /** Title of a report for which none was entered. */
  neutralTitle: string;
};

/**
 * Converts the form's texts to the input of the API: a title, times in UTC, and a list of the steps that the team
 * took.
 */
export function toIntakeInput(values: Record<string, string>, options: Options): Record<string, unknown> {
  const { description = "", incidentAt, severity, type, location, parties } = values;
  const { reportedPersonName, excludedUserIds, channel, witnessId, observations } = values;
  return {
    description,
    title: values.title?.trim() ? values.title : options.neutralTitle,
    incidentAt: incidentAt ? (convertZonedTimeToUtc(incidentAt, options.zone) ?? incidentAt) : "",
    severity: severity ?? "",
    ...omitUndefined({ type, location, parties, reportedPersonName, excludedUserIds }),
    ...omitUndefined({ channel, witnessId, observations }),
    firstResponses: INTAKE_SUPPORT_STEPS.filter((kind) => isChosen(values, kind)).map((kind) => ({
      kind,
      at: toLatestTime(values[isPoliceWish(kind) ? "at.police" : `at.${kind}`] ?? "", options),
    })),
  };
}

/**
 * Returns whether a step is an answer to the one question about the police. Each other step has a checkbox of its own.
 */
const isPoliceWish = (kind: IntakeSupportStep): boolean => POLICE_WISHES.some((wish) => wish === kind);

const isChosen = (values: Record<string, string>, kind: IntakeSupportStep): boolean =>
  isPoliceWish(kind) ? values.police === kind : values[`done.${kind}`] !== undefined;

const omitUndefined = (values: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

const DAY_MS = 24 * 3600 * 1000;
/** How far a time may be ahead of this clock and still count as today's, not yesterday's: clocks may differ. */
const CLOCK_TOLERANCE_MS = 15 * 60_000;

/**
 * Returns the latest moment, not after now, at which a clock in the zone showed this time ("21:40") today or yesterday;
 * null for none. In an hour that clocks skip, assumes that the clock hasn't changed yet.
 */
function toLatestTime(time: string, { zone, now }: Pick<Options, "zone" | "now">): string | null {
  if (!/^\d\d:\d\d/.test(time)) return null;
  const today = formatDayInTimeZone(now, zone);
  const yesterday = new Date(Date.parse(today) - DAY_MS).toISOString().slice(0, today.length);
  const latest = now.getTime() + CLOCK_TOLERANCE_MS;
  return (
    [yesterday, today]
      .flatMap((day) => listMomentsOrUsual(`${day}T${time.slice(0, 5)}`, zone))
      .findLast((at) => Date.parse(at) <= latest) ?? null
  );
}

function listMomentsOrUsual(local: string, zone: string): string[] {
  const moments = listMomentsOfZonedTime(local, zone) ?? [];
  const usual = convertZonedTimeToUtc(local, zone);
  return moments.length > 0 || usual === null ? moments : [usual];
}
