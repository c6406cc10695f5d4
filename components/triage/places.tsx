"use client";

import clsx from "clsx";
import { useMemo } from "react";
import { truncateMiddle } from "#lib/design/cut.ts";
import icons from "./desk-icons.module.css";
import type { TriageIconName } from "./desk-shapes.ts";
import looks from "./rail.module.css";

/** A list that one can go to, in words. */
export type ListLinkFacts = {
  href: string;
  icon: TriageIconName;
  label: string;
  /** How many reports there are. */
  count?: string;
  current: boolean;
  /** The key that leads there after g. */
  goKey?: string;
  /** The filter that it opens, where script does that in place: see filters.tsx. */
  choose?: string;
};

type Props = {
  /** Places as JSON: React would look at every value of them by itself, for each page anew. */
  places: string;
};

/** A component of the browser's so that the page holds each place once, as data: see `Rows`. */
export function ListLinks({ places }: Props) {
  const links = useMemo(() => JSON.parse(places) as ListLinkFacts[], [places]);
  return (
    <ul className={looks.places}>
      {links.map((place) => (
        <li key={place.href}>
          <ListLink {...place} />
        </li>
      ))}
    </ul>
  );
}

export function ListLink({ href, icon, label, count, current, goKey, choose }: ListLinkFacts) {
  return (
    <a
      href={href}
      aria-current={current ? "page" : undefined}
      data-go={goKey}
      data-choose={choose}
      title={label}
      className={clsx(looks.place, icons[icon], current && looks.current)}
    >
      <ListLinkLabel whole={label} />
      {count !== undefined && <span className={looks.count}>{count}</span>}
    </a>
  );
}

/** So much fits on its two lines. */
const MAX_LABEL_LENGTH = 30;

function ListLinkLabel({ whole }: { whole: string }) {
  const shown = truncateMiddle(whole, MAX_LABEL_LENGTH);
  if (shown === whole) return <span className={looks.label}>{whole}</span>;
  return (
    <span className={looks.label}>
      <span aria-hidden="true">{shown}</span>
      <span className="sr-only">{whole}</span>
    </span>
  );
}
