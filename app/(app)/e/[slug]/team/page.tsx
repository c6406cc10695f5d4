import { Printer, UserPlus, Users } from "lucide-react";
import type { Metadata } from "next";
import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { EventHeader } from "#components/event/event-header.tsx";
import { loadPublicEvent, loadEventMetadata, type PublicEventRecord } from "#components/event/this-event.ts";
import { definePage } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { FilterBar, FilterSearch, FilterSelect } from "#components/ui/filter-bar.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { requireSignIn, loadPageData } from "#lib/http/page.ts";
import { buildHref, type SearchParams, readSearchParam } from "#lib/design/query.ts";
import { listEventUsers, listWorkload } from "#lib/events/operations.ts";
import { EVENT_ROLES } from "#lib/events/schema.ts";
import { type Actor, can, eventRolesOf, isTeamMember } from "#lib/operation/policy.ts";
import { leaveEventAction } from "./actions.ts";
import { type EventRole, PeopleTable } from "./people.tsx";

type Props = { params: Promise<{ slug: string }>; searchParams: Promise<SearchParams> };

export const generateMetadata = async ({ params }: Props): Promise<Metadata> =>
  loadEventMetadata(params, (await getTranslator("eventAdmin"))("team.title"));

const PAGE_SIZE = 20;

/**
 * The members of an event and their roles; Admins also see each person's open incidents. A Reporter sees the
 * response team and themself.
 */
export default definePage(async function Team({ params, searchParams }: Props) {
  const { slug } = await params;
  const actor = await requireSignIn();
  const query = await searchParams;
  const event = await loadPublicEvent(slug);
  const { users, total, loads } = await loadMembers(actor, { slug, eventId: event.id }, query);
  const path = `/e/${slug}/team`;
  const team = isTeamMember(actor, event.id);
  return (
    <div className="grid gap-5">
      <TeamHeader event={event} actor={actor} total={total} />
      {team && <TeamFilters path={path} query={query} />}
      {users.length > 0 ? (
        <Card padded={false}>
          <PeopleTable
            users={users}
            path={path}
            query={query}
            now={new Date()}
            self={actor.id}
            team={team}
            loads={loads}
          />
        </Card>
      ) : (
        <TeamEmptyState clear={path} />
      )}
      <Pagination
        path={path}
        query={query}
        page={Number(query.page) || 1}
        pages={Math.ceil(total / PAGE_SIZE)}
      />
      <LeaveEventForm event={event} roles={eventRolesOf(actor, event.id)} />
    </div>
  );
});

/** Loads one page of the members and, for those who may hand incidents over, each person's open incidents. */
async function loadMembers(actor: Actor, at: { slug: string; eventId: string }, query: SearchParams) {
  const { slug, eventId } = at;
  const { users, total } = await loadPageData(
    listEventUsers,
    { slug },
    { ...query, limit: String(PAGE_SIZE) },
  );
  const workload = can(actor, "event.handOver", { eventId })
    ? await loadPageData(listWorkload, { slug })
    : null;
  return { users, total, loads: workload?.people ?? null };
}

type HeaderProps = { event: PublicEventRecord; actor: Actor; total: number };

function TeamHeader({ event, actor, total }: HeaderProps) {
  const t = useTranslator("eventAdmin");
  return (
    <EventHeader
      event={event}
      actor={actor}
      current="team"
      title={t("team.title")}
      meta={<p>{t("team.count", { count: total })}</p>}
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
      <LinkButton href={`/e/${slug}/invites`} icon={UserPlus}>
        {t("team.invite")}
      </LinkButton>
    );
  return (
    can(actor, "event.showQr", subject) && (
      <LinkButton href={`/e/${slug}/invites/poster`} icon={Printer}>
        {t("invites.poster")}
      </LinkButton>
    )
  );
}

function TeamFilters({ path, query }: { path: string; query: SearchParams }) {
  const t = useTranslator("eventAdmin");
  const roleName = useTranslator("incident");
  const text = (name: string) => readSearchParam(query, name);
  const role = EVENT_ROLES.find((one) => one === text("role"));
  const search = text("search");
  const hrefWithout = (name: string) => buildHref(path, query, { [name]: null, page: null });
  return (
    <FilterBar
      action={path}
      label={t("team.search")}
      keep={{ sort: text("sort"), order: text("order") }}
      applied={[
        ...(search
          ? [{ label: t("team.filterSearch", { words: search }), href: hrefWithout("search") }]
          : []),
        ...(role
          ? [{ label: t("team.filterRole", { role: roleName(`role.${role}`) }), href: hrefWithout("role") }]
          : []),
      ]}
      clearHref={buildHref(path, query, { search: null, role: null, page: null })}
    >
      <FilterSearch label={t("team.searchName")} value={search} maxLength={200} />
      <FilterSelect
        name="role"
        label={t("team.role")}
        any={t("team.anyRole")}
        value={role}
        options={EVENT_ROLES.map((value) => ({ value, label: roleName(`role.${value}`) }))}
      />
    </FilterBar>
  );
}

function TeamEmptyState({ clear }: { clear: string }) {
  const t = useTranslator("eventAdmin");
  return (
    <EmptyState
      icon={Users}
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
        </FormActions>
      </Form>
    </div>
  );
}
