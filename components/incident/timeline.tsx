import {
  ArrowRight,
  Clock,
  Eye,
  Flag,
  Heading,
  Inbox,
  Lock,
  MessageSquare,
  Paperclip,
  RotateCcw,
  ScrollText,
  UserRound,
} from "lucide-react";
import type { ReactNode } from "react";
import { Icon, type LucideIcon } from "#components/ui/icon.tsx";
import { Prose } from "#components/ui/prose.tsx";
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
  comment: { id: string | null; visibility: "internal" | "public"; html: string | null } | null;
  createdAt: string;
};

type Props = {
  entries: readonly Entry[];
  now: Date;
  /** False for a reporter, who is told what happened and not by whom. */
  names: boolean;
  /** Ids of the comments that the page shows in its conversation: the history leads there instead of repeating them. */
  toldAbove?: readonly string[];
};

/** What happened to a report, oldest first. */
export function Timeline({ entries, now, names, toldAbove = [] }: Props) {
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
            <Said entry={entry} toldAbove={toldAbove} />
            <p className="text-sm text-muted">
              <Time value={entry.createdAt} now={now} show="both" />
            </p>
          </div>
        </li>
      ))}
    </ol>
  );
}

/**
 * What was written, where it first stands: an edit names itself and shows nothing twice. The team's own words always
 * with a lock, what the reporter reads with an eye.
 */
function Said({ entry, toldAbove }: { entry: Entry; toldAbove: readonly string[] }) {
  const { action, comment } = entry;
  if (!comment?.html || (action !== "message" && action !== "note")) return null;
  if (comment.id && toldAbove.includes(comment.id))
    return (
      <p>
        <a href={`#comment-${comment.id}`} className="text-link inline-flex min-h-6 items-center text-sm">
          {action === "note" ? "Go to the note" : "Go to the message"}
        </a>
      </p>
    );
  const look = comment.visibility === "internal" ? TEAM_ONLY : FOR_REPORTER;
  return (
    <div className={`flex max-w-[68ch] gap-2 rounded-control px-3 py-2 text-ink ${look.ground}`}>
      <Icon as={look.icon} size={16} label={look.label} className={`mt-1 ${look.ink}`} />
      <Prose html={comment.html} />
    </div>
  );
}

const TEAM_ONLY = { ground: "bg-internal-soft", ink: "text-internal", icon: Lock, label: "Team only" };
const FOR_REPORTER = {
  ground: "bg-public-soft",
  ink: "text-public",
  icon: Eye,
  label: "The reporter can read this",
};

const ICONS: Record<string, LucideIcon> = {
  submitted: Inbox,
  state: ArrowRight,
  reopen: RotateCcw,
  assignee: UserRound,
  severity: Flag,
  resolution: ScrollText,
  title: Heading,
  note: Lock,
  "note.edited": Lock,
  "note.deleted": Lock,
  message: MessageSquare,
  "message.edited": MessageSquare,
  "message.deleted": MessageSquare,
  "file.added": Paperclip,
  "file.changed": Paperclip,
  "file.deleted": Paperclip,
  "file.original": Paperclip,
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
    case "note.edited":
      return "Note of the team edited";
    case "note.deleted":
      return "Note of the team removed";
    case "message":
      return "Message between reporter and team";
    case "message.edited":
      return "Message edited";
    case "message.deleted":
      return "Message removed";
    case "file.added":
      return `File added: ${to ?? "removed since"}`;
    case "file.changed":
      return `File described or shared: ${to ?? "removed since"}`;
    case "file.deleted":
      return `File removed: ${to ?? ""}`;
    case "file.original":
      return `Original opened: ${to ?? ""}`;
    case "deadline":
      return `Not answered within ${to ?? "the time set"}; marked as escalated`;
    default:
      return action;
  }
}

const stateWord = (value: string | null) => STATE_WORDS[value as State] ?? value ?? "";
const severityWord = (value: string | null) =>
  value ? (SEVERITY_WORDS[value as Severity] ?? value) : "Not set";
