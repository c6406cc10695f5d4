import clsx from "clsx";
import { Paperclip, UserRound } from "lucide-react";
import { Icon } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Incident } from "#lib/incidents/schema.ts";
import { SeverityBadge, StateBadge } from "./badges.tsx";
import { PinButton } from "./pin-button.tsx";
import { counted } from "./words.ts";

type Props = {
  incidents: readonly Incident[];
  /** Ids of the reports that this person pinned. */
  pinned: readonly string[];
  now: Date;
  /** Names the event of each row, where the list holds several. */
  withEvent?: boolean;
  /** The list of somebody's own reports: who reported needs no saying. */
  own?: boolean;
};

/** Reports as rows; cards on narrow screens. */
export function IncidentList({ incidents, pinned, now, withEvent = false, own = false }: Props) {
  return (
    <ul className="grid gap-3 min-[56.25rem]:gap-0 min-[56.25rem]:overflow-hidden min-[56.25rem]:rounded-surface min-[56.25rem]:border min-[56.25rem]:border-line min-[56.25rem]:bg-surface">
      {incidents.map((incident) => (
        <Row
          key={incident.id}
          incident={incident}
          pinned={pinned.includes(incident.id)}
          now={now}
          about={aboutOf(incident, { withEvent, own })}
        />
      ))}
    </ul>
  );
}

type RowProps = { incident: Incident; pinned: boolean; now: Date; about: string };

/** The whole row leads to the report; the star lies above that. */
function Row({ incident, pinned, now, about }: RowProps) {
  return (
    <li
      className={clsx(
        "relative grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1.5 border-s-4 px-4 py-3",
        "rounded-surface border-y border-e border-y-line border-e-line bg-surface hover:bg-sunken/60",
        "min-[56.25rem]:grid-cols-[6.75rem_minmax(0,1fr)_9.5rem_10rem_6.5rem_2.75rem] min-[56.25rem]:rounded-none min-[56.25rem]:border-t-0 min-[56.25rem]:border-e-0 min-[56.25rem]:last:border-b-0 min-[56.25rem]:py-1.5",
        EDGES[incident.severity ?? "none"],
      )}
    >
      <div className="flex flex-wrap gap-2 min-[56.25rem]:contents">
        <span className="min-[56.25rem]:col-start-1 min-[56.25rem]:row-start-1">
          <SeverityBadge severity={incident.severity} />
        </span>
        <span className="min-[56.25rem]:col-start-3 min-[56.25rem]:row-start-1">
          <StateBadge state={incident.state} />
        </span>
      </div>
      <div className="col-span-2 row-start-2 min-w-0 min-[56.25rem]:col-span-1 min-[56.25rem]:col-start-2 min-[56.25rem]:row-start-1">
        <Link
          href={`/e/${incident.event.slug}/i/${incident.id}`}
          className="block font-[650] after:absolute after:inset-0 hover:underline min-[56.25rem]:truncate"
        >
          {incident.title}
        </Link>
        <p className="flex flex-wrap gap-x-3 text-sm text-muted min-[56.25rem]:flex-nowrap">
          <span className="min-w-0 min-[56.25rem]:truncate">{about}</span>
          {incident.relatedFiles.length > 0 && <Files count={incident.relatedFiles.length} />}
        </p>
      </div>
      <div className="col-span-2 flex justify-between gap-4 text-sm text-muted min-[56.25rem]:contents">
        <span className="inline-flex min-w-0 items-center gap-1.5 min-[56.25rem]:col-start-4 min-[56.25rem]:row-start-1">
          <Icon as={UserRound} size={16} />
          <span className="min-w-0 truncate">{incident.assignedResponder?.name ?? "Unassigned"}</span>
        </span>
        <span className="min-[56.25rem]:col-start-5 min-[56.25rem]:row-start-1 min-[56.25rem]:text-end">
          <Time value={incident.createdAt} now={now} />
        </span>
      </div>
      <div className="relative z-10 col-start-2 row-start-1 -me-2 -mt-2 min-[56.25rem]:col-start-6 min-[56.25rem]:m-0">
        <PinButton incident={incident} pinned={pinned} />
      </div>
    </li>
  );
}

function Files({ count }: { count: number }) {
  return (
    <span className="inline-flex shrink-0 items-center gap-1">
      <Icon as={Paperclip} size={16} />
      {counted(count, "file")}
    </span>
  );
}

/** Event, kind and reporter, as far as they are known. */
function aboutOf(incident: Incident, { withEvent, own }: { withEvent: boolean; own: boolean }): string {
  const who = incident.reporter?.name ?? "anonymous";
  return (
    [withEvent && incident.event.name, incident.type, !own && who].filter(Boolean).join(" · ") ||
    "No kind given"
  );
}

const EDGES = {
  critical: "border-s-severity-critical",
  high: "border-s-severity-high",
  medium: "border-s-severity-medium",
  low: "border-s-severity-low",
  none: "border-s-line",
};
