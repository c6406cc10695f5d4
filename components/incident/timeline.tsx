import {
  ArrowRight,
  Clock,
  Flag,
  Heading,
  Inbox,
  Lock,
  RotateCcw,
  ScrollText,
  UserRound,
} from "lucide-react";
import type { ReactNode } from "react";
import { Icon, type LucideIcon } from "#components/ui/icon.tsx";
import { Time } from "#components/ui/time.tsx";
import { STATE_WORDS } from "#lib/incidents/lifecycle.ts";
import type { Severity, State } from "#lib/incidents/schema.ts";
import { SEVERITY_WORDS } from "./words.ts";

type Entry = {
  id: string;
  action: string;
  from: string | null;
  to: string | null;
  actor: { name: string } | null;
  note: string | null;
  createdAt: string;
};

type Props = {
  entries: readonly Entry[];
  now: Date;
  /** False for a reporter, who is told what happened and not by whom. */
  names: boolean;
};

/** What happened to a report, oldest first. */
export function Timeline({ entries, now, names }: Props) {
  return (
    <ol className="grid gap-4">
      {entries.map((entry) => (
        <li key={entry.id} className="grid grid-cols-[1.25rem_minmax(0,1fr)] gap-x-3">
          <Icon as={ICONS[entry.action] ?? Clock} className="mt-0.5 text-muted" />
          <div className="grid gap-1">
            <p>
              {wordsOf(entry)}
              {names && entry.actor && <span className="text-muted"> · {entry.actor.name}</span>}
            </p>
            {entry.note && <Note text={entry.note} />}
            <p className="text-sm text-muted">
              <Time value={entry.createdAt} now={now} show="both" />
            </p>
          </div>
        </li>
      ))}
    </ol>
  );
}

/** For the team only: always with a lock. */
function Note({ text }: { text: string }) {
  return (
    <div className="flex max-w-[68ch] gap-2 rounded-control bg-internal-soft px-3 py-2 text-ink">
      <Icon as={Lock} size={16} label="Team only" className="mt-1 text-internal" />
      <p className="min-w-0 whitespace-pre-wrap">{text}</p>
    </div>
  );
}

const ICONS: Record<string, LucideIcon> = {
  submitted: Inbox,
  state: ArrowRight,
  reopen: RotateCcw,
  assignee: UserRound,
  severity: Flag,
  resolution: ScrollText,
  title: Heading,
  note: Lock,
  deadline: Clock,
};

function wordsOf({ action, from, to }: Entry): ReactNode {
  switch (action) {
    case "submitted":
      return "Report sent";
    case "state":
      return `${stateWord(from)} → ${stateWord(to)}`;
    case "reopen":
      return `Reopened: ${stateWord(from)} → ${stateWord(to)}`;
    case "assignee":
      return to
        ? `Assigned to ${to}${from ? `, before: ${from}` : ""}`
        : `No longer assigned to ${from ?? "anybody"}`;
    case "severity":
      return `Severity: ${severityWord(from)} → ${severityWord(to)}`;
    case "resolution":
      return to ? "Resolution written" : "Resolution removed";
    case "title":
      return `Title changed, before: “${from ?? ""}”`;
    case "note":
      return "Note of the team";
    case "deadline":
      return `Not answered within ${to ?? "the time set"}; marked as escalated`;
    default:
      return action;
  }
}

const stateWord = (value: string | null) => STATE_WORDS[value as State] ?? value ?? "";
const severityWord = (value: string | null) =>
  value ? (SEVERITY_WORDS[value as Severity] ?? value) : "Not set";
