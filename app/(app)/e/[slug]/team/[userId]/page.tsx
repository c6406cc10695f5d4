import type { Metadata } from "next";
import { useWords } from "#words";
import { EventHeader } from "#components/event/event-header.tsx";
import { eventBySlug, eventTitle, responseTeam } from "#components/event/this-event.ts";
import { page } from "#components/shell/page.tsx";
import { Avatar } from "#components/ui/avatar.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { Card } from "#components/ui/card.tsx";
import { Time } from "#components/ui/time.tsx";
import { pageWords } from "#components/words/page-words.ts";
import { mustBeSignedIn, show } from "#lib/http/page.ts";
import type { Query } from "#lib/design/query.ts";
import { listEventUserActivity, showEventUser, listHoldings } from "#lib/events/operations.ts";
import { can } from "#lib/operation/policy.ts";
import { Roles } from "../people.tsx";
import { Activities } from "./activities.tsx";
import { Holdings } from "./holdings.tsx";
import { RemovePerson } from "./remove-person.tsx";
import { RolesForm } from "./roles-form.tsx";

type Props = { params: Promise<{ slug: string; userId: string }>; searchParams: Promise<Query> };

/** Names stay out of titles, which end up in histories and on shared screens. */
export const generateMetadata = async ({ params }: Props): Promise<Metadata> =>
  eventTitle(params, (await pageWords("eventAdmin"))("team.title"));

/** A person of an event: roles, open reports and what they did; its Admins change the first two here. */
export default page(async function PersonOfEvent({ params, searchParams }: Props) {
  const { slug, userId } = await params;
  const actor = await mustBeSignedIn();
  const query = await searchParams;
  const profile = await show(showEventUser, { slug, userId });
  const did = await show(listEventUserActivity, { slug, userId }, { page: query.page });
  const event = await eventBySlug(slug);
  const subject = { eventId: event.id };
  const holdings = can(actor, "event.handOver", subject) ? await show(listHoldings, { slug, userId }) : null;
  const manages = can(actor, "event.manageRoles", subject);
  const t = await pageWords("eventAdmin");
  const { user, roles } = profile;
  const hidden = { slug, userId };
  return (
    <div className="grid gap-6">
      <EventHeader
        event={event}
        actor={actor}
        current="team"
        within={{ label: t("team.title"), href: `/e/${slug}/team` }}
        title={user.name}
        meta={<Facts {...profile} now={new Date()} />}
        actions={manages && <RemovePerson hidden={hidden} name={user.name} holds={openIn(holdings)} />}
      />
      <div className="grid items-start gap-6 lg:grid-cols-[22rem_minmax(0,1fr)]">
        <Card title={t("person.rolesCard")}>
          {manages ? <RolesForm hidden={hidden} roles={roles} /> : <Roles roles={roles} />}
        </Card>
        <div className="grid gap-6">
          {holdings && (
            <Card title={t("person.holds")}>
              <Holdings
                hidden={hidden}
                holdings={holdings}
                takers={(await responseTeam(slug)).filter(({ id }) => id !== userId)}
              />
            </Card>
          )}
          <Card title={t("person.did")} padded={false}>
            <Activities slug={slug} path={`/e/${slug}/team/${userId}`} query={query} did={did} />
          </Card>
        </div>
      </div>
    </div>
  );
});

const openIn = (holdings: { pagination: { total: number } } | null): number =>
  holdings?.pagination.total ?? 0;

type FactsProps = {
  user: { name: string; email: string | null; avatarUrl?: string | null };
  invited: boolean;
  joinDate: string;
  lastActivity: string | null;
  now: Date;
};

function Facts({ user, invited, joinDate, lastActivity, now }: FactsProps) {
  const t = useWords("eventAdmin");
  return (
    <>
      <Avatar name={user.name} src={user.avatarUrl} decorative />
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
