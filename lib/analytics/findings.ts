import { formatCalendarDate, formatMonthAndYear } from "#lib/design/time.ts";
import { createTranslatorForLocale } from "#lib/i18n/catalogue.ts";
import type { Locale } from "#lib/i18n/locales.ts";
import type { ChartPointUnit } from "./period.ts";
import type { Analytics, ReportInsights } from "./schema.ts";

/** Sentences that state the finding of a chart above it, in the reader's language. */

/** With fewer reports, a median says more about one person than about the team's work. */
export const MIN_REPORTS_FOR_MEDIAN = 5;

/**
 * Says when the most reports came in. @param points the days, months or years of a period, each with the number of its reports
 */
export function describeBusiestChartPoint(
  points: readonly { at: string; count: number }[],
  { unit, locale }: { unit: ChartPointUnit; locale: Locale },
): string {
  const translate = createTranslatorForLocale(locale, "insights");
  const total = sum(points);
  const most = Math.max(0, ...points.map(({ count }) => count));
  const name = ({ at }: { at: string }) => formatChartPoint(at, { unit, locale });
  const busiest = points.filter(({ count }) => count === most).map(name);
  const [first = "", other = ""] = busiest;
  const named = { month: first, day: first, other, most, total, unit };
  const find = (key: "single" | "even" | "two" | "most") =>
    translate(unit === "day" ? `finding.days.${key}` : `finding.months.${key}`, named);
  if (total === 0) return translate("finding.months.none");
  if (total === 1) return find("single");
  if (points.length === 1 && unit !== "day") return translate("finding.months.only", named);
  if (busiest.length > 2) return find("even");
  return find(busiest.length === 2 ? "two" : "most");
}

const formatChartPoint = (at: string, { unit, locale }: { unit: ChartPointUnit; locale: Locale }): string => {
  if (unit === "year") return createTranslatorForLocale(locale, "insights")("finding.year", { year: at });
  return unit === "day" ? formatCalendarDate(at, locale) : formatMonthAndYear(at, locale);
};

export function describeWaitingReports(states: Analytics["byStatus"], locale: Locale): string {
  const translate = createTranslatorForLocale(locale, "insights");
  const total = sum(states);
  const waiting = states.find(({ status }) => status === "submitted")?.count ?? 0;
  if (total === 0) return translate("finding.nothing");
  if (total === 1)
    return translate(waiting === 1 ? "finding.states.singleWaits" : "finding.states.singleAnswered");
  if (waiting === 0) return translate("finding.states.allAnswered", { total });
  if (waiting === total) return translate("finding.states.allWait", { total });
  return translate("finding.states.some", { waiting, total });
}

export function describeHighSeverityShare(severities: Analytics["bySeverity"], locale: Locale): string {
  const translate = createTranslatorForLocale(locale, "insights");
  const total = sum(severities);
  const count = (wanted: string) => severities.find(({ severity }) => severity === wanted)?.count ?? 0;
  const grave = count("high") + count("critical");
  if (total === 0) return translate("finding.nothing");
  if (count("none") === total) return translate("finding.severity.unset");
  if (grave === 0) return translate("finding.severity.none");
  if (total === 1) return translate("finding.severity.single");
  return translate("finding.severity.some", { grave, total });
}

export function describeBusiestEvents(events: Analytics["byEvent"], locale: Locale): string {
  const translate = createTranslatorForLocale(locale, "insights");
  const total = sum(events);
  const most = Math.max(0, ...events.map(({ count }) => count));
  const top = events.filter(({ count }) => count === most);
  const event = top[0]?.eventName;
  if (total === 0 || event === undefined) return translate("finding.nothing");
  if (most === total) return translate("finding.events.all", { total, event });
  if (top.length > 1) return translate("finding.events.several", { events: top.length, most, total });
  return translate("finding.events.most", { event, most, total });
}

