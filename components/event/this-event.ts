import { cache } from "react";
import { loadPageData, loadOptionalPageData, currentActor } from "#lib/http/page.ts";
import { listEventUsers, showPublicEvent, showReportSettings } from "#lib/events/operations.ts";
import type { EVENT_ROLES } from "#lib/events/schema.ts";
import { DEFAULT_EXIT_URL } from "#lib/events/report-settings.ts";
import { env } from "#lib/env.ts";
import { type Actor, isTeamMember } from "#lib/operation/policy.ts";

/** The event of a page, asked for once, however many parts of the page need it. */
export const loadPublicEvent = cache(
  async (slug: string) => (await loadPageData(showPublicEvent, { slug })).event,
);

/** The same where the page can do without it; null where there is no such event. */
export const findPublicEvent = cache(
  async (slug: string) => (await loadOptionalPageData(showPublicEvent, { slug }))?.event ?? null,
);

/** What the event says to those who report. */
export const loadReportSettings = cache(
  async (slug: string) => (await loadPageData(showReportSettings, { slug })).reportSettings,
);

/** The same where the page can do without it; null where there is no such event. */
export const findReportSettings = cache(
  async (slug: string) => (await loadOptionalPageData(showReportSettings, { slug }))?.reportSettings ?? null,
);

/** Where quick exit leads, and the event that chose it. */
export type QuickExitTarget = { to: string; event: string | null };

/** The exit of an event's pages; where most events lead when there is no such event. */
export async function loadQuickExit(slug: string | null): Promise<QuickExitTarget> {
  const settings = slug === null ? null : await findReportSettings(slug);
  return settings ? { to: settings.exitUrl, event: slug } : { to: DEFAULT_EXIT_URL, event: null };
}

/** The exit of pages that belong to no event: that of the only event of this person. */
export const loadQuickExitForActor = (actor: Pick<Actor, "events">): Promise<QuickExitTarget> =>
  loadQuickExit(actor.events.length === 1 ? (actor.events[0]?.slug ?? null) : null);

/**
 * The title of a page of an event: "Team, Harbour Conf". It names nothing but the event, since it stays in histories
 * and on shared screens; where there is nothing to see, the page says so, and the title stays the service's own.
 */
export async function loadEventMetadata(
  params: Promise<{ slug: string }>,
  page?: string,
): Promise<{ title?: string }> {
  const { slug } = await params;
  const name = await loadPublicEvent(slug).then(
    (event) => event.name,
    () => undefined,
  );
  if (name === undefined) return {};
  return { title: page ? `${page}, ${name}` : name };
}

/** The event's name for those who work there; a reporter's pages are titled "Heed" and nothing else. */
export async function loadTeamEventMetadata(params: Promise<{ slug: string }>): Promise<{ title?: string }> {
  const { slug } = await params;
  const actor = await currentActor().catch(() => null);
  if (!actor) return {};
  const actorEvent = actor.events.find((event) => event.slug === slug);
  return actor.systemAdmin || (actorEvent && isTeamMember(actor, actorEvent.eventId))
    ? loadEventMetadata(params)
    : {};
}

export type PublicEventRecord = Awaited<ReturnType<typeof loadPublicEvent>>;
export type PublicReportSettings = Awaited<ReturnType<typeof loadReportSettings>>;

/** Everybody in the response team, by name: those whom a report can be assigned to, and who read it. */
export const loadResponseTeam = cache(async (slug: string) => {
  const [admins, responders] = await Promise.all([
    listUsersWithRole(slug, "Admin"),
    listUsersWithRole(slug, "Responder"),
  ]);
  const people = new Map([...admins, ...responders].map((person) => [person.id, person]));
  return [...people.values()].toSorted((a, b) => a.name.localeCompare(b.name, "en"));
});

async function listUsersWithRole(slug: string, role: (typeof EVENT_ROLES)[number]) {
  const people = [];
  for (let page = 1; ; page += 1) {
    const { users, total } = await loadPageData(
      listEventUsers,
      { slug },
      { role, page: String(page), limit: "100" },
    );
    people.push(...users);
    if (users.length === 0 || people.length >= total) return people;
  }
}

/**
 * Where a page finds the logo: only one that we serve, by its path here. A logo elsewhere would tell another
 * site who reads about reports, and the content policy refuses it.
 */
export function buildLogoPath(event: Pick<PublicEventRecord, "logo">): string | null {
  const { baseUrl } = env();
  return event.logo?.startsWith(`${baseUrl}/`) ? event.logo.slice(baseUrl.length) : null;
}
