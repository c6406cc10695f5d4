import { newInviteCode } from "#lib/crypto/random-code.ts";
import type { EventRole, OrganizationRole } from "#lib/operation/policy.ts";
import { clockOf, DAY, type Clock } from "./clock.ts";
import { ACCOUNTS, REPORTERS, TEAMS, type Character } from "./people.ts";
import { EVENTS, ORGANIZATIONS, type DemoEvent } from "./places.ts";
import { seeded, type Random } from "./random.ts";
import { writeReports, type Reports } from "./reports.ts";
import type {
  EventRoleRow,
  EventRow,
  InviteRow,
  InviteUseRow,
  MemberRow,
  OrganizationRow,
  UserRow,
} from "./rows.ts";

/**
 * The demo world as rows of the database, columns by their names. It depends on nothing but the clock: the same
 * moment gives the same world, except for the codes of invites.
 */

export type World = {
  users: UserRow[];
  organizations: OrganizationRow[];
  members: MemberRow[];
  events: EventRow[];
  eventRoles: EventRoleRow[];
  invites: InviteRow[];
  inviteUses: InviteUseRow[];
} & Reports;

const SEED = 20_301;

/** When the service was set up, in days from today: before the oldest report. */
const BEGINNING = -460;
/** How long before its first report an event is created. */
const PREPARATION = 21;
/** How many of an organization's reporters come to an event. */
const TURNOUT = 0.7;

export function imagineWorld(now: Date, settings: { deadlineHours: number }): World {
  const random = seeded(SEED);
  const clock = clockOf(now);
  const people = new Map(
    [...ACCOUNTS, ...TEAMS, ...Object.values(REPORTERS).flat()].map((one) => [one.email, random.uuid()]),
  );
  const idOf = (character: Character) => people.get(character.email) as string;

  const organizations = ORGANIZATIONS.map(({ slug, name, description, website }) => {
    const founded = clock.at(BEGINNING + 2, 10);
    return { id: random.uuid(), name, slug, description, website, created_at: founded, updated_at: founded };
  });
  const events = EVENTS.map((event) => eventRow(event, { random, clock, organizations }));
  const eventRoles = events.flatMap((row) => rolesIn(row, { random, clock, idOf }));
  const base = { organizations, members: members({ clock, idOf, organizations }), events, eventRoles };
  const users = userRows({ ...base, clock, idOf });
  const invited = invites({ ...base, random, clock, creator: (email) => people.get(email) as string });
  const reports = writeReports(random, { events, eventRoles, clock, ...settings });
  return { ...base, users, ...invited, ...reports };
}

type Making = { random: Random; clock: Clock };

function eventRow(
  event: DemoEvent,
  { random, clock, organizations }: Making & { organizations: OrganizationRow[] },
): EventRow {
  const start = clock.at(event.startDay, 8);
  const created = clock.at(Math.min(...event.reports.map(({ from }) => from)) - PREPARATION, 11);
  return {
    id: random.uuid(),
    organization_id: organizations.find(({ slug }) => slug === event.organization)?.id as string,
    name: event.name.replace("{year}", String(start.getUTCFullYear())),
    slug: event.slug,
    description: event.description,
    start_date: start,
    end_date: event.endDay === null ? null : clock.at(event.endDay, 18),
    website: event.website,
    contact_email: event.contactEmail,
    code_of_conduct: event.codeOfConduct,
    is_active: event.isActive,
    created_at: created,
    updated_at: created,
  };
}

type Peopling = Making & { idOf: (character: Character) => string };

/** The team from the first day on; reporters join until the first report comes. */
function rolesIn(row: EventRow, { random, clock, idOf }: Peopling): EventRoleRow[] {
  const { organization } = EVENTS.find(({ slug }) => slug === row.slug) as DemoEvent;
  const assigned = (user_id: string, role_name: EventRole, created_at: Date) => ({
    id: random.uuid(),
    event_id: row.id,
    user_id,
    role_name,
    created_at,
  });
  const named = [...ACCOUNTS, ...TEAMS].flatMap((one) => {
    const role = one.events?.[row.slug];
    return role ? [assigned(idOf(one), role, row.created_at)] : [];
  });
  const guests = (REPORTERS[organization] ?? []).filter(() => random.chance(TURNOUT));
  const joined = guests.map((one) => {
    const late = random.number() * (PREPARATION - 1) * DAY;
    const at = Math.min(row.created_at.getTime() + late, clock.now.getTime());
    return assigned(idOf(one), "Reporter", new Date(Math.floor(at / 1000) * 1000));
  });
  return [...named, ...joined];
}

