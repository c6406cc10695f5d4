import { useTimeFormatOptions } from "#i18n";
import {
  formatDate,
  formatDateTime,
  formatRelativeTime,
  formatDateAndQuarterHourSpan,
  formatRelativeTimeOrQuarterHour,
  isTooRecentForRelativeTime,
} from "#lib/design/time.ts";

type Props = {
  /** A date, or an ISO 8601 text. */
  value: Date | string;
  /** When the page is rendered; required for relative times. */
  now?: Date;
  /**
   * "relative": "3 h ago", with the exact time in the tooltip and in print. "both": relative and exact, where
   * the exact time matters. "exact" and "date": no relative time.
   */
  show?: "relative" | "both" | "exact" | "date";
  /** Whether the time is rounded to a quarter of an hour: shows the span, "15:30–15:45", never "5 min ago". */
  isRounded?: boolean;
};

/** A time in the reader's language, always with its exact time and zone. */
export function Time({ value, now, show = now ? "relative" : "exact", isRounded = false }: Props) {
  const at = typeof value === "string" ? new Date(value) : value;
  const format = useTimeFormatOptions();
  const exact = isRounded ? formatDateAndQuarterHourSpan(at, format) : formatDateTime(at, format);
  const relative = now && (isRounded ? formatRelativeTimeOrQuarterHour : formatRelativeTime)(at, now, format);
  // A recent rounded time has no relative one, and of one long ago it is the date that the exact one begins with.
  const isExactAlone =
    !relative ||
    show === "exact" ||
    (show === "both" &&
      ((isRounded && isTooRecentForRelativeTime(at, now)) || relative === formatDate(at, format)));
  return (
    <time
      dateTime={at.toISOString()}
      title={exact}
      className={show === "both" ? "*:whitespace-nowrap" : "whitespace-nowrap"}
    >
      {show === "date" ? (
        formatDate(at, format)
      ) : isExactAlone ? (
        exact
      ) : (
        <RelativeTime relative={relative} exact={exact} both={show === "both"} />
      )}
    </time>
  );
}

function RelativeTime({ relative, exact, both }: { relative: string; exact: string; both: boolean }) {
  return (
    <>
      <span className="print:hidden">{relative}</span>
      {both && <span className="text-muted print:hidden"> · </span>}
      <span className={both ? "text-muted" : "hidden print:inline"}>{exact}</span>
    </>
  );
}
