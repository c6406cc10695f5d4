import clsx from "clsx";
import type { ReactNode } from "react";
import { useTimeFormatOptions, useTranslator } from "#i18n";
import { Badge } from "#components/ui/badge.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { Icon, type IconName } from "#components/ui/icon.tsx";
import { Time } from "#components/ui/time.tsx";
import { useDayFormatter } from "#components/ui/use-day-text.ts";
import { UserText } from "#components/ui/user-text.tsx";
import { truncateText } from "#lib/design/truncate.ts";
import { describeHistoryChange, HISTORY_ACTIONS_WITH_DAY_ONLY } from "#lib/conversations/history-text.ts";
import { isHistoryEntryTimeRounded } from "#lib/incidents/rounded-times.ts";
import { groupRapidChanges } from "./rapid-changes.ts";
import { TimelineItemHiddenWhileNew } from "./hidden-new-entries.tsx";

/** A history entry as in the API. */
export type TimelineEntryData = {
  id: string;
  kind: string;
  action: string;
  from: string | null;
  to: string | null;
  actor: { id: string; name: string } | null;
  comment: Comment | null;
  createdAt: string;
};

type Comment = {
  id: string | null;
  visibility: "internal" | "public";
  body: string | null;
  html: string | null;
  outcome: boolean;
  fromMailbox: boolean;
  edited: boolean;
  updatedAt: string | null;
};

/** A note or message that hasn't been deleted. */
export type TimelineEntryWithComment = TimelineEntryData & {
  comment: Comment & { id: string; body: string; html: string; updatedAt: string };
};

type Props = {
  entries: readonly TimelineEntryData[];
  now: Date;
  /** Whether each entry names the person who acted; false for reporters. */
  names: boolean;
  /** URL of the page with these entries, for their permalinks. */
  href: string;
  /** Label of a note or message: "Message to reporter". */
  label: (entry: TimelineEntryWithComment) => string;
  /** Buttons for what the viewer may do with a note or message. */
  actions: (entry: TimelineEntryWithComment) => ReactNode;
};

/** The history and messages of an incident, oldest first, in one stream. */
export function IncidentTimeline({ entries, ...rest }: Props) {
  return (
    <ol className="grid gap-3">
      {groupRapidChanges(entries).map((group) => (
        <TimelineItemHiddenWhileNew key={group[0]?.id} ids={group.map(({ id }) => id)}>
          {group.length > 1 ? (
            <ChangeGroup entries={group} {...rest} />
          ) : (
            group.map((entry) => renderEntry(entry, rest))
          )}
        </TimelineItemHiddenWhileNew>
      ))}
    </ol>
  );
}

type EntryContext = Omit<Props, "entries">;

function renderEntry(entry: TimelineEntryData, around: EntryContext): ReactNode {
  return isCommentEntry(entry) ? (
    <CommentCard key={entry.id} entry={entry} {...around} />
  ) : (
    <ChangeLine key={entry.id} entry={entry} {...around} />
  );
}

const isCommentEntry = (entry: TimelineEntryData): entry is TimelineEntryWithComment =>
  (entry.action === "message" || entry.action === "note") && Boolean(entry.comment?.html && entry.comment.id);

/** Many minor changes collapsed into one line. */
function ChangeGroup({ entries, ...around }: Props) {
  const t = useTranslator("ownReport");
  const latest = entries.at(-1)!;
  const { actor, createdAt } = latest;
  return (
    <Disclosure
      summary={
        <span className="font-normal text-muted">
          {around.names && actor
            ? t("burstBy", { count: entries.length, name: actor.name })
            : t("burst", { count: entries.length })}
          {" · "}
          <Time
            value={createdAt}
            now={around.now}
            isRounded={around.names && isHistoryEntryTimeRounded(latest)}
          />
        </span>
      }
    >
      <ol className="grid gap-3 ps-2">
        {entries.map((entry) => (
          <li key={entry.id}>{renderEntry(entry, around)}</li>
        ))}
      </ol>
    </Disclosure>
  );
}

/** A change, as one gray line. */
function ChangeLine({ entry, now, names, href }: EntryContext & { entry: TimelineEntryData }) {
  return (
    <div
      id={`entry-${entry.id}`}
      className="flex scroll-mt-40 gap-2.5 rounded-control text-sm text-muted target:bg-accent-soft"
    >
      <Icon
        as={ACTION_ICONS[entry.action] ?? "clock"}
        size={16}
        className={clsx("ms-0.5 mt-0.5", entry.action === "state" && "rtl:-scale-x-100")}
      />
      <div className="min-w-0">
        <p className="wrap-anywhere">
          <span className="text-ink">
            {describeHistoryChange({ translate: useTranslator, format: useTimeFormatOptions() }, entry)}
          </span>
          {names && entry.actor && ` · ${entry.actor.name}`}
          {" · "}
          <EntryPermalink href={`${href}#entry-${entry.id}`}>
            <EntryTime entry={entry} now={now} isRounded={names && isHistoryEntryTimeRounded(entry)} />
          </EntryPermalink>
        </p>
        {entry.action === "intake.confirmed" && entry.from && <EarlierText text={entry.from} />}
      </div>
    </div>
  );
}

