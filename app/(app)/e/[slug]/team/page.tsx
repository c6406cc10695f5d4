import { Users } from "lucide-react";
import type { Metadata } from "next";
import { EventHeader } from "#components/event/event-header.tsx";
import { eventBySlug, eventTitle } from "#components/event/this-event.ts";
import { counted } from "#components/incident/words.ts";
import { page } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { FilterBar, FilterSearch, FilterSelect } from "#components/ui/filter-bar.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { mustBeSignedIn, show } from "#lib/api/page.ts";
import { hrefWith, type Query } from "#lib/design/query.ts";
import { listEventUsers } from "#lib/events/operations.ts";
import { EVENT_ROLES } from "#lib/events/schema.ts";
import { can, isTeam } from "#lib/policy.ts";
import { invitesOf } from "./invites.tsx";
import { People } from "./people.tsx";

type Props = { params: Promise<{ slug: string }>; searchParams: Promise<Query> };

export const generateMetadata = ({ params }: Props): Promise<Metadata> => eventTitle(params, "Team");

const LIMIT = 20;

/** Who takes part in an event, and in which role; its Admins change that here. */
export default page(async function Team({ params, searchParams }: Props) {
  const { slug } = await params;
  const actor = await mustBeSignedIn();
  const query = await searchParams;
  const event = await eventBySlug(slug);
  const { users, total } = await show(listEventUsers, { slug }, { ...query, limit: String(LIMIT) });
  const manages = can(actor, "event.manageRoles", { eventId: event.id });
  const path = `/e/${slug}/team`;
  const page = Number(query.page) || 1;
  return (
    <div className="grid gap-5">
      <EventHeader
        event={event}
        actor={actor}
        current="team"
        title="Team"
        meta={<p>{counted(total, "person", "people")}</p>}
      />
      <Filters path={path} query={query} />
      {users.length > 0 ? (
        <Card padded={false}>
          <People
            users={users}
            slug={slug}
            path={path}
            query={query}
            now={new Date()}
            addresses={isTeam(actor, event.id)}
            manages={manages}
          />
        </Card>
      ) : (
        <EmptyState
          icon={Users}
          title="Nobody matches"
          actions={<LinkButton href={path}>Clear filters</LinkButton>}
        >
          <p>Try another name or role.</p>
        </EmptyState>
      )}
      <Pagination path={path} query={query} page={page} pages={Math.ceil(total / LIMIT)} />
      {can(actor, "event.manageInvites", { eventId: event.id }) && (await invitesOf(slug))}
    </div>
  );
});

function Filters({ path, query }: { path: string; query: Query }) {
  const text = (name: string) =>
    typeof query[name] === "string" && query[name] !== "" ? query[name] : undefined;
  const role = EVENT_ROLES.find((one) => one === text("role"));
  const search = text("search");
  const without = (name: string) => hrefWith(path, query, { [name]: null, page: null });
  return (
    <FilterBar
      action={path}
      label="Search people"
      keep={{ sort: text("sort"), order: text("order") }}
      applied={[
        ...(search ? [{ label: `Words: ${search}`, href: without("search") }] : []),
        ...(role ? [{ label: `Role: ${role}`, href: without("role") }] : []),
      ]}
      clearHref={hrefWith(path, query, { search: null, role: null, page: null })}
    >
      <FilterSearch label="Name or e-mail" value={search} maxLength={200} />
      <FilterSelect
        name="role"
        label="Role"
        any="Any role"
        value={role}
        options={EVENT_ROLES.map((value) => ({ value, label: value }))}
      />
    </FilterBar>
  );
}
