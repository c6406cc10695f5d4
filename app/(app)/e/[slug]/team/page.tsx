import type { Metadata } from "next";
import type { ComponentProps, ReactNode } from "react";
import type { z } from "zod";
import { useTranslator } from "#i18n";
import { EventHeader } from "#components/event/event-header.tsx";
import {
  loadPublicEventAndSetZone,
  loadEventPageMetadata,
  type PublicEventRecord,
  type EventPageProps,
} from "#components/event/event-data.ts";
import { definePage } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { FilterBar, FilterSearchField, FilterSelectField } from "#components/ui/filter-bar.tsx";
import { DismissDialogButton } from "#components/ui/dismiss-button.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { useCommaJoiner } from "#components/ui/text-joiner.ts";
import { PaginationNav } from "#components/ui/pagination.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { getActorOrRedirectToSignIn, loadPageData } from "#lib/http/page.ts";
import { buildHrefWithQueryChanges, type SearchParams, readSingleSearchParam } from "#lib/design/query.ts";
import { listEventUsers, listWorkload } from "#lib/events/operations.ts";
import { EVENT_ROLES, type EventUserList } from "#lib/events/schema.ts";
import { listEventInvites } from "#lib/invites/operations.ts";
import type { EventRole } from "#lib/operation/actor.ts";
import { type Actor, can, getEventRolesOfActor, hasTeamAccessToEvent } from "#lib/operation/policy.ts";
import { leaveEventAction } from "./actions.ts";
import { EventInvites } from "./invites.tsx";
import { PeopleTable } from "./people.tsx";

export const generateMetadata = async ({ params }: EventPageProps): Promise<Metadata> =>
  loadEventPageMetadata(params, (await getTranslator("eventAdmin"))("team.title"));

/** Attendees on one page, since there may be thousands. */
const PAGE_SIZE = 20;
/** Team members on one page: enough for any response team. */
const TEAM_SIZE = 100;

/**
 * The response team of an event and, for the team, its attendees apart; Admins also see each person's open incidents, and
 * the invites. A Reporter sees the response team and themself, in one list.
 */
export default definePage(async function Team({ params, searchParams }: EventPageProps) {
  const { slug } = await params;
  const actor = await getActorOrRedirectToSignIn();
  const query = await searchParams;
  const event = await loadPublicEventAndSetZone(slug);
  const viewer = { actor, slug, eventId: event.id };
  const isTeam = hasTeamAccessToEvent(actor, event.id);
  const groups = await loadGroups(viewer, query, isTeam ? ["team", "reporters"] : [undefined]);
  const path = `/e/${slug}/team`;
  const shown = groups.filter(({ total }) => total > 0);
  const team = shown.find(({ group }) => group !== "reporters");
  const attendees = shown.find(({ group }) => group === "reporters");
  const [loads, invites] = await Promise.all([loadWorkload(viewer), loadInvites(viewer)]);
  const view = { path, query, now: new Date(), self: actor.id, team: isTeam };
  return (
    <div className="grid gap-5">
      <TeamHeader event={event} actor={actor} groups={groups} isFiltered={isTeam && isFilteredBy(query)} />
      {isTeam && <TeamFilters path={path} query={query} />}
      {groups.some(({ group, total }) => group === "team" && total === 0) && !isFilteredBy(query) && (
        <NoTeamState actor={actor} event={event} />
      )}
      {team && <PeopleGroup group={team} view={{ ...view, loads }} />}
      {shown.length === 0 && isFilteredBy(query) && <TeamEmptyState clear={path} />}
      {invites && (
        <EventInvites event={event} invites={invites} after={query.after} userId={actor.id} now={view.now} />
      )}
      {attendees && <PeopleGroup group={attendees} view={{ ...view, loads: null }} />}
      <LeaveEventForm event={event} roles={getEventRolesOfActor(actor, event.id)} />
    </div>
  );
});

const isFilteredBy = (query: SearchParams): boolean =>
  ["search", "role"].some((name) => readSingleSearchParam(query, name));

type Viewer = { actor: Actor; slug: string; eventId: string };
type Group = "team" | "reporters";
/**
 * A page of one group's people. `group` is undefined where the viewer is a Reporter and sees one list without groups.
 */
type LoadedGroup = { group: Group | undefined; page: number; total: number; users: Users };
type Users = z.output<typeof EventUserList>["users"];

/** Query parameter of each group's page number. */
const PAGE_PARAMETERS = { team: "teamPage", reporters: "page" } as const;
const choosePageParameter = (group: Group | undefined) => PAGE_PARAMETERS[group ?? "reporters"];

function loadGroups(
  { slug }: Viewer,
  query: SearchParams,
  groups: readonly (Group | undefined)[],
): Promise<LoadedGroup[]> {
  const { teamPage: _, ...filters } = query;
  return Promise.all(
    groups.map(async (group) => {
      const page = readSingleSearchParam(query, choosePageParameter(group));
      const wanted = { ...filters, page, group, limit: String(group === "team" ? TEAM_SIZE : PAGE_SIZE) };
      const { users, total } = await loadPageData(listEventUsers, { slug }, wanted);
      return { group, page: Number(page) || 1, total, users };
    }),
  );
}

/** Each person's open incidents, for those who may hand incidents over. */
async function loadWorkload({ actor, slug, eventId }: Viewer) {
  if (!can(actor, "event.handOver", { eventId })) return null;
  return (await loadPageData(listWorkload, { slug })).people;
}

/** The invites, for those who manage them. */
async function loadInvites({ actor, slug, eventId }: Viewer) {
  if (!can(actor, "event.manageInvites", { eventId })) return null;
  return (await loadPageData(listEventInvites, { slug })).invites;
}

