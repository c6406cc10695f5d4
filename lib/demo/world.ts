import { generateInviteCode } from "#lib/crypto/random-code.ts";
import type { EventRole, OrganizationRole } from "#lib/operation/policy.ts";
import { createDemoCalendar, DAY_MS, type DemoCalendar } from "./calendar.ts";
import { PRINTED_DEMO_ACCOUNTS, DEMO_REPORTERS, DEMO_TEAM_MEMBERS, type DemoPerson } from "./people.ts";
import { DEMO_EVENTS, DEMO_ORGANIZATIONS, type DemoEvent } from "./places.ts";
import { createRandom, type RandomSource } from "./random.ts";
import { generateDemoReports, type DemoReports } from "./reports.ts";
import type {
  DemoEventRoleRow,
  DemoEventRow,
  DemoInviteRow,
  DemoInviteUseRow,
  DemoOrganizationMemberRow,
  DemoOrganizationRow,
  DemoUserRow,
} from "./rows.ts";

/**
 * The demo world as database rows, with the database's column names. It depends only on the time: the same time gives
 * the same world, except for invite codes.
 */

export type DemoWorldRows = {
  users: DemoUserRow[];
  organizations: DemoOrganizationRow[];
  members: DemoOrganizationMemberRow[];
  events: DemoEventRow[];
  eventRoles: DemoEventRoleRow[];
  invites: DemoInviteRow[];
  inviteUses: DemoInviteUseRow[];
} & DemoReports;

const SEED = 20_301;

/** Where the events of each organization take place. */
const TIME_ZONES: Readonly<Record<string, string>> = {
  northlight: "Europe/Copenhagen",
  "juniper-games": "Europe/London",
};

/** When the service was set up, in days from today: before the oldest report. */
const SETUP_DAY = -460;
/** How many days before its first report an event is created. */
const EVENT_LEAD_DAYS = 21;
/** The share of an organization's reporters who attend an event. */
const ATTENDANCE_SHARE = 0.7;

export function generateDemoWorldRows(now: Date, settings: { deadlineHours: number }): DemoWorldRows {
  const random = createRandom(SEED);
  const calendar = createDemoCalendar(now);
  const people = new Map(
    [...PRINTED_DEMO_ACCOUNTS, ...DEMO_TEAM_MEMBERS, ...Object.values(DEMO_REPORTERS).flat()].map((one) => [
      one.email,
      random.uuid(),
    ]),
  );
  const personId = (character: DemoPerson) => people.get(character.email) as string;

  const organizations = DEMO_ORGANIZATIONS.map(({ slug, name, description, website }) => {
    const founded = calendar.at(SETUP_DAY + 2, 10);
    return { id: random.uuid(), name, slug, description, website, created_at: founded, updated_at: founded };
  });
  const events = DEMO_EVENTS.map((event) => createEventRow(event, { random, calendar, organizations }));
  const eventRoles = events.flatMap((row) => createEventRoles(row, { random, calendar, idOf: personId }));
  const base = {
    organizations,
    members: createMembers({ calendar, idOf: personId, organizations }),
    events,
    eventRoles,
  };
  const users = createUserRows({ ...base, calendar, idOf: personId });
  const inviteRows = createInvites({
    ...base,
    random,
    calendar,
    creator: (email) => people.get(email) as string,
  });
  const reports = generateDemoReports(random, { events, eventRoles, calendar, ...settings });
  return { ...base, users, ...inviteRows, ...reports };
}

type GenerationContext = { random: RandomSource; calendar: DemoCalendar };

