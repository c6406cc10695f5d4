"use client";

import clsx from "clsx";
import { memo, useMemo } from "react";
import type { Severity } from "#lib/incidents/schema.ts";
import { useTranslator } from "#i18n";
import { parseRowRef } from "./bulk-actions.ts";
import icons from "./triage-icons.module.css";
import type { TriageIconName } from "./triage-icons.ts";
import styles from "./rows.module.css";

/**
 * What a row shows of an incident, as text: see row-facts.ts. Values that don't apply are omitted, because a
 * page has twenty rows.
 */
export type RowFacts = {
  title: string;
  stateWord: string;
  severity?: Severity | undefined;
  severityWord: string;
  /** Event, incident type and reporter. */
  about: string;
  /** The full text, if the event's name in it is shortened. */
  whole?: string | undefined;
  assignee?: { id: string; name: string } | undefined;
  /** Whether it can be checked and assigned. */
  team?: true | undefined;
  pinned?: true | undefined;
  unread?: true | undefined;
  ticked?: true | undefined;
  counts?: readonly { icon: TriageIconName; count: number; label: string }[] | undefined;
  /** What is due, and whose reply is awaited. */
  clocks?: readonly { icon: ClockIconName; word: string; title: string }[] | undefined;
  /** When it was reported: as ISO 8601, as a relative time, and exactly. */
  at: string;
  age: string;
  exact: string;
};

type ClockIconName = Extract<TriageIconName, "due" | "view-overdue" | "view-waiting" | "view-answer">;

type Props = {
  /** Label of the list, for screen reader navigation. */
  label: string;
  /**
   * One line per row: how forms identify the incident (bulk-actions.ts), and `RowFacts` as JSON. A string, because
   * React would process every value separately, for each page.
   */
  rows: string;
  /** Appended to an incident's address, so that its page knows the list. */
  from: string;
  compact: boolean;
};

/**
 * Incidents as rows; cards on narrow screens. Buttons belong to the one form of the page, and rows have no
 * script of their own. A client component only so that the page contains the rows once, as data, and not
 * every element a second time. Every element repeats twenty times, so there are few.
 */
export function IncidentRows({ label, rows, from, compact }: Props) {
  return (
    <ul aria-label={label} className={clsx(styles.rows, compact && styles.compact)}>
      {rows.split("\n").map((row) => (
        <IncidentRow key={parseRowRef(readRowValue(row))?.id} line={row} from={from} />
      ))}
    </ul>
  );
}

const readRowValue = (line: string) => line.slice(0, line.indexOf(" "));

/** Memoized: an unchanged row doesn't render again. */
const IncidentRow = memo(function IncidentRow({ line, from }: { line: string; from: string }) {
  const row = useMemo(() => JSON.parse(line.slice(line.indexOf(" "))) as RowFacts, [line]);
  const t = useTranslator("inboxClient");
  const value = readRowValue(line);
  const { slug, id, state = "submitted" } = parseRowRef(value) ?? {};
  const { title, severity, pinned, unread } = row;
  return (
    <li
      className={clsx(styles.row, severity && styles[severity], unread && styles.unread)}
      data-row={value}
      data-severity={severity ?? ""}
      data-assignee={row.assignee?.id ?? ""}
      data-pinned={pinned}
      data-unread={unread}
    >
      {row.team && <RowCheckbox row={row} value={value} />}
      <span className={badgeClass(`severity-${severity ?? "none"}`)}>{row.severityWord}</span>
      <span className={badgeClass(`state-${state}`)}>{row.stateWord}</span>
      <a href={`/e/${slug}/i/${id}${from}`} className={styles.title} title={row.whole} dir="auto">
        {unread && <span role="img" aria-label={t("new")} className={styles.dot} />}
        {unread ? ` ${title}` : title}
      </a>
      <RowDetails {...row} />
      <AssigneeButton row={row} value={value} />
      <time dateTime={row.at} title={row.exact} className={styles.age}>
        {row.age}
      </time>
      <PinToggle row={row} value={value} />
    </li>
  );
});

type RowPartProps = {
  row: RowFacts;
  /** How forms identify the incident. */
  value: string;
};

function RowCheckbox({ row: { title, ticked }, value }: RowPartProps) {
  const t = useTranslator("inboxClient");
  return (
    <label className={styles.tick}>
      <input
        type="checkbox"
        form="desk"
        name="row"
        value={value}
        defaultChecked={ticked ?? false}
        aria-label={t("select", { title })}
      />
    </label>
  );
}

function RowDetails({ about, counts = [], clocks = [] }: RowFacts) {
  return (
    <p className={styles.about}>
      <span dir="auto">{about}</span>
      {counts.map(({ icon, count, label }) => (
        <span key={icon} role="img" aria-label={label} title={label} className={iconClass(icon)}>
          {count}
        </span>
      ))}
      {clocks.map(({ icon, word, title }) => (
        <span key={icon} title={title} className={iconClass(icon)}>
          {word}
        </span>
      ))}
    </p>
  );
}

function PinToggle({ row: { title, pinned }, value }: RowPartProps) {
  const t = useTranslator("inboxClient");
  return (
    <button
      type="submit"
      form="desk"
      name="do"
      value={`${pinned ? "unpin" : "pin"}~${value}`}
      aria-pressed={pinned ?? false}
      aria-label={t("pin", { title })}
      title={t(pinned ? "pinned" : "pinIt")}
      className={pinned ? STARRED_CLASS : STAR_CLASS}
    />
  );
}

function AssigneeButton({ row: { title, assignee, team }, value }: RowPartProps) {
  const t = useTranslator("inboxClient");
  if (assignee || !team) return <span className={ASSIGNEE_CLASS}>{assignee?.name ?? t("unassigned")}</span>;
  return (
    <button
      type="submit"
      form="desk"
      name="do"
      value={`assign:me~${value}`}
      title={t("takeIt")}
      aria-label={t("take", { title })}
      className={TAKE_CLASS}
    >
      {t("assign")}
    </button>
  );
}

const STAR_CLASS = clsx(styles.press, styles.star, icons.star);
const STARRED_CLASS = clsx(styles.press, styles.star, icons.starred);
const ASSIGNEE_CLASS = clsx(styles.who, styles.assignee, icons.person);
const TAKE_CLASS = clsx(styles.who, styles.press, icons.take);

const badgeClass = (tone: Extract<TriageIconName, `${"severity" | "state"}-${string}`>) =>
  clsx(styles.badge, styles[tone], icons[tone]);

const iconClass = (icon: TriageIconName) => clsx(styles.mark, styles[icon], icons[icon]);