type GroupProps = {
  group: LoadedGroup;
  view: Omit<ComponentProps<typeof PeopleTable>, "users" | "caption">;
};

/** The team or the attendees, with pages of their own. */
function PeopleGroup({ group: { group, page, total, users }, view }: GroupProps) {
  const t = useTranslator("eventAdmin");
  const title = group ? t(`team.group.${group}`) : undefined;
  const { path, query } = view;
  return (
    <section aria-label={title} id={group} className="grid gap-3">
      {title && <h2 className="text-xl">{title}</h2>}
      <Card padded={false}>
        <PeopleTable {...view} users={users} caption={title ?? t("team.caption")} />
      </Card>
      <PaginationNav
        path={path}
        query={query}
        page={page}
        pages={Math.ceil(total / (group === "team" ? TEAM_SIZE : PAGE_SIZE))}
        name={choosePageParameter(group)}
        label={title}
        anchor={group}
      />
    </section>
  );
}

type HeaderProps = {
  event: PublicEventRecord;
  actor: Actor;
  groups: readonly LoadedGroup[];
  /** Whether the groups hold only the people who match a search or a role. */
  isFiltered: boolean;
};

function TeamHeader({ event, actor, groups, isFiltered }: HeaderProps) {
  const t = useTranslator("eventAdmin");
  const people = useCommaJoiner()(
    groups.map(({ group, total }) => t(`team.count.${group ?? "all"}`, { count: total })),
  );
  return (
    <EventHeader
      event={event}
      actor={actor}
      current="team"
      title={t("team.title")}
      meta={<p>{isFiltered ? t("team.count.matching", { people }) : people}</p>}
      actions={renderInviteLink(actor, event)}
    />
  );
}

/** Links to the invites for those who manage them, and to the poster for those who may only show it. */
function renderInviteLink(actor: Actor, { id, slug }: { id: string; slug: string }): ReactNode {
  const t = useTranslator("eventAdmin");
  const subject = { eventId: id };
  if (can(actor, "event.manageInvites", subject))
    return (
      <LinkButton href="#invites" icon="user-plus">
        {t("team.invite")}
      </LinkButton>
    );
  return (
    can(actor, "event.showQr", subject) && (
      <LinkButton href={`/e/${slug}/invites/poster`} icon="printer">
        {t("invites.poster")}
      </LinkButton>
    )
  );
}

function TeamFilters({ path, query }: { path: string; query: SearchParams }) {
  const t = useTranslator("eventAdmin");
  const roleName = useTranslator("incident");
  const text = (name: string) => readSingleSearchParam(query, name);
  const role = EVENT_ROLES.find((one) => one === text("role"));
  const search = text("search");
  const hrefWithout = (name: string) =>
    buildHrefWithQueryChanges(path, query, { [name]: null, page: null, teamPage: null });
  return (
    <FilterBar
      action={path}
      label={t("team.search")}
      keep={{ sort: text("sort"), order: text("order") }}
      applied={[
        ...(search ? [{ label: t("team.filterSearch", { text: search }), href: hrefWithout("search") }] : []),
        ...(role
          ? [{ label: t("team.filterRole", { role: roleName(`role.${role}`) }), href: hrefWithout("role") }]
          : []),
      ]}
      clearHref={buildHrefWithQueryChanges(path, query, {
        search: null,
        role: null,
        page: null,
        teamPage: null,
      })}
    >
      <FilterSearchField label={t("team.searchName")} value={search} />
      <FilterSelectField
        name="role"
        label={t("team.role")}
        any={t("team.anyRole")}
        value={role}
        options={EVENT_ROLES.map((value) => ({ value, label: roleName(`role.${value}`) }))}
      />
    </FilterBar>
  );
}

/** Says that nobody reads reports, and how that changes. */
function NoTeamState({ actor, event }: { actor: Actor; event: PublicEventRecord }) {
  const t = useTranslator("eventAdmin");
  return (
    <EmptyState icon="users" title={t("team.noTeam")} actions={renderInviteLink(actor, event)}>
      <p>{t("team.noTeamAbout")}</p>
    </EmptyState>
  );
}

function TeamEmptyState({ clear }: { clear: string }) {
  const t = useTranslator("eventAdmin");
  return (
    <EmptyState
      icon="users"
      title={t("team.nobody")}
      actions={<LinkButton href={clear}>{t("team.clear")}</LinkButton>}
    >
      <p>{t("team.nobodyAbout")}</p>
    </EmptyState>
  );
}

type LeaveEventProps = {
  event: { id: string; name: string };
  /** The current user's roles in the event; without one, there is nothing to leave. */
  roles: readonly EventRole[];
};

/** Lets the current user leave the event. */
function LeaveEventForm({ event, roles }: LeaveEventProps) {
  const t = useTranslator("eventAdmin");
  const onTeam = roles.some((role) => role !== "Reporter");
  if (roles.length === 0) return null;
  return (
    <div className="mt-4">
      <Form
        action={leaveEventAction}
        hidden={{ eventId: event.id }}
        dialog={{
          trigger: t("team.leave"),
          title: t("team.leaveTitle", { event: event.name }),
          variant: "quiet",
        }}
      >
        <p>{t(onTeam ? "team.leaveAbout" : "team.leaveAboutReporter")}</p>
        <FormActions>
          <SubmitButton variant="danger" pendingLabel={t("team.leaving")}>
            {t("team.leaveNow")}
          </SubmitButton>
          <DismissDialogButton outcome="stay" />
        </FormActions>
      </Form>
    </div>
  );
}
