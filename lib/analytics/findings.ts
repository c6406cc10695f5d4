import { monthName } from "#lib/design/time.ts";
import { wordsIn } from "#lib/i18n/catalogue.ts";
import type { Locale } from "#lib/i18n/locales.ts";
import type { MonthCount } from "./period.ts";
import type { Analytics, Insights } from "./schema.ts";

/** What a chart shows, as the sentence over it, in the reader's language: the finding first, the picture after it. */

/** Below this many reports a median says more about one person than about the work. */
export const TOO_FEW = 5;

export function monthlyFinding(
  months: readonly Pick<MonthCount, "month" | "count">[],
  locale: Locale,
): string {
  const say = wordsIn(locale, "insights");
  const total = sum(months);
  const most = Math.max(0, ...months.map(({ count }) => count));
  const busiest = months.filter(({ count }) => count === most).map(({ month }) => monthName(month, locale));
  const [month = "", other = ""] = busiest;
  if (total === 0) return say("finding.months.none");
  if (total === 1) return say("finding.months.single", { month });
  if (months.length === 1) return say("finding.months.only", { total, month });
  if (busiest.length > 2) return say("finding.months.even", { most, total });
  if (busiest.length === 2) return say("finding.months.two", { month, other, most, total });
  return say("finding.months.most", { month, most, total });
}

export function statusFinding(states: Analytics["byStatus"], locale: Locale): string {
  const say = wordsIn(locale, "insights");
  const total = sum(states);
  const waiting = states.find(({ status }) => status === "submitted")?.count ?? 0;
  if (total === 0) return say("finding.nothing");
  if (total === 1) return say(waiting === 1 ? "finding.states.singleWaits" : "finding.states.singleAnswered");
  if (waiting === 0) return say("finding.states.allAnswered", { total });
  if (waiting === total) return say("finding.states.allWait", { total });
  return say("finding.states.some", { waiting, total });
}

export function severityFinding(severities: Analytics["bySeverity"], locale: Locale): string {
  const say = wordsIn(locale, "insights");
  const total = sum(severities);
  const count = (wanted: string) => severities.find(({ severity }) => severity === wanted)?.count ?? 0;
  const grave = count("high") + count("critical");
  if (total === 0) return say("finding.nothing");
  if (count("none") === total) return say("finding.severity.unset");
  if (grave === 0) return say("finding.severity.none");
  if (total === 1) return say("finding.severity.single");
  return say("finding.severity.some", { grave, total });
}

export function eventFinding(events: Analytics["byEvent"], locale: Locale): string {
  const say = wordsIn(locale, "insights");
  const total = sum(events);
  const most = Math.max(0, ...events.map(({ count }) => count));
  const top = events.filter(({ count }) => count === most);
  const event = top[0]?.eventName;
  if (total === 0 || event === undefined) return say("finding.nothing");
  if (most === total) return say("finding.events.all", { total, event });
  if (top.length > 1) return say("finding.events.several", { events: top.length, most, total });
  return say("finding.events.most", { event, most, total });
}

/** @param deadline hours within which a first answer is due; null where events promise different ones */
export function answerFinding(
  { answeredInTime, answerDue }: Pick<Insights["current"], "answeredInTime" | "answerDue">,
  { deadline, locale }: { deadline: number | null; locale: Locale },
): string {
  const say = wordsIn(locale, "insights");
  if (answerDue === 0) return say("finding.answers.none");
  if (answerDue < TOO_FEW) return say("finding.answers.few", { due: answerDue });
  const value = Math.round((100 * answeredInTime) / answerDue);
  return say("finding.answers.share", { value, due: answerDue, hours: deadline ?? 0 });
}

export function channelFinding({ anonymous, named }: Insights["byChannel"], locale: Locale): string {
  const say = wordsIn(locale, "insights");
  const total = anonymous + named;
  if (total === 0) return say("finding.nothing");
  if (anonymous === 0) return say("finding.channel.named", { total });
  if (named === 0) return say("finding.channel.anonymous", { total });
  return say("finding.channel.some", { anonymous, total });
}

/**
 * @param kinds with their names as they are read, the most frequent first
 * @param total all reports, with a kind or not; `others` those with a kind that isn't named
 */
export function kindFinding(
  kinds: readonly { name: string; count: number }[],
  { total, others, locale }: { total: number; others: number; locale: Locale },
): string {
  const say = wordsIn(locale, "insights");
  const [first, second] = kinds;
  if (total === 0) return say("finding.nothing");
  if (!first) return others > 0 ? say("finding.kinds.own", { others, total }) : say("finding.kinds.none");
  if (second?.count === first.count) return say("finding.kinds.even", { most: first.count, total });
  return say("finding.kinds.most", { kind: first.name, most: first.count, total });
}

/** @param open how many were open at the end of each month, the present one last */
export function backlogFinding(open: readonly number[], locale: Locale): string {
  const say = wordsIn(locale, "insights");
  const now = open.at(-1) ?? 0;
  const before = open.at(-2);
  if (before === undefined) return say("finding.backlog.now", { now });
  if (now === before) return say("finding.backlog.same", { now });
  return say("finding.backlog.changed", { now, before });
}

/** @param states in the order of the workflow */
export function funnelFinding(states: Analytics["byStatus"], locale: Locale): string {
  const say = wordsIn(locale, "insights");
  const reached = sum(states.filter(({ status }) => status === "resolved" || status === "closed"));
  const total = sum(states);
  return total === 0 ? say("finding.nothing") : say("finding.funnel", { reached, total });
}

/** Hours as people say them: "25 min", "5.3 h", "3.2 days". */
export function hoursInWords(hours: number, locale: Locale): string {
  const say = wordsIn(locale, "insights");
  if (hours < 1) return say("duration.minutes", { value: Math.round(hours * 60) });
  if (hours < 48) return say("duration.hours", { value: rounded(hours) });
  return say("duration.days", { value: rounded(hours / 24) });
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

const sum = (rows: readonly { count: number }[]): number =>
  rows.reduce((total, { count }) => total + count, 0);