function createEventRow(
  event: DemoEvent,
  { random, calendar, organizations }: GenerationContext & { organizations: DemoOrganizationRow[] },
): DemoEventRow {
  const start = calendar.at(event.startDay, 8);
  const created = calendar.at(Math.min(...event.reports.map(({ from }) => from)) - EVENT_LEAD_DAYS, 11);
  return {
    id: random.uuid(),
    organization_id: organizations.find(({ slug }) => slug === event.organization)?.id as string,
    name: event.name.replace("{year}", String(start.getUTCFullYear())),
    slug: event.slug,
    description: event.description,
    start_date: start,
    end_date: event.endDay === null ? null : calendar.at(event.endDay, 18),
    time_zone: TIME_ZONES[event.organization] as string,
    website: event.website,
    contact_email: event.contactEmail,
    code_of_conduct: event.codeOfConduct,
    is_active: event.isActive,
    created_at: created,
    updated_at: created,
  };
}

type PeopleContext = GenerationContext & { idOf: (character: DemoPerson) => string };

/** The team joins on the first day; reporters join until the first report arrives. */
function createEventRoles(
  row: DemoEventRow,
  { random, calendar, idOf: personId }: PeopleContext,
): DemoEventRoleRow[] {
  const { organization } = DEMO_EVENTS.find(({ slug }) => slug === row.slug) as DemoEvent;
  const assigned = (user_id: string, role_name: EventRole, created_at: Date) => ({
    id: random.uuid(),
    event_id: row.id,
    user_id,
    role_name,
    created_at,
  });
  const named = [...PRINTED_DEMO_ACCOUNTS, ...DEMO_TEAM_MEMBERS].flatMap((one) => {
    const role = one.events?.[row.slug];
    return role ? [assigned(personId(one), role, row.created_at)] : [];
  });
  const guests = (DEMO_REPORTERS[organization] ?? []).filter(() => random.chance(ATTENDANCE_SHARE));
  const joined = guests.map((one) => {
    const late = random.number() * (EVENT_LEAD_DAYS - 1) * DAY_MS;
    const at = Math.min(row.created_at.getTime() + late, calendar.now.getTime());
    return assigned(personId(one), "Reporter", new Date(Math.floor(at / 1000) * 1000));
  });
  return [...named, ...joined];
}

function createMembers({
  calendar,
  idOf: personId,
  organizations,
}: Omit<PeopleContext, "random"> & { organizations: DemoOrganizationRow[] }): DemoOrganizationMemberRow[] {
  return [...PRINTED_DEMO_ACCOUNTS, ...DEMO_TEAM_MEMBERS].flatMap((one) => {
    const [slug, role] = one.organization ?? [];
    const organization = organizations.find((row) => row.slug === slug);
    if (!organization || !role) return [];
    const day = role === "org_admin" ? SETUP_DAY + 3 : SETUP_DAY + 9;
    return [
      { organization_id: organization.id, user_id: personId(one), role, created_at: calendar.at(day, 14) },
    ];
  });
}

type StructureRows = Pick<DemoWorldRows, "organizations" | "members" | "events" | "eventRoles">;

/** An account is as old as the first membership of its owner. */
function createUserRows(given: StructureRows & Omit<PeopleContext, "random">): DemoUserRow[] {
  const { members, eventRoles, calendar, idOf: personId } = given;
  return [...PRINTED_DEMO_ACCOUNTS, ...DEMO_TEAM_MEMBERS, ...Object.values(DEMO_REPORTERS).flat()].map(
    (one) => {
      const id = personId(one);
      const joined = [...members, ...eventRoles]
        .filter(({ user_id }) => user_id === id)
        .map(({ created_at }) => created_at);
      const first = one.systemAdmin
        ? calendar.at(SETUP_DAY, 9)
        : chooseEarliest(joined, calendar.at(SETUP_DAY + 30, 9));
      return {
        id,
        email: one.email,
        name: one.name,
        system_admin: one.systemAdmin ?? false,
        email_verified_at: first,
        created_at: first,
        updated_at: first,
      };
    },
  );
}

const chooseEarliest = (times: Date[], otherwise: Date): Date =>
  times.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? otherwise;

type InviteContext = StructureRows & GenerationContext & { creator: (email: string) => string };

