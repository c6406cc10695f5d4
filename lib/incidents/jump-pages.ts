import { listMatchKeys, toMatchKey } from "#lib/design/match-key.ts";
import {
  listReachableEventsAndOrganizations,
  type ReachableEventOrOrganization,
} from "#lib/incidents/jump-place-queries.ts";
import {
  MAX_JUMP_PAGE_RESULTS,
  type JumpPageName,
  type JumpResultsRecord,
} from "#lib/incidents/jump-schema.ts";
import { type Actor, can, type Permission, type PermissionSubject } from "#lib/operation/policy.ts";
import { createTranslatorForLocale } from "#lib/i18n/catalogue.ts";
import type { Locale } from "#lib/i18n/locales.ts";

/**
 * Finds pages of events and organizations by the name of the page and of the event or organization: "settings", "team
 * northlight".
 */

type JumpPage = { page: JumpPageName; can: Permission; under: string };

const EVENT_PAGES: readonly JumpPage[] = [
  { page: "report", can: "incident.create", under: "report" },
  { page: "reports", can: "incident.list", under: "incidents" },
  { page: "team", can: "event.listUsers", under: "team" },
  { page: "invites", can: "event.manageInvites", under: "team#invites" },
  { page: "settings", can: "event.update", under: "settings" },
  { page: "conduct", can: "event.update", under: "settings#conduct" },
  { page: "audit", can: "event.viewAudit", under: "audit" },
];

const ORGANIZATION_PAGES: readonly JumpPage[] = [
  { page: "events", can: "organization.listEvents", under: "events" },
  { page: "members", can: "organization.view", under: "members" },
  { page: "invites", can: "organization.manageInvites", under: "members#invites" },
  { page: "insights", can: "organization.analytics", under: "insights" },
  { page: "webhooks", can: "organization.manageWebhooks", under: "webhooks" },
  { page: "audit", can: "organization.viewAudit", under: "audit" },
  { page: "settings", can: "organization.update", under: "settings" },
];

type LabeledPage = JumpPage & { label: string };

/**
 * Lists the pages that match the words of a search and that the actor may open. Runs one statement, or none if no word
 * matches a page's name.
 */
export async function listMatchingJumpPages(
  actor: Actor,
  search: string,
  locale: Locale,
): Promise<JumpResultsRecord["pages"]> {
  const searchTerms = toMatchKey(search).split(" ").filter(Boolean);
  const t = createTranslatorForLocale(locale, "jump");
  const matchPages = (pages: readonly JumpPage[]): LabeledPage[] =>
    pages
      .map((page) => ({ ...page, label: toMatchKey(t(`page.${page.page}`)) }))
      .filter(({ label }) => searchTerms.some((word) => word.length > 1 && isWordInLabel(label, word)));
  const [eventPages, organizationPages] = [matchPages(EVENT_PAGES), matchPages(ORGANIZATION_PAGES)];
  if (eventPages.length + organizationPages.length === 0) return [];
  const places = await listReachableEventsAndOrganizations(actor, searchTerms);
  return places
    .flatMap((place) =>
      (place.kind === "event" ? eventPages : organizationPages)
        .filter(({ label }) =>
          searchTerms.every((word) => isWordInLabel(label, word) || isWordInPlaceName(place, word)),
        )
        .filter((page) => can(actor, page.can, buildSubject(place)))
        .map(({ page, under: subpath }) => ({
          page,
          place: place.name,
          path: `${buildBasePath(place)}/${subpath}`,
        })),
    )
    .slice(0, MAX_JUMP_PAGE_RESULTS);
}

/** Two letters must start a word; three or more may occur within one. */
const isWordInLabel = (label: string, word: string): boolean =>
  label.split(" ").some((part) => part.startsWith(word)) || (word.length > 2 && label.includes(word));

const isWordInPlaceName = ({ name, slug }: ReachableEventOrOrganization, word: string): boolean =>
  listMatchKeys(name).some((key) => key.includes(word)) || slug.includes(word);

const buildBasePath = ({ kind, slug }: ReachableEventOrOrganization): string =>
  kind === "event" ? `/e/${slug}` : `/orgs/${slug}`;

const buildSubject = ({ kind, id, organizationId }: ReachableEventOrOrganization): PermissionSubject =>
  kind === "event" ? { organizationId, eventId: id } : { organizationId: id };
