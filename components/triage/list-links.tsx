"use client";

import { Icon } from "#components/ui/icon.tsx";
import clsx from "clsx";
import { TRIAGE_ICONS, type TriageIconName } from "#lib/design/triage-icons.ts";
import { truncateMiddle } from "#lib/design/truncate.ts";
import styles from "./rail.module.css";

/** A link to a list, with its translated label. */
export type InboxViewLinkData = {
  href: string;
  icon: TriageIconName;
  label: string;
  /** Number of incidents. */
  count?: string;
  current?: boolean;
  /** The key that opens it after g. */
  goKey?: string;
  /** Name of the filter chip that the link opens; with script, without loading the page (filters.tsx). */
  choose?: string;
};

/**
 * The links to lists of incidents. A client component, so that the page contains each link only once, as data: see
 * `IncidentRows`.
 */
export function InboxViewLinks({ places }: { places: readonly InboxViewLinkData[] }) {
  return (
    <ul className={styles.places}>
      {places.map((place) => (
        <li key={place.href}>
          <InboxViewLink {...place} />
        </li>
      ))}
    </ul>
  );
}

export function InboxViewLink({ href, icon, label, count, current, goKey, choose }: InboxViewLinkData) {
  const shown = truncateMiddle(label, MAX_LABEL_LENGTH);
  return (
    <a
      href={href}
      aria-current={current ? "page" : undefined}
      data-go={goKey}
      data-choose={choose}
      title={shown === label ? undefined : label}
      className={clsx(styles.place, current && styles.current)}
    >
      <Icon as={TRIAGE_ICONS[icon]} />
      <span>
        {shown === label ? (
          label
        ) : (
          <>
            <span aria-hidden="true">{shown}</span>
            <span className="sr-only">{label}</span>
          </>
        )}
      </span>
      {count !== undefined && <small>{count}</small>}
    </a>
  );
}

/** Label length that fits on two lines. */
const MAX_LABEL_LENGTH = 30;
