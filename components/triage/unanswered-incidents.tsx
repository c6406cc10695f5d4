import { useTranslator } from "#i18n";
import { SeverityBadge, UrgentBadge } from "#components/incident/badges.tsx";
import { Card } from "#components/ui/card.tsx";
import { Link } from "#components/ui/link.tsx";
import { Time } from "#components/ui/time.tsx";
import { isolateBidi } from "#lib/design/bidi.ts";
import { isQuarterHour } from "#lib/design/time.ts";
import type { UnansweredIncident } from "#lib/readers/schema.ts";

type Props = { incidents: readonly UnansweredIncident[]; total: number; now: Date };

/** The incidents that wait for the reader's answer to the conflict check, above the list, which doesn't have them. */
export function UnansweredIncidents({ incidents, total, now }: Props) {
  const t = useTranslator("conflict");
  if (total === 0) return null;
  return (
    <Card title={t("waiting", { count: total })} id="unanswered">
      <ul className="divide-y divide-line">
        {incidents.map((incident) => (
          <UnansweredRow key={incident.id} incident={incident} now={now} />
        ))}
      </ul>
      {total > incidents.length && (
        <p className="text-sm text-muted">{t("waiting.more", { count: total - incidents.length })}</p>
      )}
    </Card>
  );
}

function UnansweredRow({ incident, now }: { incident: UnansweredIncident; now: Date }) {
  const t = useTranslator("conflict");
  const { id, event, severity, urgent, createdAt, reportedPersonName } = incident;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2">
      <Link
        href={`/e/${event.slug}/i/${id}`}
        className="text-link inline-flex min-h-11 items-center font-[550] wrap-anywhere"
      >
        {reportedPersonName
          ? t("waiting.about", { name: isolateBidi(reportedPersonName) })
          : t("waiting.open")}
      </Link>
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
        {urgent && <UrgentBadge />}
        <SeverityBadge severity={severity} />
        <bdi>{event.name}</bdi>
        <Time value={createdAt} now={now} isRounded={isQuarterHour(createdAt)} />
      </span>
    </li>
  );
}
