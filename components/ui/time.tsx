import { useTimeFormat } from "#i18n";
import { formatDate, formatDateTime, formatRelativeTime } from "#lib/design/time.ts";

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
};

/** A time in the reader's language, always with its exact time and zone. */
export function Time({ value, now, show = now ? "relative" : "exact" }: Props) {
  const at = typeof value === "string" ? new Date(value) : value;
  const format = useTimeFormat();
  const exact = formatDateTime(at, format);
  return (
    <time
      dateTime={at.toISOString()}
      title={exact}
      className={show === "both" ? "*:whitespace-nowrap" : "whitespace-nowrap"}
    >
      {show === "date" ? (
        formatDate(at, format)
      ) : show === "exact" || !now ? (
        exact
      ) : (
        <RelativeTime at={at} now={now} both={show === "both"} />
      )}
    </time>
  );
}

function RelativeTime({ at, now, both }: { at: Date; now: Date; both: boolean }) {
  const format = useTimeFormat();
  return (
    <>
      <span className="print:hidden">{formatRelativeTime(at, now, format)}</span>
      {both && <span className="text-muted print:hidden"> · </span>}
      <span className={both ? "text-muted" : "hidden print:inline"}>{formatDateTime(at, format)}</span>
    </>
  );
}