function members({
  clock,
  idOf,
  organizations,
}: Omit<Peopling, "random"> & { organizations: OrganizationRow[] }): MemberRow[] {
  return [...ACCOUNTS, ...TEAMS].flatMap((one) => {
    const [slug, role] = one.organization ?? [];
    const organization = organizations.find((row) => row.slug === slug);
    if (!organization || !role) return [];
    const day = role === "org_admin" ? BEGINNING + 3 : BEGINNING + 9;
    return [{ organization_id: organization.id, user_id: idOf(one), role, created_at: clock.at(day, 14) }];
  });
}

type Placed = Pick<World, "organizations" | "members" | "events" | "eventRoles">;

/** Accounts are as old as the first thing that their owners joined. */
function userRows(given: Placed & Omit<Peopling, "random">): UserRow[] {
  const { members, eventRoles, clock, idOf } = given;
  return [...ACCOUNTS, ...TEAMS, ...Object.values(REPORTERS).flat()].map((one) => {
    const id = idOf(one);
    const joined = [...members, ...eventRoles]
      .filter(({ user_id }) => user_id === id)
      .map(({ created_at }) => created_at);
    const first = one.systemAdmin ? clock.at(BEGINNING, 9) : earliest(joined, clock.at(BEGINNING + 30, 9));
    return {
      id,
      email: one.email,
      name: one.name,
      system_admin: one.systemAdmin ?? false,
      email_verified_at: first,
      created_at: first,
      updated_at: first,
    };
  });
}

const earliest = (times: Date[], otherwise: Date): Date =>
  times.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? otherwise;

type Inviting = Placed & Making & { creator: (email: string) => string };

function invites(given: Inviting): Pick<World, "invites" | "inviteUses"> {
  const { organizations, events } = given;
  const made = [
    ...organizations.flatMap((organization) => organizationInvites(organization, given)),
    ...events.flatMap((event) => eventInvites(event, given)),
  ];
  const inviteUses = made.flatMap(({ invite, users }) =>
    users.map(({ user_id, created_at }) => ({ invite_id: invite.id, user_id, used_at: created_at })),
  );
  const rows = made.map(({ invite, users }) => ({ ...invite, use_count: users.length }));
  return { invites: rows, inviteUses };
}

type Invited = { invite: InviteRow; users: (MemberRow | EventRoleRow)[] };

/** The first admin's, the viewers', and one that was withdrawn. */
function organizationInvites(organization: OrganizationRow, given: Inviting): Invited[] {
  const members = given.members.filter(({ organization_id }) => organization_id === organization.id);
  const ofRole = (role: OrganizationRole) => members.filter((member) => member.role === role);
  const [admin] = ofRole("org_admin") as [MemberRow];
  const blank = {
    ...blankInvite(given),
    organization_id: organization.id,
    created_at: organization.created_at,
  };
  const later = given.clock.at(BEGINNING + 5, 9);
  return [
    {
      invite: {
        ...blank,
        role: "org_admin",
        initial: true,
        max_uses: 1,
        created_by_id: given.creator("sam@example.org"),
      },
      users: [admin],
    },
    {
      invite: {
        ...blank,
        ...again(given),
        role: "org_viewer",
        max_uses: 10,
        created_by_id: admin.user_id,
        created_at: later,
        note: "For the board",
      },
      users: ofRole("org_viewer"),
    },
    {
      invite: {
        ...blank,
        ...again(given),
        role: "org_admin",
        max_uses: 1,
        disabled: true,
        created_by_id: admin.user_id,
        created_at: given.clock.at(-40, 16),
        note: "Went to the wrong list",
      },
      users: [],
    },
  ];
}

/** For guests, for the team (used up) and, where the event is over, an expired one. */
function eventInvites(event: EventRow, given: Inviting): Invited[] {
  const roles = given.eventRoles.filter(({ event_id }) => event_id === event.id);
  const ofRole = (role: EventRole) => roles.filter(({ role_name }) => role_name === role);
  const [admin] = ofRole("Admin") as [EventRoleRow];
  const blank = {
    ...blankInvite(given),
    organization_id: event.organization_id,
    event_id: event.id,
    created_by_id: admin.user_id,
    created_at: event.created_at,
  };
  const over = event.end_date !== null && event.end_date < given.clock.now;
  const responders = ofRole("Responder");
  return [
    {
      invite: {
        ...blank,
        role: "Reporter",
        note: "Printed on the badges",
        expires_at: over ? event.end_date : null,
      },
      users: ofRole("Reporter"),
    },
    {
      invite: {
        ...blank,
        ...again(given),
        role: "Responder",
        note: "Response team",
        max_uses: Math.max(1, responders.length),
      },
      users: responders,
    },
  ];
}

const again = ({ random }: Making) => ({ id: random.uuid(), code: newInviteCode() });

const blankInvite = (given: Making) => ({
  ...again(given),
  event_id: null,
  initial: false,
  expires_at: null,
  max_uses: null,
  use_count: 0,
  disabled: false,
  note: null,
});
