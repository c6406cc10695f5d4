import { AUDIT_ACTIONS, type AuditAction } from "#lib/audit/actions.ts";
import { buildActorlessAuditEntry, type AuditEntryInput } from "#lib/audit/audit.ts";
import { generateInviteCode } from "#lib/crypto/random-code.ts";
import type { Prisma } from "#lib/generated/prisma/client.ts";
import type { EventRole, OrganizationRole } from "#lib/operation/actor.ts";
import * as data from "./data.ts";
import { addNamedPeople } from "./named.ts";
import { createRandom, type RandomSource } from "./random.ts";
import { addReports, type DemoFile } from "./reports.ts";
import { DAY_MS } from "#lib/wall-clock.ts";

/** When the service was set up: before the oldest report. */
const SETUP_DAY = -460;
/** How many days before its first report an event is created; guests join in this time. */
const EVENT_LEAD_DAYS = 21;
/** The share of an organization's guests who go to an event. */
const ATTENDANCE_SHARE = 0.7;

/** Rows by their table, in the order in which they are inserted. */
const createNoRows = () => ({
  users: [] as Prisma.UserCreateManyInput[],
  installation_metadata: [] as Prisma.InstallationMetadataCreateManyInput[],
  organizations: [] as Prisma.OrganizationCreateManyInput[],
  organization_members: [] as Prisma.OrganizationMemberCreateManyInput[],
  events: [] as Prisma.EventCreateManyInput[],
  event_report_settings: [] as Prisma.EventReportSettingsCreateManyInput[],
  event_roles: [] as Prisma.EventRoleCreateManyInput[],
  invites: [] as Prisma.InviteCreateManyInput[],
  invite_uses: [] as Prisma.InviteUseCreateManyInput[],
  incidents: [] as Prisma.IncidentCreateManyInput[],
  team_notes: [] as Prisma.TeamNoteCreateManyInput[],
  conversations: [] as Prisma.ConversationCreateManyInput[],
  messages: [] as Prisma.MessageCreateManyInput[],
  incident_history: [] as Prisma.IncidentHistoryCreateManyInput[],
  incident_access: [] as Prisma.IncidentAccessCreateManyInput[],
  pins: [] as Prisma.PinCreateManyInput[],
  people: [] as Prisma.PersonCreateManyInput[],
  incident_people: [] as Prisma.IncidentPersonCreateManyInput[],
});
/** `audit` says who set up what; no action on a report is in it. */
export type DemoWorld = {
  rows: ReturnType<typeof createNoRows>;
  audit: AuditEntryInput[];
  files: DemoFile[];
};

export type DemoContext = DemoWorld & {
  random: RandomSource;
  now: Date;
  /** Returns a time from a day, counted from today, and an hour in UTC. */
  at: (day: number, hour: number) => Date;
  /** Within how many hours the first response to a report is due. */
  deadlineHours: number;
  people: (data.DemoPerson & { id: string })[];
  /** The titles and descriptions so far, so that none appears twice. */
  said: Set<string>;
  /** Adds an audit entry about the object with this id. */
  record: (action: AuditAction, id: string, entry: Omit<AuditEntryInput, "action" | "object">) => void;
};

/** Builds the world of a moment, which depends on nothing else, but for the codes of invites and the code names of people. */
export function buildDemoWorld(
  now: Date,
  settings: { deadlineHours: number; passwordHash: string },
): DemoWorld {
  const random = createRandom(20_301);
  const today = Math.floor(now.getTime() / DAY_MS);
  const people = data.DEMO_PEOPLE.map((person) => ({ ...person, id: random.uuid() }));
  const world: DemoWorld = { rows: createNoRows(), audit: [], files: [] };
  const context: DemoContext = {
    ...world,
    ...settings,
    random,
    now,
    people,
    said: new Set(),
    at: (day, hour) => new Date((today + day) * DAY_MS + hour * 3_600_000),
    record: (action, id, { actorId, data: details = {}, ...entry }) => {
      const object = { type: AUDIT_ACTIONS[action], id };
      world.audit.push({ ...buildActorlessAuditEntry(entry, action, object, details), actorId });
    },
  };
  for (const organization of data.DEMO_ORGANIZATIONS) addOrganization(organization, context);
  addNamedPeople(context);
  addUsers(settings.passwordHash, context);
  return world;
}