/** The texts that the person corrected in a report that was taken for them, in full. */
function EarlierText({ text }: { text: string }) {
  const t = useTranslator("intake");
  return (
    <Disclosure summary={t("entry.before")}>
      <UserText>{text}</UserText>
    </Disclosure>
  );
}

/** A note or message. Team notes always show a lock, and what the reporter reads shows an eye. */
function CommentCard({
  entry,
  now,
  names,
  href,
  label,
  actions,
}: EntryContext & { entry: TimelineEntryWithComment }) {
  const t = useTranslator("ownReport");
  const { id, visibility, body, edited, updatedAt } = entry.comment;
  return (
    <article
      id={`comment-${id}`}
      aria-label={label(entry)}
      className={clsx(
        "grid scroll-mt-40 gap-2 rounded-control border-s-4 px-4 py-3 target:outline-2 target:outline-accent",
        CARD_BACKGROUNDS[visibility],
      )}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <CommentAuthor entry={entry} />
        <Badge tone={visibility}>{label(entry)}</Badge>
        <span className="text-sm">
          <EntryPermalink href={`${href}#comment-${id}`}>
            <Time value={entry.createdAt} now={now} isRounded={names && isHistoryEntryTimeRounded(entry)} />
          </EntryPermalink>
          {edited && (
            <>
              {` · ${t("edited")} `}
              <Time value={updatedAt} now={now} />
            </>
          )}
        </span>
      </div>
      <CommentBody body={body} />
      {actions(entry)}
    </article>
  );
}

function CommentAuthor({ entry }: { entry: TimelineEntryWithComment }) {
  const t = useTranslator("incident");
  return (
    <span className="min-w-0 font-[650] wrap-anywhere">
      {entry.comment.fromMailbox ? t("anonymous") : (entry.actor?.name ?? t("gone"))}
    </span>
  );
}

/** Length above which a text is collapsed, and the length of its preview. */
const MAX_FULL_COMMENT = { letters: 2_000, lines: 30 };
const MAX_COMMENT_PREVIEW = { letters: 500, lines: 8 };

/** The text; a very long one is collapsed, and complete in print. */
function CommentBody({ body }: { body: string }) {
  const t = useTranslator("ownReport");
  if (
    body.length <= MAX_FULL_COMMENT.letters &&
    body.split("\n", MAX_FULL_COMMENT.lines + 1).length <= MAX_FULL_COMMENT.lines
  )
    return <UserText>{body}</UserText>;
  return (
    <div className="group/folded grid gap-1">
      <div className="group-has-open/folded:hidden print:hidden">
        <UserText>{truncateText(body, MAX_COMMENT_PREVIEW)}</UserText>
      </div>
      <Disclosure
        summary={
          <>
            <span className="group-open/disclosure:hidden print:hidden">{t("showFullText")}</span>
            <span className="hidden group-open/disclosure:inline print:hidden">{t("showLess")}</span>
          </>
        }
      >
        <UserText>{body}</UserText>
      </Disclosure>
    </div>
  );
}

const CARD_BACKGROUNDS = {
  internal: "border-internal bg-internal-soft",
  public: "border-public bg-public-soft",
};

/** The entry's time as a permalink to it. */
function EntryPermalink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a
      href={href}
      className="relative inline-flex min-h-6 items-center underline-offset-3 after:absolute after:-inset-2.5 hover:underline"
    >
      {children}
    </a>
  );
}

type EntryTimeProps = { entry: TimelineEntryData; now: Date; isRounded: boolean };

function EntryTime({ entry: { action, createdAt }, now, isRounded }: EntryTimeProps) {
  const formatDay = useDayFormatter();
  if (HISTORY_ACTIONS_WITH_DAY_ONLY.includes(action)) return formatDay(createdAt);
  return <Time value={createdAt} now={now} isRounded={isRounded} />;
}

const ACTION_ICONS: Record<string, IconName> = {
  submitted: "inbox",
  state: "arrow-right",
  reopen: "rotate-ccw",
  assignee: "user-round",
  severity: "flag",
  kind: "scroll-text",
  where: "scroll-text",
  when: "scroll-text",
  summary: "scroll-text",
  resolution: "scroll-text",
  title: "letter-h",
  note: "lock",
  "note.edited": "lock",
  "note.deleted": "lock",
  message: "message-square",
  "message.edited": "message-square",
  "message.deleted": "message-square",
  "file.added": "paperclip",
  "file.changed": "paperclip",
  "file.deleted": "paperclip",
  "file.original": "paperclip",
  deadline: "clock",
  withdrawn: "rotate-ccw",
  "mailbox.closed": "lock",
  hidden: "eye-off",
  exclusionLifted: "eye",
  listEnded: "eye",
  emergency: "shield-exclamation-point",
  intake: "notebook-pen",
  "intake.confirmed": "notebook-pen",
  downloaded: "download",
  "conversation.created": "mail",
  "conversation.sent": "mail",
  "conversation.received": "mail",
  "conversation.read": "mail",
  "conversation.closed": "mail",
  "conversation.renewed": "mail",
};
