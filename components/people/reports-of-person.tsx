import { useLocale, useTranslator } from "#i18n";
import { StatusBadge } from "#components/incident/badges.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { Link } from "#components/ui/link.tsx";
import { Time } from "#components/ui/time.tsx";
import { formatMonthAndYear } from "#lib/design/time.ts";
import type { IncidentState } from "#lib/incidents/schema.ts";

type ReportData = {
  id: string;
  title: string;
  state: IncidentState;
  createdAt: string;
  resolvedAt: string | null;
  event: { name: string; slug: string };
};
type Props = { count: number; newest: readonly ReportData[]; counted: "earlier" | "others" | "reports" };

/** Says how many reports name a person and how the last of them ended, and lists the newest; nothing without any. */
export function ReportsOfPerson({ count, newest, counted }: Props) {
  const t = useTranslator("people");
  const locale = useLocale();
  const [last] = newest;
  if (!last) return null;
  const month = formatMonthAndYear((last.resolvedAt ?? last.createdAt).slice(0, "2026-11".length), locale);
  return (
    <Disclosure summary={t(`count.${counted}`, { count, state: last.state, month })}>
      <ul className="grid gap-2">
        {newest.map(({ id, title, state, createdAt, event }) => (
          <li key={id} className="grid min-w-0 gap-0.5">
            <Link
              href={`/e/${event.slug}/i/${id}`}
              className="text-link inline-flex min-h-11 items-center wrap-anywhere"
            >
              <bdi>{title}</bdi>
            </Link>
            <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
              <StatusBadge state={state} />
              <bdi className="wrap-anywhere">{event.name}</bdi>
              <Time value={createdAt} show="date" />
            </span>
          </li>
        ))}
      </ul>
      {count > newest.length && (
        <p className="pt-2 text-muted">{t("moreReports", { count: count - newest.length })}</p>
      )}
    </Disclosure>
  );
}