/** An account is as old as the first role of its owner. */
function addUsers(passwordHash: string, { rows, people, at, record }: DemoContext): void {
  const roles = [...rows.organization_members, ...rows.event_roles];
  for (const { id, email, name, systemAdmin = false } of people) {
    const joined = roles.filter(({ userId }) => userId === id).map(({ createdAt }) => createdAt as Date);
    const createdAt = joined.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? at(SETUP_DAY, 9);
    const times = { emailVerifiedAt: createdAt, createdAt, updatedAt: createdAt };
    rows.users.push({ id, email, name, systemAdmin, passwordHash, ...times });
    if (systemAdmin) rows.installation_metadata.push({ key: "firstAdministrator", value: id, createdAt });
    const made = { madeSystemAdmin: systemAdmin };
    record("account.register", id, { actorId: id, right: "public", data: made });
  }
}

function addOrganization(organization: data.DemoOrganization, context: DemoContext): void {
  const { rows, random, at, people, record } = context;
  const { slug, name, description, website, invites, events } = organization;
  const id = random.uuid();
  const initialInviteId = random.uuid();
  const createdAt = at(SETUP_DAY + 2, 10);
  rows.organizations.push({ id, slug, name, description, website, createdAt, updatedAt: createdAt });
  const holders = buildHolders<OrganizationRole>({ slug, createdAt: at(SETUP_DAY + 3, 14) }, context);
  rows.organization_members.push(...holders.map((holder) => ({ ...holder, organizationId: id })));
  const admin = people.find(({ systemAdmin }) => systemAdmin)?.id ?? null;
  const place = { organizationId: id, eventId: null };
  const created = { organizationId: id, actorId: admin, right: "SystemAdmin", data: { initialInviteId } };
  record("organization.create", id, created);
  const initial = { id: initialInviteId, createdById: admin };
  const scope = { place, createdAt, expiresAt: null, holders, initial };
  for (const invite of invites) addInvite(invite, scope, context);
  const admins = holders.filter(({ role }) => role === "org_admin").map(({ userId }) => userId);
  for (const event of events) addEvent(event, { ...organization, id, admins }, context);
  const incidents = events.flatMap(({ reports }) => reports).reduce((sum, { count = 1 }) => sum + count, 0);
  record("demo.fill", id, { ...place, actorId: null, right: "command", data: { incidents } });
}

type EventOwner = Pick<data.DemoOrganization, "slug" | "timeZone"> & { id: string; admins: string[] };

