import { compareNames } from "#lib/design/name-order.ts";
import type { Metadata } from "next";
import { cache } from "react";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { setPageEventZone } from "#components/i18n/server-translator.ts";
import { loadPageData, loadOptionalPageData, getCurrentActor } from "#lib/http/page.ts";
import { listEventUsers, showPublicEvent, showReportSettings } from "#lib/events/operations.ts";
import type { SearchParams } from "#lib/design/query.ts";
import { DEFAULT_QUICK_EXIT_URL } from "#lib/events/report-settings.ts";
import { env } from "#lib/env.ts";
import { isSystemAdmin, type Actor, hasTeamAccessToEvent } from "#lib/operation/policy.ts";

export type EventPageProps = { params: Promise<{ slug: string }>; searchParams: Promise<SearchParams> };

/** Loads the event of a page, once per request however many parts need it. */
export const loadPublicEventAndSetZone = cache(async (slug: string) => {
  const { event } = await loadPageData(showPublicEvent, { slug });
  setPageEventZone(event.timeZone);
  return event;
});

/** Like `loadPublicEventAndSetZone`, but returns null if the event doesn't exist, for pages that work without it. */
export const findPublicEventAndSetZone = cache(async (slug: string) => {
  const event = (await loadOptionalPageData(showPublicEvent, { slug }))?.event ?? null;
  if (event) setPageEventZone(event.timeZone);
  return event;
});

/** Loads the settings that the event shows to reporters. */
export const loadEventReportSettingsOfPage = cache(
  async (slug: string) => (await loadPageData(showReportSettings, { slug })).reportSettings,
);

/**
 * Like `loadEventReportSettingsOfPage`, but returns null if the event doesn't exist, for pages that work without it.
 */
export const findEventReportSettingsOfPage = cache(
  async (slug: string) => (await loadOptionalPageData(showReportSettings, { slug }))?.reportSettings ?? null,
);

/**
 * Returns whether somebody without a role may report: the event is active and accepts reports from anyone with an
 * account.
 */
export const acceptsReportsFromAnyAccount = (
  { isActive }: Pick<PublicEventRecord, "isActive">,
  { whoCanReport }: Pick<EventReportSettingsRecord, "whoCanReport">,
): boolean => isActive && whoCanReport === "account";

/** The URL to which quick exit leads, and the slug of the event that chose it; null for the default URL. */
export type QuickExitTarget = { to: string; event: string | null };

/** Loads the quick exit of an event's pages; the default URL if there is no such event. */
export async function loadQuickExitTarget(slug: string | null): Promise<QuickExitTarget> {
  const settings = slug === null ? null : await findEventReportSettingsOfPage(slug);
  return settings ? { to: settings.exitUrl, event: slug } : { to: DEFAULT_QUICK_EXIT_URL, event: null };
}

/** Loads the quick exit of pages outside any event: that of the person's only event, else the default. */
export const loadQuickExitTargetOutsideEvents = (actor: Pick<Actor, "events">): Promise<QuickExitTarget> =>
  loadQuickExitTarget(actor.events.length === 1 ? (actor.events[0]?.slug ?? null) : null);

/**
 * Loads the title of an event page: "Team, Harbour Conf". It names nothing but the event, because titles
 * appear in browser history and on shared screens. If the viewer can't see the event, the page says so and
 * the title stays the default.
 */
export async function loadEventPageMetadata(
  params: Promise<{ slug: string }>,
  page?: string,
): Promise<{ title?: string }> {
  const { slug } = await params;
  const name = await loadPublicEventAndSetZone(slug).then(
    (event) => event.name,
    () => undefined,
  );
  if (name === undefined) return {};
  return { title: page ? `${page}, ${name}` : name };
}

/**
 * Returns the metadata that search engines and link previews show of an event's public page. Only a page that search
 * engines may list has a title that says what it is for.
 */
export async function loadPublicEventMetadata(params: Promise<{ slug: string }>): Promise<Metadata> {
  const { slug } = await params;
  const loaded = await Promise.all([
    loadPublicEventAndSetZone(slug),
    loadEventReportSettingsOfPage(slug),
  ]).catch(() => null);
  if (!loaded) return {};
  const [event, settings] = loaded;
  const t = await getTranslator("visitor");
  const isListed = event.isActive && settings.searchEngines;
  const [title, description] = [
    t("event.title", { event: event.name }),
    t("event.description", { event: event.name }),
  ];
  const logo = findSameSiteEventLogoPath(event);
  const url = `${env().baseUrl}/e/${event.slug}`;
  return {
    title: isListed ? { absolute: title } : event.name,
    description,
    alternates: { canonical: url },
    robots: { index: isListed, follow: false },
    openGraph: {
      type: "website",
      siteName: "Heed",
      title,
      description,
      url,
      ...(logo && { images: [{ url: env().baseUrl + logo, alt: event.name }] }),
    },
    twitter: { card: "summary" },
  };
}

/** Returns the event's name as the title for its team; a reporter's pages are titled only "Heed". */
export async function loadTeamEventMetadata(params: Promise<{ slug: string }>): Promise<{ title?: string }> {
  const { slug } = await params;
  const actor = await getCurrentActor().catch(() => null);
  if (!actor) return {};
  const actorEvent = actor.events.find((event) => event.slug === slug);
  return isSystemAdmin(actor) || (actorEvent && hasTeamAccessToEvent(actor, actorEvent.eventId))
    ? loadEventPageMetadata(params)
    : {};
}

export type PublicEventRecord = Awaited<ReturnType<typeof loadPublicEventAndSetZone>>;
export type EventReportSettingsRecord = Awaited<ReturnType<typeof loadEventReportSettingsOfPage>>;

/** Lists the response team, sorted by name: the people who can be assigned incidents, and who read them. */
export const loadResponseTeam = cache(async (slug: string) => {
  const people = [];
  for (let page = 1; ; page += 1) {
    const query = { group: "team", page: String(page), limit: "100" };
    const { users, total } = await loadPageData(listEventUsers, { slug }, query);
    people.push(...users);
    if (users.length === 0 || people.length >= total) return people.toSorted(compareNames);
  }
});

/**
 * Finds the path of an event's logo; null for a logo on another site, which would learn who reads about reports, and
 * which the content security policy blocks.
 */
export function findSameSiteEventLogoPath(event: Pick<PublicEventRecord, "logo">): string | null {
  const { baseUrl } = env();
  return event.logo?.startsWith(`${baseUrl}/`) ? event.logo.slice(baseUrl.length) : null;
}
