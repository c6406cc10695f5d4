"use client";

import { Icon } from "#components/ui/icon.tsx";
import clsx from "clsx";
import { memo } from "react";
import { useTranslator } from "#i18n";
import { TRIAGE_ICONS, type TriageIconName } from "#lib/design/triage-icons.ts";
import { type InboxContextValue, useInbox } from "./inbox-state.tsx";
import type { InboxRowData } from "./row-data.ts";
import styles from "./rows.module.css";

type Props = {
  /** Label of the list, for screen reader navigation. */
  label: string;
  /** Appended to an incident's URL, so that its page knows the list. */
  from: string;
  compact: boolean;
};

/**
 * Incidents as rows; cards on narrow screens. Buttons belong to the one form of the page, so that they work without
 * script. Every element repeats twenty times, so there are few.
 */
export function IncidentRows({ label, from, compact }: Props) {
  const inbox = useInbox();
  const { rows, ticked, busy, changed, setTicked, registerRow } = inbox;
  return (
    <ul aria-label={label} className={clsx(styles.rows, compact && styles.compact)}>
      {rows.map((row, at) => (
        <IncidentRow
          key={row.id}
          row={row}
          at={at}
          from={from}
          isTicked={ticked.has(row.id)}
          isBusy={busy.has(row.id)}
          isChanged={changed.has(row.id)}
          setTicked={setTicked}
          registerRow={registerRow}
        />
      ))}
    </ul>
  );
}

type RowProps = Pick<InboxContextValue, "setTicked" | "registerRow"> & {
  row: InboxRowData;
  /** Its place on the page, by which the form names it. */
  at: number;
  from: string;
  isTicked: boolean;
  isBusy: boolean;
  isChanged: boolean;
};

/** Memoized: an unchanged row doesn't render again. */
const IncidentRow = memo(function IncidentRow({
  row,
  at,
  from,
  isTicked,
  isBusy,
  isChanged,
  ...props
}: RowProps) {
  const t = useTranslator("inboxClient");
  const tIncident = useTranslator("incident");
  const { slug, id, state, title, severity = "none", unread } = row;
  return (
    <li
      ref={(element) => void props.registerRow(id, element)}
      className={clsx(styles[severity], unread && styles.unread) || undefined}
      data-row={slug}
      data-busy={isBusy ? "" : undefined}
      data-changed={isChanged ? "" : undefined}
    >
      {row.team && <RowCheckbox row={row} at={at} isTicked={isTicked} setTicked={props.setTicked} />}
      <IconBadge
        tone={`severity-${severity}`}
        word={row.urgent ? t("urgent") : tIncident(`severity.${severity}`)}
      />
      <IconBadge tone={`state-${state}`} word={tIncident(`state.${state}`)} />
      <a href={`/e/${slug}/i/${id}${from}`} title={row.whole} dir="auto">
        {unread && <span role="img" aria-label={t("new")} className={styles.dot} />}
        {unread ? ` ${title}` : title}
      </a>
      <RowDetails row={row} isChanged={isChanged} />
      <AssigneeButton row={row} at={at} />
      <time dateTime={row.reportedAt} title={row.exact}>
        {row.age}
      </time>
      <RowPinToggle row={row} at={at} />
    </li>
  );
});

type BadgeTone = Extract<TriageIconName, `${"severity" | "state"}-${string}`>;

function IconBadge({ tone, word }: { tone: BadgeTone; word: string }) {
  return (
    <span className={clsx(styles.badge, styles[tone])}>
      <Icon as={TRIAGE_ICONS[tone]} />
      {word}
    </span>
  );
}

type RowPartProps = Pick<RowProps, "row" | "at">;

function RowCheckbox({
  row,
  at,
  isTicked,
  setTicked,
}: Pick<RowProps, "row" | "at" | "isTicked" | "setTicked">) {
  const t = useTranslator("inboxClient");
  return (
    <label>
      <input
        type="checkbox"
        form="bulk-form"
        name="row"
        value={at}
        checked={isTicked}
        onChange={(event) => setTicked([row.id], event.target.checked)}
        aria-label={t("select", { title: row.title })}
      />
    </label>
  );
}

/** The details of a row. Badges, such as the deadline, come first, because they are never cut. */
function RowDetails({
  row: { about, counts = [], badges = [] },
  isChanged,
}: Pick<RowProps, "row" | "isChanged">) {
  const t = useTranslator("inboxClient");
  return (
    <p>
      {badges.map(([icon, word, title]) => (
        <span key={icon} title={title} className={clsx(styles.mark, styles[icon])}>
          <Icon as={TRIAGE_ICONS[icon]} />
          {word}
        </span>
      ))}
      {isChanged && <span className={styles.news}>{t("changedNow")}</span>}
      <span className={styles.description}>
        {about.map((text, at) => (
          <span key={at}>
            {at > 0 && <span> · </span>}
            <bdi>{text}</bdi>
          </span>
        ))}
      </span>
      {counts.map(({ icon, count, label }) => (
        <span
          key={icon}
          role="img"
          aria-label={label}
          title={label}
          className={clsx(styles.mark, styles[icon])}
        >
          <Icon as={TRIAGE_ICONS[icon]} />
          {count}
        </span>
      ))}
    </p>
  );
}

function RowPinToggle({ row, at }: RowPartProps) {
  const t = useTranslator("inboxClient");
  const { title, pinned } = row;
  return (
    <button
      type="submit"
      form="bulk-form"
      name="do"
      value={`${pinned ? "unpin" : "pin"}~${at}`}
      aria-pressed={pinned ?? false}
      aria-label={t("pin", { title })}
      title={t(pinned ? "pinned" : "pinIt")}
    >
      <Icon as={pinned ? "star-filled" : "star"} />
    </button>
  );
}

function AssigneeButton({ row, at }: RowPartProps) {
  const t = useTranslator("inboxClient");
  const { title, assignee, team } = row;
  if (assignee || !team)
    return (
      <span className={clsx(styles.who, styles.assignee)}>
        <Icon as="user-round" />
        {assignee?.name ?? t("unassigned")}
      </span>
    );
  return (
    <button
      type="submit"
      form="bulk-form"
      name="do"
      value={`assign:me~${at}`}
      title={t("takeIt")}
      aria-label={t("take", { title })}
      className={styles.who}
    >
      <Icon as="user-plus" />
      {t("assign")}
    </button>
  );
}
