import { Icon, type IconName } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";
import { Time } from "#components/ui/time.tsx";
import { parseIncidentKind } from "#lib/incidents/kinds.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import { useTranslator } from "#i18n";
import { StatusBadge } from "./badges.tsx";
import { IncidentPinToggle } from "./pin-toggle.tsx";

type Props = {
  incidents: readonly Incident[];
  /** Ids of the incidents that the current user pinned. */
  pinned: readonly string[];
  now: Date;
  /** Shows each row's event, if the list spans several. */
  withEvent?: boolean;
};

/** A person's own reports as cards: subject, status, and next step. */
export function OwnIncidentList({ incidents, pinned, now, withEvent = false }: Props) {
  return (
    <ul className="grid gap-3">
      {incidents.map((incident) => (
        <IncidentCard
          key={incident.id}
          incident={incident}
          pinned={pinned.includes(incident.id)}
          now={now}
          withEvent={withEvent}
        />
      ))}
    </ul>
  );
}

type CardProps = { incident: Incident; pinned: boolean; now: Date; withEvent: boolean };

/** The whole card links to the report; the pin button lies in front of the link, so that it can be pressed. */
function IncidentCard({ incident, pinned, now, withEvent }: CardProps) {
  const t = useTranslator("mine");
  const tIncident = useTranslator("incident");
  const tMailbox = useTranslator("mailbox");
  const { event, state, type, relatedFiles, assignedResponder } = incident;
  // Whether the team has written isn't loaded here, so that the text about a submitted report leaves it open.
  const status = state === "submitted" ? tMailbox("state.submitted") : tIncident(`now.${state}`);
  const kind = parseIncidentKind(type);
  const about = [withEvent && event.name, kind ? tIncident(`kind.${kind}`) : type]
    .filter(Boolean)
    .join(" · ");
  return (
    <li className="relative grid gap-1.5 rounded-surface border border-line bg-surface p-4 hover:bg-sunken/60 sm:px-6">
      <div className="flex items-center justify-between gap-3">
        <StatusBadge state={state} />
        <div className="relative z-10 -my-2 -me-2">
          <IncidentPinToggle incident={incident} pinned={pinned} />
        </div>
      </div>
      <Link
        href={`/e/${event.slug}/i/${incident.id}`}
        className="text-lg font-[650] wrap-anywhere after:absolute after:inset-0 hover:underline"
      >
        <bdi>{incident.title}</bdi>
      </Link>
      <p className="max-w-[68ch] text-muted">{status}</p>
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-muted">
        <Time value={incident.createdAt} now={now} />
        {about && <span className="min-w-0 wrap-anywhere">{about}</span>}
        {relatedFiles.length > 0 && (
          <CardFact icon="paperclip">{tIncident("files", { count: relatedFiles.length })}</CardFact>
        )}
        {assignedResponder && (
          <CardFact icon="user-round">{t("assigned", { name: assignedResponder.name })}</CardFact>
        )}
      </p>
    </li>
  );
}

function CardFact({ icon, children }: { icon: IconName; children: string }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1">
      <Icon as={icon} size={16} />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </span>
  );
}
