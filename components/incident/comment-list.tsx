import clsx from "clsx";
import { Eye, Lock } from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "#components/ui/badge.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Prose } from "#components/ui/prose.tsx";
import { Time } from "#components/ui/time.tsx";

/** A note of the team or a message, as the API tells of it. */
export type Said = {
  id: string;
  visibility: "internal" | "public";
  author: { id: string; name: string } | null;
  body: string;
  html: string;
  edited: boolean;
  createdAt: string;
  updatedAt: string;
  /** Who was addressed in a note. */
  mentions?: readonly { id: string; name: string }[];
};

type Props = {
  comments: readonly Said[];
  now: Date;
  /** What each is called: "Message to the reporter". */
  label: (comment: Said) => string;
  /** What the viewer may do with it. */
  actions: (comment: Said) => ReactNode;
};

/** What was said around a report, oldest first. Notes carry a lock, what the reporter reads an eye. */
export function CommentList({ comments, now, label, actions }: Props) {
  return (
    <ol className="grid gap-4">
      {comments.map((comment) => (
        <Comment key={comment.id} comment={comment} now={now} label={label(comment)}>
          {actions(comment)}
        </Comment>
      ))}
    </ol>
  );
}

type CommentProps = { comment: Said; now: Date; label: string; children: ReactNode };

function Comment({ comment, now, label, children }: CommentProps) {
  const { id, visibility, author, html, edited, createdAt, updatedAt, mentions = [] } = comment;
  return (
    <li
      id={`comment-${id}`}
      className={clsx("grid gap-2 rounded-control border-s-4 px-4 py-3", GROUNDS[visibility])}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 font-[650]">{author?.name ?? "Somebody whose account is gone"}</span>
        <Badge tone={visibility}>{label}</Badge>
        <span className="text-sm">
          <Time value={createdAt} now={now} />
          {edited && (
            <>
              {" · edited "}
              <Time value={updatedAt} now={now} />
            </>
          )}
        </span>
      </div>
      <Prose html={html} />
      {mentions.length > 0 && <p className="text-sm">For {mentions.map(({ name }) => name).join(", ")}</p>}
      {children}
    </li>
  );
}

const GROUNDS = {
  internal: "border-internal bg-internal-soft",
  public: "border-public bg-public-soft",
};

type ComposerProps = {
  visibility: Said["visibility"];
  title: string;
  /** Who reads what is written here. */
  readers: string;
  children: ReactNode;
};

/** The box around a form to write in, in the colour and with the mark of who will read it. */
export function ComposerBox({ visibility, title, readers, children }: ComposerProps) {
  const look = LOOKS[visibility];
  return (
    <section className={clsx("rounded-surface border-2", look.edge)}>
      <div className={clsx("flex gap-3 rounded-t-[0.625rem] px-4 py-3", look.head)}>
        <Icon as={look.icon} className={clsx("mt-0.5", look.ink)} />
        <div className="grid min-w-0 gap-0.5">
          <h3 className={clsx("font-[650]", look.ink)}>{title}</h3>
          <p className="text-sm">{readers}</p>
        </div>
      </div>
      <div className="p-4">{children}</div>
    </section>
  );
}

const LOOKS = {
  internal: { icon: Lock, edge: "border-internal/50", head: "bg-internal-soft", ink: "text-internal" },
  public: { icon: Eye, edge: "border-public/50", head: "bg-public-soft", ink: "text-public" },
};
