"use client";

import clsx from "clsx";
import { memo, useMemo } from "react";
import type { Severity, State } from "#lib/incidents/schema.ts";
import { useWords } from "#words";
import icons from "./desk-icons.module.css";
import type { DeskShape } from "./desk-shapes.ts";
import looks from "./rows.module.css";

/** A report as a row shows it, in words: see row-facts.ts. */
export type RowFacts = {
  id: string;
  /** How forms name it: deeds.ts. */
  value: string;
  href: string;
  title: string;
  state: State;
  stateWord: string;
  severity: Severity | null;
  severityWord: string;
  /** Event, kind and reporter. */
  about: string;
  assignee: { id: string; name: string } | null;
  /** Can it be chosen, and given to somebody? */
  team: boolean;
  pinned: boolean;
  unread: boolean;
  ticked: boolean;
  counts: readonly { icon: DeskShape; count: number; label: string }[];
  /** What is due, and whose answer is waited for. */
  clocks: readonly { icon: ClockShape; word: string; title: string }[];
  /** When it was reported: ISO 8601, as a distance, and exactly. */
  at: string;
  age: string;
  exact: string;
};

type ClockShape = Extract<DeskShape, "due" | "view-overdue" | "view-waiting" | "view-answer">;

type Props = {
  /** Names the list for those who jump from part to part. */
  label: string;
  /**
   * A line each: the id and `RowFacts` as JSON. As values, React would look at every one of them by itself, for each
   * page anew.
   */
  rows: string;
  compact: boolean;
};

/**
 * Reports as rows; cards on narrow screens. What is pressed in them belongs to the one form of the page, and no row
 * has script of its own: they are a component of the browser's only because the page then holds them as data once,
 * and not as every element of theirs a second time. Every element of a row is there twenty times, so there are few.
 */
export function Rows({ label, rows, compact }: Props) {
  return (
    <ul aria-label={label} className={clsx(looks.rows, compact && looks.compact)}>
      {rows.split("\n").map((row) => (
        <Row key={row.slice(0, row.indexOf(" "))} facts={row.slice(row.indexOf(" "))} />
      ))}
    </ul>
  );
}

/** A row that says what it said before stays as it is. */
const Row = memo(function Row({ facts }: { facts: string }) {
  const row = useMemo(() => JSON.parse(facts) as RowFacts, [facts]);
  const t = useWords("inboxClient");
  const { value, title, severity, pinned, unread } = row;
  return (
    <li
      className={clsx(looks.row, severity && looks[severity], unread && looks.unread)}
      data-row={value}
      data-severity={severity ?? ""}
      data-assignee={row.assignee?.id ?? ""}
      data-pinned={pinned || undefined}
      data-unread={unread || undefined}
    >
      {row.team && (
        <label className={looks.tick}>
          <input
            type="checkbox"
            form="desk"
            name="row"
            value={value}
            defaultChecked={row.ticked}
            aria-label={t("select", { title })}
          />
        </label>
      )}
      <span className={badgeOf(`severity-${severity ?? "none"}`)}>{row.severityWord}</span>
      <span className={badgeOf(`state-${row.state}`)}>{row.stateWord}</span>
      <a href={row.href} className={looks.title} dir="auto">
        {unread && <span role="img" aria-label={t("new")} className={looks.dot} />}
        {unread ? ` ${title}` : title}
      </a>
      <p className={looks.about}>
        <span dir="auto">{row.about}</span>
        {row.counts.map(({ icon, count, label }) => (
          <span key={icon} role="img" aria-label={label} title={label} className={markOf(icon)}>
            {count}
          </span>
        ))}
        {row.clocks.map(({ icon, word, title: about }) => (
          <span key={icon} title={about} className={markOf(icon)}>
            {word}
          </span>
        ))}
      </p>
      <Assignee row={row} />
      <time dateTime={row.at} title={row.exact} className={looks.age}>
        {row.age}
      </time>
      <button
        type="submit"
        form="desk"
        name="do"
        value={`${pinned ? "unpin" : "pin"}~${value}`}
        aria-pressed={pinned}
        aria-label={t("pin", { title })}
        title={t(pinned ? "pinned" : "pinIt")}
        className={pinned ? STARRED : STAR}
      />
    </li>
  );
});

function Assignee({ row: { value, title, assignee, team } }: { row: RowFacts }) {
  const t = useWords("inboxClient");
  if (assignee || !team) return <span className={ASSIGNEE}>{assignee?.name ?? t("unassigned")}</span>;
  return (
    <button
      type="submit"
      form="desk"
      name="do"
      value={`assign:me~${value}`}
      title={t("takeIt")}
      aria-label={t("take", { title })}
      className={TAKE}
    >
      {t("assign")}
    </button>
  );
}

const STAR = clsx(looks.press, looks.star, icons.star);
const STARRED = clsx(looks.press, looks.star, icons.starred);
const ASSIGNEE = clsx(looks.who, looks.assignee, icons.person);
const TAKE = clsx(looks.who, looks.press, icons.take);

const badgeOf = (tone: Extract<DeskShape, `${"severity" | "state"}-${string}`>) =>
  clsx(looks.badge, looks[tone], icons[tone]);

const markOf = (icon: DeskShape) => clsx(looks.mark, looks[icon], icons[icon]);