function addEvent(event: data.DemoEvent, { admins, ...owner }: EventOwner, context: DemoContext): void {
  const { rows, random, at, now, record } = context;
  const { slug, description, website, contactEmail, isActive, startDay, endDay } = event;
  const startDate = at(startDay, 8);
  const endDate = endDay === null ? null : at(endDay, 18);
  const firstDay = Math.min(...event.reports.map(({ fromDay = 0 }) => fromDay));
  const createdAt = at(firstDay - EVENT_LEAD_DAYS, 11);
  const eventId = random.uuid();
  const place = { organizationId: owner.id, eventId };
  const name = event.name.replace("{year}", String(startDate.getUTCFullYear()));
  const codeOfConduct = event.at.codeOfConduct.join("\n");
  const texts = { slug, name, description, website, contactEmail, codeOfConduct };
  const times = { startDate, endDate, timeZone: owner.timeZone, createdAt, updatedAt: createdAt };
  rows.events.push({ id: eventId, organizationId: owner.id, isActive, ...texts, ...times });
  if (event.at.emergency)
    rows.event_report_settings.push({ eventId, ...event.at.emergency, updatedAt: createdAt });
  const holders = buildHolders<EventRole>({ slug, createdAt, guestOf: owner.slug }, context);
  rows.event_roles.push(...holders.map(({ role, ...one }) => ({ ...one, eventId, roleName: role })));
  const entry = { ...place, actorId: admins[0] ?? null };
  record("event.create", eventId, { ...entry, right: "organization:org_admin", data: { admins } });
  for (const { userId, role } of holders)
    if (role === "Admin" && !admins.includes(userId))
      record("eventRole.grant", userId, { ...entry, right: "event:Admin", data: { userId, role } });
  const expiresAt = endDate && endDate < now ? endDate : null;
  for (const invite of event.invites) addInvite(invite, { place, createdAt, expiresAt, holders }, context);
  const list = (isOnTeam: boolean) =>
    holders.filter(({ role }) => (role !== "Reporter") === isOnTeam).map(({ userId }) => userId);
  addReports(event, { eventId, holders, team: list(true), guests: list(false) }, context);
}

export type RoleHolder<Role = data.DemoRole> = { userId: string; role: Role; createdAt: Date };

/** Lists who holds a role. Guests join until the first report arrives, everybody else at once. */
function buildHolders<Role extends data.DemoRole>(
  { slug, createdAt, guestOf = "" }: { slug: string; createdAt: Date; guestOf?: string },
  { random, people }: DemoContext,
): RoleHolder<Role>[] {
  return people.flatMap((person) => {
    const isGuest = person.guestOf === guestOf && random.chance(ATTENDANCE_SHARE);
    const role = (isGuest ? "Reporter" : person.roles?.[slug]) as Role | undefined;
    const afterMs = isGuest ? random.integer(0, (EVENT_LEAD_DAYS - 1) * 86_400) * 1000 : 0;
    return role ? [{ userId: person.id, role, createdAt: new Date(createdAt.getTime() + afterMs) }] : [];
  });
}

type InviteScope = {
  place: { organizationId: string; eventId: string | null };
  createdAt: Date;
  expiresAt: Date | null;
  holders: RoleHolder[];
  initial?: { id: string; createdById: string | null };
};

/** Adds an invite, which whoever holds its role has used. The creation of an organization names its initial invite. */
function addInvite(
  invite: data.DemoInvite,
  scope: InviteScope,
  { rows, random, at, record }: DemoContext,
): void {
  const { role, note = null, day, maxUses = null, initial = false, disabled = false } = invite;
  const { place, createdAt, expiresAt, holders } = scope;
  const admin = holders.find((holder) => holder.role === "org_admin" || holder.role === "Admin")?.userId;
  const created = (initial && scope.initial) || { id: random.uuid(), createdById: admin ?? null };
  const usedBy = disabled ? [] : holders.filter((holder) => holder.role === role);
  const limits = { maxUses, initial, disabled, expiresAt: role === "Reporter" ? expiresAt : null };
  const times = { useCount: usedBy.length, createdAt: day === undefined ? createdAt : at(day, 9) };
  rows.invites.push({ ...created, ...place, code: generateInviteCode(), role, note, ...limits, ...times });
  const right = place.eventId ? "event:Admin" : "organization:org_admin";
  const entry = { ...place, actorId: created.createdById, right };
  if (!initial) record("invite.create", created.id, { ...entry, data: { role, maxUses } });
  for (const { userId, createdAt: usedAt } of usedBy) {
    rows.invite_uses.push({ inviteId: created.id, userId, usedAt });
    record("invite.use", created.id, { ...place, actorId: userId, right: "invite", data: { userId, role } });
  }
  if (disabled) record("invite.change", created.id, { ...entry, data: { fields: ["disabled"], disabled } });
}
