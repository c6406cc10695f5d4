import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { OpenedEvent } from "#components/setup/opened-event.tsx";
import { EventCopyForm, EventSetupForm } from "#components/setup/setup-form.tsx";
import { definePage } from "#components/shell/page.tsx";
import type { BreadcrumbItem } from "#components/ui/breadcrumbs.tsx";
import { Card } from "#components/ui/card.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { isolateBidi } from "#lib/design/bidi.ts";
import {
  listEventUsers,
  listOrganizationEvents,
  showEvent,
  showReportSettings,
} from "#lib/events/operations.ts";
import { loadPageData, throwForbidden } from "#lib/http/page.ts";
import { listEventInvites } from "#lib/invites/operations.ts";
import { can, type Actor } from "#lib/operation/policy.ts";
import {
  loadOrganizationPage,
  type OrganizationPageProps,
  loadOrganizationPageMetadata,
} from "../../organization.ts";
import { setUpEventAction } from "./actions.ts";

export const generateMetadata = ({ params }: OrganizationPageProps): Promise<Metadata> =>
  loadOrganizationPageMetadata(params, "newEvent");

/** Sets up an event, afresh or as a copy (`copy`), and says that it is open (`created`). */
export default definePage(async function NewEvent({ params, searchParams }: OrganizationPageProps) {
  const { slug } = await params;
  const { organization, actor, may } = await loadOrganizationPage(slug);
  if (!may.createEvent) throwForbidden();
  const { created, copy } = await searchParams;
  const t = useTranslator("organization");
  const breadcrumbs = [
    { label: t("organizations"), href: "/orgs" },
    { label: organization.name, href: `/orgs/${slug}` },
    { label: t("tab.events"), href: `/orgs/${slug}/events` },
  ];
  if (typeof created === "string") return await renderOpenedEvent(created, { actor, breadcrumbs });
  const form = {
    action: setUpEventAction,
    user: actor,
    cancel: `/orgs/${slug}/events`,
    hidden: { organization: slug },
  };
  const source =
    typeof copy === "string"
      ? await loadCopySource(copy, { organizationId: organization.id, userId: actor.id })
      : null;
  const choices = source ? [] : await listCopyChoices(organization.id, actor);
  return (
    <div className="grid max-w-2xl grid-cols-1 gap-6">
      <PageHeader title={t("newEvent")} breadcrumbs={breadcrumbs} />
      {source && <CopyNotice {...source} organization={slug} />}
      {choices.length > 0 && <CopyChoices events={choices} organization={slug} />}
      <Card>{source ? <EventCopyForm {...form} event={source.event} /> : <EventSetupForm {...form} />}</Card>
    </div>
  );
});

type OpenedContext = { actor: Actor; breadcrumbs: BreadcrumbItem[] };

async function renderOpenedEvent(slug: string, { actor, breadcrumbs }: OpenedContext) {
  const { event } = await loadPageData(showEvent, { slug });
  const { reportSettings } = await loadPageData(showReportSettings, { slug });
  const { users } = await loadPageData(listEventUsers, { slug }, { group: "team", limit: "100" });
  const { invites } = await loadPageData(listEventInvites, { slug });
  return (
    <OpenedEvent
      event={event}
      isOpen={reportSettings.hasReader}
      needsVerification={actor.unverified === true}
      readers={
        reportSettings.hasReader ? listNames(reportSettings.showTeam ? reportSettings.team : users) : []
      }
      invited={
        invites.filter(({ role, useCount, disabled }) => role !== "Reporter" && useCount === 0 && !disabled)
          .length
      }
      breadcrumbs={breadcrumbs}
    />
  );
}

const listNames = (people: readonly { name: string; invited?: boolean }[]): string[] =>
  people.filter(({ invited }) => !invited).map(({ name }) => name);

/** How many earlier events are offered. */
const MAX_COPY_CHOICES = 5;

/** Lists the newest events that the viewer is an Admin of. */
async function listCopyChoices(organizationId: string, actor: Actor) {
  const newestFirst = { sort: "createdAt", order: "desc", limit: "50" };
  const { events } = await loadPageData(listOrganizationEvents, { organizationId }, newestFirst);
  return events
    .filter(({ id }) => can(actor, "event.view", { eventId: id, organizationId }))
    .slice(0, MAX_COPY_CHOICES);
}

/** Loads an event to copy; null if it is another organization's. */
async function loadCopySource(
  slug: string,
  { organizationId, userId }: { organizationId: string; userId: string },
) {
  const { event } = await loadPageData(showEvent, { slug });
  if (event.organizationId !== organizationId) return null;
  const { users } = await loadPageData(listEventUsers, { slug }, { group: "team", limit: "100" });
  return { event, others: users.filter(({ id, invited }) => !invited && id !== userId).length };
}

type ChoicesProps = { events: readonly { name: string; slug: string }[]; organization: string };

function CopyChoices({ events, organization }: ChoicesProps) {
  const t = useTranslator("setup");
  return (
    <Card title={t("copy")}>
      <div className="grid gap-2">
        <p className="text-muted">{t("copy.about")}</p>
        <ul className="grid">
          {events.map(({ name, slug }) => (
            <li key={slug}>
              <TextLink
                href={`/orgs/${organization}/events/new?copy=${slug}`}
                className="inline-flex min-h-11 items-center wrap-anywhere"
              >
                {name}
              </TextLink>
            </li>
          ))}
        </ul>
      </div>
    </Card>
  );
}

type CopyProps = { event: { name: string }; others: number; organization: string };

function CopyNotice({ event, others, organization }: CopyProps) {
  const t = useTranslator("setup");
  return (
    <Notice kind="info" title={t("copy.from", { event: isolateBidi(event.name) })}>
      <p>{t("copy.says", { count: others })}</p>
      <TextLink href={`/orgs/${organization}/events/new`} className="inline-flex min-h-11 items-center">
        {t("copy.stop")}
      </TextLink>
    </Notice>
  );
}
