/** Quick-jump results as links, shared by the dialog and the page without script. */

import { toMatchKey } from "#lib/design/match-key.ts";
import type { RunnableJumpCommand } from "./commands.ts";
import { formatIncidentName } from "#lib/incidents/incident-name.ts";
import type { JumpPageName } from "#lib/incidents/jump-schema.ts";

type TargetEvent = { name: string; slug: string };

export type JumpResultsByKind = {
  incidents: readonly { id: string; number: number; codeName: string; title: string; event: TargetEvent }[];
  events: readonly (TargetEvent & { id: string })[];
  people: readonly { id: string; name: string; event: TargetEvent }[];
  pages: readonly { page: JumpPageName; place: string; path: string }[];
};

export const EMPTY_JUMP_RESULTS: JumpResultsByKind = { incidents: [], events: [], people: [], pages: [] };

export type JumpTarget = {
  id: string;
  label: string;
  about: string;
  href: string;
  /** Runs instead of following the link. */
  run?: () => void;
};
export type JumpTargetGroup = {
  kind: "commands" | "incidents" | "events" | "people" | "pages";
  items: JumpTarget[];
};

/** Returns the present page's commands that match the search, as a group that comes first; empty if none matches. */
export function buildMatchingCommandGroup(
  commands: readonly RunnableJumpCommand[],
  search: string,
): JumpTargetGroup[] {
  const targets = commands.map(({ label, about, run }) => ({
    id: `command ${label}`,
    label,
    about,
    href: "",
    run,
  }));
  const items = filterJumpTargetsByLabel(targets, search);
  return items.length > 0 ? [{ kind: "commands", items }] : [];
}

/**
 * Groups the results, in display order and without empty groups.
 * @param pages pages of no event or organization, already filtered by the search text
 * @param nameOf returns the name of a page of an event or organization
 */
export function buildJumpTargetGroups(
  found: JumpResultsByKind,
  pages: readonly JumpTarget[],
  nameOf: (page: JumpPageName) => string,
): JumpTargetGroup[] {
  const namedPages = found.pages.map(({ page, place, path }) => ({
    id: path,
    label: nameOf(page),
    about: place,
    href: path,
  }));
  const groups: JumpTargetGroup[] = [
    { kind: "incidents", items: found.incidents.map(toIncidentTarget) },
    { kind: "events", items: found.events.map(toEventTarget) },
    { kind: "people", items: found.people.map(toPersonTarget) },
    { kind: "pages", items: [...pages, ...namedPages] },
  ];
  return groups.filter(({ items }) => items.length > 0);
}

const toIncidentTarget = (incident: JumpResultsByKind["incidents"][number]): JumpTarget => ({
  id: incident.id,
  label: incident.title,
  about: `${formatIncidentName(incident)} · ${incident.event.name}`,
  href: `/e/${incident.event.slug}/i/${incident.id}`,
});

const toEventTarget = ({ id, name, slug }: JumpResultsByKind["events"][number]): JumpTarget => ({
  id,
  label: name,
  about: slug,
  href: `/e/${slug}`,
});

const toPersonTarget = ({ id, name, event }: JumpResultsByKind["people"][number]): JumpTarget => ({
  id,
  label: name,
  about: event.name,
  href: `/e/${event.slug}/team?search=${encodeURIComponent(name)}`,
});

/** Returns pages whose name contains every word. */
export function filterJumpTargetsByLabel<Target extends JumpTarget>(
  pages: readonly Target[],
  search: string,
): Target[] {
  const searchTerms = toMatchKey(search).split(" ").filter(Boolean);
  return pages.filter(({ label }) => searchTerms.every((word) => toMatchKey(label).includes(word)));
}
