import { cache } from "react";
import { show, showIfThere, viewer } from "#lib/http/page.ts";
import { listEventUsers, showPublicEvent, showReportSettings } from "#lib/events/operations.ts";
import type { EVENT_ROLES } from "#lib/events/schema.ts";
import { DEFAULT_EXIT_URL } from "#lib/events/report-settings.ts";
import { env } from "#lib/env.ts";
import { type Actor, isTeam } from "#lib/operation/policy.ts";

/** The event of a page, asked for once, however many parts of the page need it. */
export const eventBySlug = cache(async (slug: string) => (await show(showPublicEvent, { slug })).event);

/** The same where the page can do without it; null where there is no such event. */
export const visibleEvent = cache(
  async (slug: string) => (await showIfThere(showPublicEvent, { slug }))?.event ?? null,
);

/** What the event says to those who report. */
export const reportSettings = cache(
  async (slug: string) => (await show(showReportSettings, { slug })).reportSettings,
);

/** The same where the page can do without it; null where there is no such event. */
export const visibleSettings = cache(
  async (slug: string) => (await showIfThere(showReportSettings, { slug }))?.reportSettings ?? null,
);

/** Where quick exit leads, and the event that chose it. */
export type Exit = { to: string; event: string | null };

/** The exit of an event's pages; where most events lead when there is no such event. */
export async function exitOf(slug: string | null): Promise<Exit> {
  const settings = slug === null ? null : await visibleSettings(slug);
  return settings ? { to: settings.exitUrl, event: slug } : { to: DEFAULT_EXIT_URL, event: null };
}

/** The exit of pages that belong to no event: that of the only event of this person. */
export const ownExit = (actor: Pick<Actor, "events">): Promise<Exit> =>
  exitOf(actor.events.length === 1 ? (actor.events[0]?.slug ?? null) : null);

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

/** The event's name for those who work there; a reporter's pages are titled "Heed" and nothing else. */
export async function titleForTeam(params: Promise<{ slug: string }>): Promise<{ title?: string }> {
  const { slug } = await params;
  const actor = await viewer().catch(() => null);
  if (!actor) return {};
  const there = actor.events.find((event) => event.slug === slug);
  return actor.systemAdmin || (there && isTeam(actor, there.eventId)) ? eventTitle(params) : {};
}

export type EventOfPage = Awaited<ReturnType<typeof eventBySlug>>;
export type ReportSettingsOfPage = Awaited<ReturnType<typeof reportSettings>>;

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
