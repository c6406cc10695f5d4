import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { EventHeader } from "#components/event/event-header.tsx";
import {
  loadPublicEventAndSetZone,
  loadEventPageMetadata,
  loadResponseTeam,
} from "#components/event/event-data.ts";
import { definePage } from "#components/shell/page.tsx";
import { Avatar } from "#components/ui/avatar.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { Card } from "#components/ui/card.tsx";
import { Time } from "#components/ui/time.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { getActorOrRedirectToSignIn, loadPageData } from "#lib/http/page.ts";
import type { SearchParams } from "#lib/design/query.ts";
import { listEventUserActivity, showEventUser, listEventUserAssignments } from "#lib/events/operations.ts";
import { listIncidentsClosedToEventUser } from "#lib/readers/operations.ts";
import { type Actor, can } from "#lib/operation/policy.ts";
import { DismissDialogButton } from "#components/ui/dismiss-button.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { CheckboxGroup } from "#components/ui/field.tsx";
import { EVENT_ROLES } from "#lib/events/schema.ts";
import type { EventRole } from "#lib/operation/actor.ts";
import { RoleBadges } from "../people.tsx";
import { PersonActivityList } from "./activities.tsx";
import { countOpenHoldings, IncidentHandoverForm } from "./handover-form.tsx";
import { LetPersonInCard } from "./let-in-form.tsx";
import { removeEventUserAction, changeEventRolesAction } from "../actions.ts";

type Props = { params: Promise<{ slug: string; userId: string }>; searchParams: Promise<SearchParams> };

/** The title has no names, because titles appear in browser history and on shared screens. */
export const generateMetadata = async ({ params }: Props): Promise<Metadata> =>
  loadEventPageMetadata(params, (await getTranslator("eventAdmin"))("team.title"));

/** A member of an event: roles, open incidents and activity. Admins change the first two here. */
export default definePage(async function PersonOfEvent({ params, searchParams }: Props) {
  const { slug, userId } = await params;
  const actor = await getActorOrRedirectToSignIn();
  const query = await searchParams;
  const member = await loadMember(actor, { slug, userId }, query);
  const { profile, event, holdings, manages } = member;
  const t = await getTranslator("eventAdmin");
  const { user } = profile;
  const hidden = { slug, userId };
  return (
    <div className="grid gap-6">
      <EventHeader
        event={event}
        actor={actor}
        current="team"
        within={{ label: t("team.title"), href: `/e/${slug}/team` }}
        title={user.name}
        meta={<MemberFacts {...profile} now={new Date()} />}
        actions={
          manages && <RemovePersonForm hidden={hidden} name={user.name} holds={countOpenHoldings(holdings)} />
        }
      />
      <MemberCards {...member} at={hidden} query={query} />
    </div>
  );
});

type CardsProps = Awaited<ReturnType<typeof loadMember>> & {
  at: { slug: string; userId: string };
  query: SearchParams;
};

function MemberCards({ profile, activityPage, holdings, takers, manages, closed, at, query }: CardsProps) {
  const t = useTranslator("eventAdmin");
  const { user, roles } = profile;
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[22rem_minmax(0,1fr)]">
      <Card title={t("person.rolesCard")}>
        {manages ? <RolesForm hidden={at} roles={roles} /> : <RoleBadges roles={roles} />}
      </Card>
      <div className="grid gap-6">
        <LetPersonInCard hidden={at} closed={closed} name={user.name} after={query.after} />
        {holdings && (
          <Card title={t("person.assigned")}>
            <IncidentHandoverForm hidden={at} holdings={holdings} takers={takers} />
          </Card>
        )}
        <Card title={t("person.did")} padded={false}>
          <PersonActivityList {...at} query={query} did={activityPage} />
        </Card>
      </div>
    </div>
  );
}

async function loadMember(actor: Actor, at: { slug: string; userId: string }, query: SearchParams) {
  const profile = await loadPageData(showEventUser, at);
  const activityPage = await loadPageData(listEventUserActivity, at, { page: query.page });
  const event = await loadPublicEventAndSetZone(at.slug);
  const mayHandOver = can(actor, "event.handOver", { eventId: event.id });
  const holdings = mayHandOver ? await loadPageData(listEventUserAssignments, at) : null;
  const team = holdings ? await loadResponseTeam(at.slug) : [];
  const takers = team.filter(({ id }) => id !== at.userId);
  const manages = can(actor, "event.manageRoles", { eventId: event.id });
  const closed = manages ? await loadPageData(listIncidentsClosedToEventUser, at) : null;
  return { profile, activityPage, event, holdings, takers, manages, closed };
}

type FactsProps = {
  user: { name: string; email: string | null; avatarUrl?: string | null };
  invited: boolean;
  joinDate: string;
  lastActivity: string | null;
  now: Date;
};

function MemberFacts({ user, invited, joinDate, lastActivity, now }: FactsProps) {
  const t = useTranslator("eventAdmin");
  return (
    <>
      <Avatar name={user.name} src={user.avatarUrl} />
      {invited && (
        <span className="inline-flex flex-wrap items-center gap-2">
          <Badge>{t("team.invited")}</Badge> {t("team.invitedAbout")}
        </span>
      )}
      {user.email !== null && (
        <a
          className="text-link inline-flex min-h-11 min-w-0 items-center wrap-anywhere"
          href={`mailto:${user.email}`}
        >
          {user.email}
        </a>
      )}
      <span>
        {t("person.joined")} <Time value={joinDate} now={now} />
      </span>
      {lastActivity && (
        <span>
          {t("person.active")} <Time value={lastActivity} now={now} />
        </span>
      )}
    </>
  );
}

type Removal = {
  hidden: { slug: string; userId: string };
  name: string;
  /** Number of open incidents. */
  holds: number;
};

/** Removes all roles of a person, after explaining the consequences. */
function RemovePersonForm({ hidden, name, holds }: Removal) {
  const t = useTranslator("eventAdmin");
  return (
    <Form
      action={removeEventUserAction}
      hidden={hidden}
      dialog={{ trigger: t("person.remove"), title: t("person.removeTitle", { name }), variant: "quiet" }}
    >
      <p>{t("person.removeAbout")}</p>
      {holds > 0 && (
        <Notice kind="warning">
          <p>{t("person.removeAssigned", { count: holds })}</p>
        </Notice>
      )}
      <FormActions>
        <SubmitButton variant="danger" pendingLabel={t("removing")}>
          {t("person.removeNow")}
        </SubmitButton>
        <DismissDialogButton outcome="leave" />
      </FormActions>
    </Form>
  );
}

type HeldRoles = { hidden: { slug: string; userId: string }; roles: readonly EventRole[] };

/** Checkboxes for a person's roles. */
function RolesForm({ hidden, roles }: HeldRoles) {
  const t = useTranslator("eventAdmin");
  const name = useTranslator("incident");
  return (
    <Form
      action={changeEventRolesAction}
      hidden={{ ...hidden, held: roles.join(",") }}
      label={t("person.rolesCard")}
    >
      <CheckboxGroup
        name="roles"
        label={t("team.roles")}
        hint={t("person.rolesTakenAbout")}
        options={EVENT_ROLES.map((value) => ({
          value,
          label: name(`role.${value}`),
          hint: t(`person.about.${value}`),
        }))}
        defaultValue={roles}
        required
      />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("person.saveRoles")}</SubmitButton>
      </FormActions>
    </Form>
  );
}
