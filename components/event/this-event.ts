import { cache } from "react";
import { show } from "#lib/api/page.ts";
import { listEventUsers, showPublicEvent } from "#lib/events/operations.ts";
import type { EVENT_ROLES } from "#lib/events/schema.ts";
import { env } from "#lib/env.ts";

/** The event of a page, asked for once, however many parts of the page need it. */
export const eventBySlug = cache(async (slug: string) => (await show(showPublicEvent, { slug })).event);

/**
 * The title of a page of an event: "Team, Harbour Conf". It names nothing but the event, since it stays in histories
 * and on shared screens; where there is nothing to see, the page says so, and the title stays the service's own.
 */
export async function eventTitle(
  params: Promise<{ slug: string }>,
  page?: string,
): Promise<{ title?: string }> {
  const { slug } = await params;
  const name = await eventBySlug(slug).then(
    (event) => event.name,
    () => undefined,
  );
  if (name === undefined) return {};
  return { title: page ? `${page}, ${name}` : name };
}

export type EventOfPage = Awaited<ReturnType<typeof eventBySlug>>;

/** Everybody in the response team, by name: those whom a report can be assigned to, and who read it. */
export const responseTeam = cache(async (slug: string) => {
  const [admins, responders] = await Promise.all([everybody(slug, "Admin"), everybody(slug, "Responder")]);
  const people = new Map([...admins, ...responders].map((person) => [person.id, person]));
  return [...people.values()].toSorted((a, b) => a.name.localeCompare(b.name, "en"));
});

async function everybody(slug: string, role: (typeof EVENT_ROLES)[number]) {
  const people = [];
  for (let page = 1; ; page += 1) {
    const { users, total } = await show(listEventUsers, { slug }, { role, page: String(page), limit: "100" });
    people.push(...users);
    if (users.length === 0 || people.length >= total) return people;
  }
}

/**
 * Where a page finds the logo: only one that we serve, by its path here. A logo elsewhere would tell another
 * site who reads about reports, and the content policy refuses it.
 */
export function logoPath(event: Pick<EventOfPage, "logo">): string | null {
  const { baseUrl } = env();
  return event.logo?.startsWith(`${baseUrl}/`) ? event.logo.slice(baseUrl.length) : null;
}