/** Says how many first responses came in time. */
export function describeTimelyFirstResponses(
  { answeredInTime, answerDue }: Pick<ReportInsights["current"], "answeredInTime" | "answerDue">,
  locale: Locale,
): string {
  const translate = createTranslatorForLocale(locale, "insights");
  if (answerDue === 0) return translate("finding.answers.none");
  if (answerDue < MIN_REPORTS_FOR_MEDIAN) return translate("finding.answers.few", { due: answerDue });
  const value = Math.round((100 * answeredInTime) / answerDue);
  return translate("finding.answers.share", { value, due: answerDue });
}

/** Counts the reports whose type, channel and replies the reader may not know (contract 16.10). */
export const countUnopenedReports = ({
  current,
  byChannel: { anonymous, named },
}: {
  current: Pick<ReportInsights["current"], "reports">;
  byChannel: ReportInsights["byChannel"];
}): number => current.reports - anonymous - named;

/** Says how many of the reports name nobody. @param unopened the number of reports of which the reader can't know it */
export function describeAnonymousShare(
  { anonymous, named }: ReportInsights["byChannel"],
  { unopened, locale }: { unopened: number; locale: Locale },
): string {
  const translate = createTranslatorForLocale(locale, "insights");
  const total = anonymous + named;
  if (total === 0) return translate(unopened > 0 ? "finding.unopened" : "finding.nothing");
  if (unopened > 0) return translate("finding.channel.opened", { anonymous, total });
  if (anonymous === 0) return translate("finding.channel.named", { total });
  if (named === 0) return translate("finding.channel.anonymous", { total });
  return translate("finding.channel.some", { anonymous, total });
}

/**
 * Says which kind of report is the most frequent.
 * @param kinds with their display names, the most frequent first
 * @param total all reports, with or without a kind, but for those whose kind the reader can't know (`unopened`);
 *   `others` counts those whose kind isn't named
 */
export function describeMostFrequentReportType(
  kinds: readonly { name: string; count: number }[],
  { total, others, unopened, locale }: { total: number; others: number; unopened: number; locale: Locale },
): string {
  const translate = createTranslatorForLocale(locale, "insights");
  const [first, second] = kinds;
  if (total === 0) return translate(unopened > 0 ? "finding.unopened" : "finding.nothing");
  if (!first)
    return others > 0 ? translate("finding.kinds.own", { others, total }) : translate("finding.kinds.none");
  if (second?.count === first.count) return translate("finding.kinds.even", { most: first.count, total });
  return translate("finding.kinds.most", { kind: first.name, most: first.count, total });
}

/**
 * Says how many reports are open now, compared with the start of the period. @param before null if nothing precedes the
 * period
 */
export function describeBacklogChange(now: number, before: number | null, locale: Locale): string {
  const translate = createTranslatorForLocale(locale, "insights");
  if (before === null) return translate("finding.backlog.now", { now });
  return translate(now === before ? "finding.backlog.same" : "finding.backlog.changed", { now, before });
}

/**
 * Says how many of the reports are resolved or closed.
 * @param states in workflow order
 */
export function describeResolvedReportShare(states: Analytics["byStatus"], locale: Locale): string {
  const translate = createTranslatorForLocale(locale, "insights");
  const reached = sum(states.filter(({ status }) => status === "resolved" || status === "closed"));
  const total = sum(states);
  return total === 0 ? translate("finding.nothing") : translate("finding.funnel", { reached, total });
}

/** Formats hours as a short duration: "25 min", "5.3 h", "3.2 days". */
export function formatHoursAsDuration(hours: number, locale: Locale): string {
  const translate = createTranslatorForLocale(locale, "insights");
  if (hours < 1) return translate("duration.minutes", { value: Math.round(hours * 60) });
  if (hours < 48) return translate("duration.hours", { value: roundToTenth(hours) });
  return translate("duration.days", { value: roundToTenth(hours / 24) });
}

const roundToTenth = (value: number): number => Math.round(value * 10) / 10;

const sum = (rows: readonly { count: number }[]): number =>
  rows.reduce((total, { count }) => total + count, 0);
