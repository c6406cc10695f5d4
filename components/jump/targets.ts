/** Quick-jump results as links, shared by the dialog and the page without script. */

import type { JumpPageName } from "#lib/jump/schema.ts";

type EventRef = { name: string; slug: string };

export type JumpResults = {
  incidents: readonly { id: string; title: string; event: EventRef }[];
  events: readonly (EventRef & { id: string })[];
  people: readonly { id: string; name: string; event: EventRef }[];
  pages: readonly { page: JumpPageName; place: string; path: string }[];
};

export const EMPTY_JUMP_RESULTS: JumpResults = { incidents: [], events: [], people: [], pages: [] };

export type JumpTarget = { id: string; label: string; about: string; href: string };
export type JumpTargetGroup = { kind: "incidents" | "events" | "people" | "pages"; items: JumpTarget[] };

/**
 * Groups the results, in display order and without empty groups.
 * @param pages pages that need no search
 * @param nameOf returns the name of a page of an event or organization
 */
export function groupJumpTargets(
  found: JumpResults,
  pages: readonly JumpTarget[],
  nameOf: (page: JumpPageName) => string,
): JumpTargetGroup[] {
  const groups: JumpTargetGroup[] = [
    {
      kind: "incidents",
      items: found.incidents.map(({ id, title, event }) => ({
        id,
        label: title,
        about: event.name,
        href: `/e/${event.slug}/i/${id}`,
      })),
    },
    {
      kind: "events",
      items: found.events.map(({ id, name, slug }) => ({ id, label: name, about: slug, href: `/e/${slug}` })),
    },
    {
      kind: "people",
      items: found.people.map(({ id, name, event }) => ({
        id,
        label: name,
        about: event.name,
        href: `/e/${event.slug}/team?search=${encodeURIComponent(name)}`,
      })),
    },
    {
      kind: "pages",
      items: [
        ...pages,
        ...found.pages.map(({ page, place, path }) => ({
          id: path,
          label: nameOf(page),
          about: place,
          href: path,
        })),
      ],
    },
  ];
  return groups.filter(({ items }) => items.length > 0);
}

/** Returns pages whose name contains every word. */
export function filterPagesByName(pages: readonly JumpTarget[], search: string): JumpTarget[] {
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return pages.filter(({ label }) => words.every((word) => label.toLocaleLowerCase().includes(word)));
}
