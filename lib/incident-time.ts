import { computeWallClockTimeAsUtcMs, listMomentsOfZonedTime } from "#lib/wall-clock.ts";

/** When something happened, as a reporter enters it: a day, and the time or the part of the day as far as they know. */

export const DAY_PARTS = ["morning", "afternoon", "evening", "night"] as const;
type DayPart = (typeof DAY_PARTS)[number];

/** The value of the field for the part of the day with which a form asks for the time itself. */
export const EXACT_TIME = "exact";

/**
 * The fields of a form: the day ("YYYY-MM-DD"), a part of the day or `EXACT_TIME`, the time ("HH:mm"), which of two
 * moments is meant where clocks were put back ("first" or "second"), and whether a time in the future is meant.
 */
export const INCIDENT_TIME_FIELDS = [
  "incidentDay",
  "incidentClock",
  "incidentTime",
  "incidentTwice",
  "incidentAhead",
] as const;

/** Their values; blank and missing ones mean the same. */
export type IncidentTimeFormValues = Partial<Record<(typeof INCIDENT_TIME_FIELDS)[number], string>>;

/** The members of a report. */
type IncidentTime = {
  incidentAt: string;
  incidentOn: string | null;
  incidentDayPart: DayPart | null;
};

/** What is to be asked, by the field where it is asked. */
type IncidentTimeProblem =
  | { field: "incidentDay"; problem: "noDay" | "notADay" }
  | { field: "incidentTime"; problem: "noTime" | "skipped" }
  | { field: "incidentTwice"; problem: "twice" }
  | { field: "incidentAhead"; problem: "ahead" };

/** The time of a day that stands for the day or a part of it. */
const CLOCK_OF_DAY: Record<DayPart | "", string> = {
  "": "12:00",
  morning: "09:00",
  afternoon: "15:00",
  evening: "20:00",
  night: "23:00",
};

/** How far a time may be ahead and still count as now: clocks differ. */
const CLOCK_TOLERANCE_MS = 15 * 60_000;

/**
 * Reads when something happened. Nothing that is entered by half passes: a time without a day, a time that no clock in
 * the zone showed or that it showed twice, and a future one are problems until they are answered. The time counts
 * only with `EXACT_TIME`, since its field is hidden otherwise.
 * @returns null if nothing was entered
 */
export function readIncidentTime(
  fields: IncidentTimeFormValues,
  { zone, now }: { zone: string; now: Date },
): IncidentTime | IncidentTimeProblem | null {
  const { incidentDay: day = "", incidentClock: clock = "", incidentTime: time = "" } = fields;
  if (!day) return clock ? { field: "incidentDay", problem: "noDay" } : null;
  const part = DAY_PARTS.find((one) => one === clock) ?? null;
  const isExact = clock === EXACT_TIME;
  if (isExact && !time) return { field: "incidentTime", problem: "noTime" };
  const shown = isExact ? time.slice(0, 5) : CLOCK_OF_DAY[part ?? ""];
  const moments = listMomentsOfZonedTime(`${day}T${shown}`, zone);
  if (!moments) return { field: "incidentDay", problem: "notADay" };
  const [first, second] = moments;
  if (!first) return { field: "incidentTime", problem: "skipped" };
  if (isExact && second && !fields.incidentTwice) return { field: "incidentTwice", problem: "twice" };
  const at = isExact && second && fields.incidentTwice === "second" ? second : first;
  const latest = isExact ? now.getTime() + CLOCK_TOLERANCE_MS : endOfDay(now, zone);
  if (Date.parse(at) > latest && !fields.incidentAhead) return { field: "incidentAhead", problem: "ahead" };
  return { incidentAt: at, incidentOn: isExact ? null : day, incidentDayPart: isExact ? null : part };
}

type StoredIncidentTime = Omit<IncidentTime, "incidentAt"> & { incidentAt: string | null };

/** Returns the values with which the fields of a form show when something happened, in a zone. */
export function toIncidentTimeFormValues(
  { incidentAt, incidentOn, incidentDayPart }: StoredIncidentTime,
  zone: string,
): Record<"incidentDay" | "incidentClock" | "incidentTime", string> {
  if (incidentOn) return { incidentDay: incidentOn, incidentClock: incidentDayPart ?? "", incidentTime: "" };
  if (!incidentAt) return { incidentDay: "", incidentClock: "", incidentTime: "" };
  const shown = new Date(computeWallClockTimeAsUtcMs(Date.parse(incidentAt), zone)).toISOString();
  return { incidentDay: shown.slice(0, 10), incidentClock: EXACT_TIME, incidentTime: shown.slice(11, 16) };
}

const DAY_MS = 24 * 3600 * 1000;

/** Returns the last moment of the day that clocks in the zone show now, to within an hour where they change that day. */
function endOfDay(now: Date, zone: string): number {
  const shown = computeWallClockTimeAsUtcMs(now.getTime(), zone);
  return now.getTime() + DAY_MS - 1 - (((shown % DAY_MS) + DAY_MS) % DAY_MS);
}
