import { exactDate } from "#lib/design/time.ts";

/** When an event is, as days in UTC; nothing where it isn't known. */
export function EventDates({ startDate, endDate }: { startDate: string | null; endDate: string | null }) {
  const [from, to] = [startDate, endDate].map((at) => at && exactDate(new Date(at)));
  if (!from && !to) return null;
  if (from === to || !to) return <p className="text-muted">{to ? from : `From ${from}`}</p>;
  return <p className="text-muted">{from ? `${from} to ${to}` : `Until ${to}`}</p>;
}
