import { monthName } from "#lib/design/time.ts";
import type { MonthCount } from "./period.ts";
import type { Analytics } from "./schema.ts";

/** What a chart shows, as the sentence over it: the finding first, the picture after it. */

/** Below this many reports a median says more about one person than about the work. */
export const TOO_FEW = 5;

export function monthlyFinding(months: readonly MonthCount[]): string {
  const total = sum(months);
  const most = Math.max(0, ...months.map(({ count }) => count));
  const busiest = months.filter(({ count }) => count === most);
  if (total === 0) return "No report came in";
  if (total === 1) return `One report came in, in ${monthName(busiest[0]?.month ?? "")}`;
  if (months.length === 1) return `${reports(total)} in ${monthName(months[0]?.month ?? "")}`;
  if (busiest.length > 2) return `Never more than ${reports(most)} a month, ${total} in all`;
  return `Most reports came in ${busiest.map(({ month }) => monthName(month)).join(" and ")}, ${busiest.length > 1 ? `${most} each` : most} of ${total}`;
}

export function statusFinding(states: Analytics["byStatus"]): string {
  const total = sum(states);
  const waiting = states.find(({ status }) => status === "submitted")?.count ?? 0;
  if (total === 0) return "No report to show";
  if (total === 1)
    return waiting === 1
      ? "The one report waits for a first answer"
      : "The one report has had a first answer";
  if (waiting === 0) return `All ${total} reports have had a first answer`;
  if (waiting === total) return `All ${total} reports wait for a first answer`;
  return `${waiting} of ${total} reports ${waiting === 1 ? "waits" : "wait"} for a first answer`;
}

export function severityFinding(severities: Analytics["bySeverity"]): string {
  const total = sum(severities);
  const count = (wanted: string) => severities.find(({ severity }) => severity === wanted)?.count ?? 0;
  const grave = count("high") + count("critical");
  if (total === 0) return "No report to show";
  if (count("none") === total) return "No report has a severity yet";
  if (grave === 0) return "No report is high or critical";
  if (total === 1) return "The one report is high or critical";
  return `${grave} of ${total} reports ${grave === 1 ? "is" : "are"} high or critical`;
}

export function eventFinding(events: Analytics["byEvent"]): string {
  const total = sum(events);
  const most = Math.max(0, ...events.map(({ count }) => count));
  const top = events.filter(({ count }) => count === most);
  const [first] = top;
  if (total === 0 || !first) return "No report to show";
  if (first.count === total)
    return `${total === 1 ? "The one report" : `All ${total} reports`} came from ${first.eventName}`;
  if (top.length > 1) return `${top.length} events had the most reports, ${most} each of ${total}`;
  return `${first.eventName} had the most reports, ${most} of ${total}`;
}

/** Hours as people say them: "25 min", "5.3 h", "3.2 days". */
export function hoursInWords(hours: number): string {
  if (hours < 1) return `${Math.round(hours * 60)} min`;
  if (hours < 48) return `${trimmed(hours)} h`;
  return `${trimmed(hours / 24)} days`;
}

const trimmed = (value: number): string => value.toFixed(1).replace(/\.0$/, "");
const reports = (count: number): string => (count === 1 ? "1 report" : `${count} reports`);
const sum = (rows: readonly { count: number }[]): number =>
  rows.reduce((total, { count }) => total + count, 0);