function createInvites(given: InviteContext): Pick<DemoWorldRows, "invites" | "inviteUses"> {
  const { organizations, events } = given;
  const invitesWithUsers = [
    ...organizations.flatMap((organization) => createOrganizationInvites(organization, given)),
    ...events.flatMap((event) => createEventInvites(event, given)),
  ];
  const inviteUses = invitesWithUsers.flatMap(({ invite, users }) =>
    users.map(({ user_id, created_at }) => ({ invite_id: invite.id, user_id, used_at: created_at })),
  );
  const rows = invitesWithUsers.map(({ invite, users }) => ({ ...invite, use_count: users.length }));
  return { invites: rows, inviteUses };
}

type InviteWithUsers = { invite: DemoInviteRow; users: (DemoOrganizationMemberRow | DemoEventRoleRow)[] };

/** Creates the initial admin's invite, the viewers' invite, and a revoked one. */
function createOrganizationInvites(
  { id: organization_id, created_at }: DemoOrganizationRow,
  given: InviteContext,
): InviteWithUsers[] {
  const ofRole = (role: OrganizationRole) =>
    given.members.filter((one) => one.organization_id === organization_id && one.role === role);
  const [admin] = ofRole("org_admin") as [DemoOrganizationMemberRow];
  const defaults = { ...inviteDefaults(given), organization_id, created_at };
  const initial: DemoInviteRow = {
    ...defaults,
    role: "org_admin",
    initial: true,
    max_uses: 1,
    created_by_id: given.creator("sam@example.org"),
  };
  const forViewers: DemoInviteRow = {
    ...defaults,
    ...createInviteIdentity(given),
    role: "org_viewer",
    max_uses: 10,
    created_by_id: admin.user_id,
    created_at: given.calendar.at(SETUP_DAY + 5, 9),
    note: "For the board",
  };
  const revoked: DemoInviteRow = {
    ...defaults,
    ...createInviteIdentity(given),
    role: "org_admin",
    max_uses: 1,
    disabled: true,
    created_by_id: admin.user_id,
    created_at: given.calendar.at(-40, 16),
    note: "Went to the wrong list",
  };
  return [
    { invite: initial, users: [admin] },
    { invite: forViewers, users: ofRole("org_viewer") },
    { invite: revoked, users: [] },
  ];
}

/** Creates an invite for guests, which has expired if the event is over, and one for the team, which is used up. */
function createEventInvites(event: DemoEventRow, given: InviteContext): InviteWithUsers[] {
  const roles = given.eventRoles.filter(({ event_id }) => event_id === event.id);
  const ofRole = (role: EventRole) => roles.filter(({ role_name }) => role_name === role);
  const [admin] = ofRole("Admin") as [DemoEventRoleRow];
  const defaults = {
    ...inviteDefaults(given),
    organization_id: event.organization_id,
    event_id: event.id,
    created_by_id: admin.user_id,
    created_at: event.created_at,
  };
  const isOver = event.end_date !== null && event.end_date < given.calendar.now;
  const responders = ofRole("Responder");
  return [
    {
      invite: {
        ...defaults,
        role: "Reporter",
        note: "Printed on the badges",
        expires_at: isOver ? event.end_date : null,
      },
      users: ofRole("Reporter"),
    },
    {
      invite: {
        ...defaults,
        ...createInviteIdentity(given),
        role: "Responder",
        note: "Response team",
        max_uses: Math.max(1, responders.length),
      },
      users: responders,
    },
  ];
}

const createInviteIdentity = ({ random }: GenerationContext) => ({
  id: random.uuid(),
  code: generateInviteCode(),
});

const inviteDefaults = (given: GenerationContext) => ({
  ...createInviteIdentity(given),
  event_id: null,
  initial: false,
  expires_at: null,
  max_uses: null,
  use_count: 0,
  disabled: false,
  note: null,
});
