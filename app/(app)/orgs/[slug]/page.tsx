import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import {
  EventTable,
  type EventSummaryWithCounts,
  joinEventsWithCounts,
} from "#components/organization/event-table.tsx";
import { NewEventLink } from "#components/organization/new-event.tsx";
import { AdminNextStepsCard, type AdminNextStepData } from "#components/organization/next-steps.tsx";
import { NoEventsState } from "#components/organization/no-events.tsx";
import { LocalAddressNotice } from "#components/shell/local-address-notice.tsx";
import { OrganizationHeader } from "#components/organization/organization-header.tsx";
import { OverviewTiles } from "#components/organization/overview-tiles.tsx";
import { definePage } from "#components/shell/page.tsx";
import { Card } from "#components/ui/card.tsx";
import { CopyField } from "#components/ui/copy-field.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { showEventsSummary } from "#lib/analytics/operations.ts";
import { loadPageData, loadOptionalPageData } from "#lib/http/page.ts";
import { listOrganizationEvents } from "#lib/events/operations.ts";
import { showInitialInvite } from "#lib/invites/operations.ts";
import { listOrganizationMembers } from "#lib/organizations/operations.ts";
import { type Actor, hasAccessToEventOrOrganization, can } from "#lib/operation/policy.ts";
import {
  loadOrganizationPage,
  type OrganizationPageProps,
  loadOrganizationPageMetadata,
} from "./organization.ts";

export const generateMetadata = ({ params }: OrganizationPageProps): Promise<Metadata> =>
  loadOrganizationPageMetadata(params);

const MAX_SHOWN_EVENTS = "6";

export default definePage(async function Overview({ params, searchParams }: OrganizationPageProps) {
  const { slug } = await params;
  const { organization, actor, may } = await loadOrganizationPage(slug);
  const { initialInvite, summary, rows, admins } = await loadOverview(slug, may);
  return (
    <div className="grid grid-cols-1 gap-6">
      <OrganizationHeader
        organization={organization}
        current="overview"
        may={may}
        meta={organization.website && <WebsiteLink href={organization.website} />}
        actions={may.createEvent && <NewEventLink slug={slug} />}
      />
      {(await searchParams).after === "created" && (
        <CreatedNotice organization={organization.name} isMember={may.belong} />
      )}
      {initialInvite && <FirstInviteLink url={initialInvite.url} />}
      {organization.description && (
        <p dir="auto" className="max-w-[68ch] wrap-anywhere whitespace-pre-line">
          {organization.description}
        </p>
      )}
      {summary.totalEvents > 0 && <OverviewTiles summary={summary} />}
      {may.edit && (
        <AdminNextStepsCard steps={listNextSteps({ organization, admins, events: summary.events, actor })} />
      )}
      {summary.totalEvents === 0 ? (
        <NoEventsState slug={slug} mayCreate={may.createEvent} />
      ) : (
        <NewestEvents
          rows={rows}
          total={summary.totalEvents}
          slug={slug}
          opens={(eventId) => hasAccessToEventOrOrganization(actor, { eventId })}
        />
      )}
    </div>
  );
});

async function loadOverview(slug: string, may: { seeInitialInvite: boolean }) {
  const first = may.seeInitialInvite
    ? await loadOptionalPageData(showInitialInvite, { orgSlug: slug })
    : null;
  const [{ events }, summary, { members }] = await Promise.all([
    loadPageData(listOrganizationEvents, { orgSlug: slug }, { limit: MAX_SHOWN_EVENTS }),
    loadPageData(showEventsSummary, { orgSlug: slug }),
    loadPageData(listOrganizationMembers, { orgSlug: slug }),
  ]);
  return {
    initialInvite: first?.invite ?? null,
    summary,
    rows: joinEventsWithCounts(events, summary.events),
    admins: members.filter(({ role }) => role === "org_admin").length,
  };
}

type OrganizationOverview = {
  organization: { slug: string; requireSecondFactor: boolean };
  admins: number;
  events: readonly EventSize[];
  actor: Actor;
};

type EventSize = {
  id: string;
  name: string;
  slug: string;
  isActive: boolean;
  teamSize: number;
  submittedCount: number;
};

/** Suggested next steps for an admin, the most urgent first. */
function listNextSteps({ organization, admins, events, actor }: OrganizationOverview): AdminNextStepData[] {
  const at = `/orgs/${organization.slug}`;
  const waiting = events.reduce((sum, { submittedCount }) => sum + submittedCount, 0);
  const steps: (AdminNextStepData | false)[] = [
    ...listTeamSteps({ events, actor }),
    waiting > 0 && { kind: "waiting", href: `${at}/insights?timeRange=all`, values: { count: waiting } },
    admins === 1 && { kind: "admin", href: `${at}/members#invites`, values: {} },
    !organization.requireSecondFactor && {
      kind: "secondFactor",
      href: `${at}/settings#security`,
      values: {},
    },
  ];
  return steps.filter((step) => step !== false);
}

const MAX_TEAM_STEPS = 3;

/** Events whose team has one person or none. Only an Admin of the event can invite others to its team. */
function listTeamSteps({
  events,
  actor,
}: Pick<OrganizationOverview, "events" | "actor">): AdminNextStepData[] {
  const small = events.filter(({ isActive, teamSize }) => isActive && teamSize < 2);
  const steps = small.flatMap(({ id, name, slug, teamSize }): AdminNextStepData[] => {
    const values = { event: name, count: teamSize };
    if (can(actor, "event.manageInvites", { eventId: id }))
      return [{ kind: "team", href: `/e/${slug}/team`, values }];
    return teamSize === 0 ? [{ kind: "teamless", href: `/e/${slug}`, values }] : [];
  });
  return steps.slice(0, MAX_TEAM_STEPS);
}

function WebsiteLink({ href }: { href: string }) {
  return (
    <a
      href={href}
      rel="noreferrer nofollow"
      className="text-link inline-flex min-h-11 items-center wrap-anywhere"
    >
      {href.replace(/^https?:\/\//, "").replace(/\/$/, "")}
    </a>
  );
}

function CreatedNotice({ organization, isMember }: { organization: string; isMember: boolean }) {
  const t = useTranslator("organization");
  return (
    <Notice kind="success" title={t("created.title", { name: organization })} live>
      <p>{t(isMember ? "organizationCreated.aboutMember" : "organizationCreated.about")}</p>
    </Notice>
  );
}

/** The invite created with the organization, until somebody uses it. */
function FirstInviteLink({ url }: { url: string }) {
  const t = useTranslator("organization");
  return (
    <Card title={t("firstInvite")}>
      <div className="grid max-w-2xl gap-4">
        <p className="text-muted">{t("firstInvite.about")}</p>
        <LocalAddressNotice />
        <CopyField label={t("inviteLink")} value={url} />
      </div>
    </Card>
  );
}

type NewestProps = {
  rows: readonly EventSummaryWithCounts[];
  total: number;
  slug: string;
  opens: (eventId: string) => boolean;
};

function NewestEvents({ rows, total, slug, opens }: NewestProps) {
  const t = useTranslator("organization");
  return (
    <section className="grid grid-cols-1 gap-4" aria-labelledby="events">
      <div className="flex flex-wrap items-center justify-between gap-x-6">
        <h2 id="events" className="text-xl">
          {t(total > rows.length ? "newestEvents" : "events")}
        </h2>
        <TextLink href={`/orgs/${slug}/events`} className="inline-flex min-h-11 items-center">
          {t("allEvents", { count: total })}
        </TextLink>
      </div>
      <EventTable rows={rows} opens={opens} />
    </section>
  );
}
