import { emailUnverified, forbidden, secondFactorRequired, type AppError } from "#lib/operation/errors.ts";
import type { Locale } from "#lib/i18n/locales.ts";

/** Who asks: the user of the session with every role, read live on each request (contract 2.2). */
export type Actor = {
  id: string;
  email: string;
  name: string;
  avatarUrl: string | null;
  /** The language that they chose for the interface; null or missing: none. */
  locale?: Locale | null;
  /** False: single keys do nothing on the pages. */
  singleKeys?: boolean;
  /** Id of the session, or of the token, that the request came with. */
  sessionId: string;
  systemAdmin: boolean;
  /**
   * Of a SystemAdmin without a second factor, where organizations require one: these organizations, which are closed to
   * them, and the events of all others (docs/decisions/034).
   */
  closed?: { organizations: ReadonlySet<string>; openEvents: ReadonlySet<string> };
  organizations: ({ organizationId: string; slug: string; role: OrganizationRole } & InvitationStatus)[];
  events: ({ eventId: string; slug: string; organizationId: string; roles: EventRole[] } & InvitationStatus &
    ProvisionalStatus)[];
  /** The person has not proved yet that they read the mail of their address, where that is required. */
  unverified?: true;
  /** Roles that are held and don't count yet, each with the reason why. */
  withheld?: {
    /** Of the system role; missing where it counts, or isn't held. */
    system?: WithheldReason;
    organizations: (Actor["organizations"][number] & WithheldStatus)[];
    events: (Actor["events"][number] & WithheldStatus)[];
  };
  /**
   * Set when a program asks in the person's name, with a token; `eventId` is the one event that it is for, and `system`
   * says that a SystemAdmin who holds no role there made it: in that event it passes as they do.
   */
  token?: { scope: "read" | "write"; eventId: string | null; system?: true };
};

/** Who asks in a session of their own: no program with a token. */
export type SessionActor = Actor & { token?: never };

/** `invited`: the person has not accepted what they hold there. It counts, and their first call that needs it accepts it. */
export type InvitationStatus = { invited?: true };

/** `provisional`: the role of Reporter isn't held there; it stands in for a role that waits for the address to be confirmed. */
export type ProvisionalStatus = { provisional?: true };

/**
 * Why a role that is held doesn't count yet: the person's address isn't confirmed, or their organization requires a
 * second factor that they don't have.
 */
export type WithheldReason = "unverified" | "secondFactor";
export type WithheldStatus = { reason: WithheldReason };

export type OrganizationRole = "org_admin" | "org_viewer";
export type EventRole = "Reporter" | "Responder" | "Admin";

/** What a permission is asked for: ids of the containers, and the reporter where the record has one. */
export type Subject = { organizationId?: string; eventId?: string; reporterId?: string | null };

type PolicyRule = {
  /** Anybody, signed in or not. */
  public?: true;
  /** Anybody who is signed in. */
  signedIn?: true;
  /** No token may: what decides who gets into an account. */
  sessionOnly?: true;
  /** Only whose address is confirmed. */
  verified?: true;
  /** Of a signedIn row: a token for one event may, since what it meets follows the roles that the token leaves. */
  byEvent?: true;
  organization?: readonly OrganizationRole[];
  event?: readonly EventRole[];
  /** Event roles that count only on the actor's own report; the role must still be held. */
  own?: readonly EventRole[];
};

const members = ["org_admin", "org_viewer"] as const;
const orgAdmin = ["org_admin"] as const;
const everyone = ["Reporter", "Responder", "Admin"] as const;
const team = ["Responder", "Admin"] as const;
const admin = ["Admin"] as const;
const reporter = ["Reporter"] as const;

/**
 * The role matrix (contract 2). SystemAdmin passes every row. A row without roles is
 * SystemAdmin's alone. Organization roles never open an incident.
 */
// prettier-ignore
export const POLICY = {
  "account.open":               { public: true },
  "account.own":                { signedIn: true },
  "account.secure":             { signedIn: true, sessionOnly: true },
  "account.setUpFactor":        { signedIn: true, sessionOnly: true, verified: true },
  "account.createToken":        { signedIn: true, sessionOnly: true, verified: true },
  "account.viewAvatar":         { signedIn: true, byEvent: true },
  "invitation.own":             { signedIn: true },

  "admin.manageUsers":          {},
  "admin.resetSecondFactor":    { sessionOnly: true },
  "admin.listEvents":           {},
  "admin.settings":             {},
  "admin.viewStats":            {},
  "admin.testMail":             {},
  "admin.viewHealth":           {},
  "admin.viewAudit":            {},

  "organization.create":        {},
  "organization.listAll":       {},
  "organization.delete":        {},
  "organization.initialInvite": {},
  "organization.listOwn":       { signedIn: true },
  "organization.view":          { organization: members },
  "organization.update":        { organization: orgAdmin },
  "organization.manageMembers": { organization: orgAdmin },
  "organization.manageInvites": { organization: orgAdmin },
  "organization.manageWebhooks": { organization: orgAdmin },
  "organization.viewInvite":    { public: true },
  "organization.useInvite":     { signedIn: true },
  "organization.viewLogo":      { public: true },
  "organization.changeLogo":    { organization: orgAdmin },
  "organization.createEvent":   { organization: orgAdmin },
  "organization.listEvents":    { organization: members },
  "organization.analytics":     { organization: members },
  "organization.export":        { organization: members },
  "organization.viewAudit":     { organization: orgAdmin },

  "event.viewPublic":           { public: true },
  "event.viewLogo":             { public: true },
  "event.view":                 { event: admin },
  "event.update":               { event: admin },
  "event.changeLogo":           { event: admin },
  "event.ownRoles":             { signedIn: true, byEvent: true },
  "event.listUsersById":        { event: admin },
  "event.listUsers":            { event: everyone },
  "event.viewUser":             { event: team },
  "event.manageUsers":          { event: admin },
  "event.manageRoles":          { event: admin },
  "event.manageInvites":        { event: admin },
  "event.handOver":             { event: admin },
  "event.showQr":               { event: team },
  "event.viewAudit":            { event: admin },
  "invite.view":                { public: true },
  "invite.redeem":              { signedIn: true },

  "incident.create":            { event: everyone },
  "incident.list":              { event: everyone },
  "incident.view":              { event: team, own: reporter },
  "incident.changeState":       { event: team },
  "incident.reopen":            { event: team },
  "incident.update":            { event: team },
  "incident.retitleById":       { event: admin, own: reporter },
  "incident.retitleBySlug":     { event: team,  own: reporter },
  "incident.viewFile":          { event: team,  own: reporter },
  "incident.addFile":           { event: team,  own: reporter },
  "incident.changeFile":        { event: team,  own: reporter },
  "incident.openOriginal":      { event: admin },
  "evidence.viewUsage":         { event: team },
  "incident.viewHistory":       { event: team,  own: reporter },
  "incident.viewAccess":        { event: team,  own: reporter },
  "incident.presence":          { event: team },
  "incident.readComments":      { event: team,  own: reporter },
  "incident.readTeamNotes":     { event: team },
  "incident.writeComments":     { event: team,  own: reporter },
  "incident.deleteAnyComment":  { event: admin },
  "incident.listAcrossEvents":  { signedIn: true, byEvent: true },
  "incident.exportChosen":      { signedIn: true, byEvent: true },
  "pin.own":                    { signedIn: true, byEvent: true },
  "unread.own":                 { signedIn: true, byEvent: true },
  "savedView.own":              { signedIn: true },
  "notification.own":           { signedIn: true },
  "live.follow":                { signedIn: true },
} as const satisfies Record<string, PolicyRule>;

export type Permission = keyof typeof POLICY;

/** True when the row needs nobody to be signed in. */
export const isPublicPermission = (permission: Permission): boolean =>
  (POLICY[permission] as PolicyRule).public === true;

/** Does the actor pass every check of the event as SystemAdmin, by themself or with a token for it? */
export const hasSystemAccessTo = (actor: Actor, eventId: string | undefined): boolean =>
  (actor.systemAdmin && !isClosedToActor(actor, { eventId })) ||
  (eventId !== undefined && systemTokenEventId(actor) === eventId);

/** Does the actor pass as SystemAdmin whatever it is about: no organization asks for a second factor that they don't have? */
export const hasSystemAccessEverywhere = (actor: Actor): boolean =>
  actor.systemAdmin && actor.closed === undefined;

type ContainerIds = { eventId?: string | undefined; organizationId?: string | undefined };

/** Is it in an organization that a SystemAdmin can't open without a second factor? What it doesn't know is closed, too. */
function isClosedToActor({ closed }: Actor, { eventId, organizationId }: ContainerIds): boolean {
  if (!closed) return false;
  if (eventId !== undefined && !closed.openEvents.has(eventId)) return true;
  return organizationId !== undefined && closed.organizations.has(organizationId);
}

/** The event in which an actor passes as SystemAdmin who does so nowhere else. */
const systemTokenEventId = ({ token }: Actor): string | undefined =>
  token?.system && token.eventId ? token.eventId : undefined;

/** Does the actor hold any role in the container, or pass as SystemAdmin? */
export function hasAccessTo(actor: Actor, subject: Subject): boolean {
  if (!isClosedToActor(actor, subject) && hasSystemAccessTo(actor, subject.eventId)) return true;
  if (subject.eventId) return eventRolesOf(actor, subject.eventId).length > 0;
  return organizationRoleOf(actor, subject.organizationId) !== undefined;
}

export const can = (actor: Actor | null, permission: Permission, subject: Subject = {}): boolean =>
  findRight(actor, permission, subject) !== undefined;

/**
 * By what right the actor may do it, in the words of the audit log, or undefined when they may not.
 * A SystemAdmin without a role of its own there is recorded as such (contract 2.5).
 */
export function findRight(
  actor: Actor | null,
  permission: Permission,
  subject: Subject = {},
): string | undefined {
  const rule: PolicyRule = POLICY[permission];
  if (rule.public) return "public";
  if (!actor || (rule.verified && actor.unverified)) return undefined;
  if (rule.signedIn) return "self";
  const organizationRole = organizationRoleOf(actor, subject.organizationId);
  if (organizationRole && rule.organization?.includes(organizationRole))
    return `organization:${organizationRole}`;
  const held = subject.eventId ? eventRolesOf(actor, subject.eventId) : [];
  const eventRole = findHighestRole(held.filter((role) => rule.event?.includes(role)));
  if (eventRole) return `event:${eventRole}`;
  if (isOwnReport(actor, subject) && held.some((role) => rule.own?.includes(role)))
    return "event:Reporter(own)";
  if (isClosedToActor(actor, subject)) return undefined;
  return hasSystemAccessTo(actor, rule.event && subject.eventId) ? "SystemAdmin" : undefined;
}

/**
 * @throws AppError FORBIDDEN when the actor may not, or why a role of theirs is withheld there
 * @returns the right, for the audit log
 */
export function requirePermission(
  actor: Actor | null,
  permission: Permission,
  subject: Subject = {},
): string {
  const right = findRight(actor, permission, subject);
  if (!right) throw createDenialError(actor, subject, permission);
  return right;
}

const WITHHELD_ERRORS: Record<WithheldReason, () => AppError> = {
  unverified: emailUnverified,
  secondFactor: secondFactorRequired,
};

/** Why the actor may not: a role there is withheld, or there is none that would do. */
export function createDenialError(actor: Actor | null, subject: Subject, permission?: Permission): AppError {
  if (actor?.unverified && permission && (POLICY[permission] as PolicyRule).verified)
    return emailUnverified();
  const reason = actor ? findWithheldReason(actor, subject) : undefined;
  return reason ? WITHHELD_ERRORS[reason]() : forbidden();
}

/** Does the actor hold a role in the container that doesn't count yet? */
export const isWithheld = (actor: Actor, subject: Subject): boolean =>
  findWithheldReason(actor, subject) !== undefined;

/** Why a role that the actor holds in the container doesn't count yet; undefined when none is withheld there. */
export function findWithheldReason(actor: Actor, subject: Subject): WithheldReason | undefined {
  const { withheld } = actor;
  const { eventId, organizationId } = subject;
  if (actor.systemAdmin && isClosedToActor(actor, subject)) return "secondFactor";
  const held =
    withheld?.events.find((event) => event.eventId === eventId) ??
    withheld?.organizations.find((organization) => organization.organizationId === organizationId);
  return withheld?.system ?? held?.reason;
}

/** Does the right need a role in the container that the actor has not accepted yet? A SystemAdmin needs none. */
export function hasPendingInvitation(
  actor: Actor,
  right: string,
  { eventId, organizationId }: Subject,
): boolean {
  if (hasSystemAccessTo(actor, eventId)) return false;
  if (right.startsWith("event:"))
    return actor.events.some((event) => event.invited === true && event.eventId === eventId);
  if (right.startsWith("organization:"))
    return actor.organizations.some((one) => one.invited === true && one.organizationId === organizationId);
  return false;
}

/** May a token do it at all? */
export const isTokenAllowed = (permission: Permission): boolean =>
  !(POLICY[permission] as PolicyRule).sessionOnly;

/** Does the token that the actor came with reach as far as this permission? Without one: yes. */
export function isWithinTokenScope({ token }: Actor, permission: Permission): boolean {
  const rule: PolicyRule = POLICY[permission];
  if (!token || rule.public) return true;
  return isTokenAllowed(permission) && (token.eventId === null || !rule.signedIn || rule.byEvent === true);
}

const EVENT_ROLE_RANK: Record<EventRole, number> = { Reporter: 1, Responder: 2, Admin: 3 };

/** Orders event roles from the weakest to the strongest. */
export const compareEventRoles = (a: EventRole, b: EventRole): number =>
  EVENT_ROLE_RANK[a] - EVENT_ROLE_RANK[b];

/** The strongest of several event roles decides (contract 2.3). */
export const findHighestRole = (roles: readonly EventRole[]): EventRole | undefined =>
  roles.toSorted(compareEventRoles).at(-1);

export const eventRolesOf = ({ events }: Actor, eventId: string): EventRole[] =>
  rolesByEvent(events).get(eventId) ?? [];

// A list asks for the roles in each event of a person, several times, and a person may be on the teams of hundreds.
const eventRolesCache = new WeakMap<Actor["events"], Map<string, EventRole[]>>();

function rolesByEvent(events: Actor["events"]): Map<string, EventRole[]> {
  const cachedValue = eventRolesCache.get(events);
  if (cachedValue) return cachedValue;
  const rolesByEventId = new Map(events.map(({ eventId, roles }) => [eventId, roles]));
  eventRolesCache.set(events, rolesByEventId);
  return rolesByEventId;
}

const organizationRoleOf = (actor: Actor, organizationId?: string): OrganizationRole | undefined =>
  actor.organizations.find((organization) => organization.organizationId === organizationId)?.role;

/** Responder, Admin or SystemAdmin there: sees every incident of the event, internal talk included. */
export const isTeamMember = (actor: Actor, eventId: string): boolean =>
  hasSystemAccessTo(actor, eventId) || eventRolesOf(actor, eventId).some((role) => role !== "Reporter");

/** In a response team somewhere: has other people's reports to look at. */
export const isOnAnyTeam = (actor: Actor): boolean =>
  hasSystemAccessTo(actor, systemTokenEventId(actor)) ||
  actor.events.some(({ eventId }) => isTeamMember(actor, eventId));

/** Has reports of their own and nothing else here: no team, no organization, no installation. */
export const isReporterOnly = (actor: Actor): boolean =>
  !actor.systemAdmin && actor.organizations.length === 0 && !isOnAnyTeam(actor);

const isOwnReport = (actor: Actor, subject: Subject): boolean =>
  subject.reporterId !== undefined && subject.reporterId !== null && subject.reporterId === actor.id;

/**
 * Which incidents the actor may see, as data that the queries turn into a `where`: every event, or the
 * events where all of them are visible and those where only the actor's own are. The rows of the policy
 * table decide; no list has a rule of its own.
 */
export type IncidentVisibility = { everything: true } | { everything: false; all: string[]; own: string[] };

export function findIncidentVisibility(actor: Actor, eventId?: string): IncidentVisibility {
  if (eventId) return computeVisibility(actor, eventId);
  // Nothing but the roles decides, unless the actor passes somewhere without one.
  const cacheKey = actor.systemAdmin || actor.token ? actor : actor.events;
  const cachedValue = visibilityCache.get(cacheKey) ?? freezeVisibility(computeVisibility(actor));
  visibilityCache.set(cacheKey, cachedValue);
  return cachedValue;
}

function freezeVisibility(visibility: IncidentVisibility): IncidentVisibility {
  if (!visibility.everything) for (const ids of [visibility.all, visibility.own]) Object.freeze(ids);
  return Object.freeze(visibility);
}

/** A page asks for each of its parts; somebody with fifty roles is looked at fifty times fifty times for an answer. */
const visibilityCache = new WeakMap<object, IncidentVisibility>();

function computeVisibility(actor: Actor, eventId?: string): IncidentVisibility {
  if (hasSystemAccessEverywhere(actor) && !eventId) return { everything: true };
  const held = eventId ? actor.events.filter((event) => event.eventId === eventId) : actor.events;
  const all = held
    .filter((event) => can(actor, "incident.view", { eventId: event.eventId }))
    .map((e) => e.eventId);
  if (eventId && hasSystemAccessTo(actor, eventId)) return { everything: false, all: [eventId], own: [] };
  const own = held
    .filter((event) => can(actor, "incident.view", { eventId: event.eventId, reporterId: actor.id }))
    .map((event) => event.eventId)
    .filter((id) => !all.includes(id));
  return {
    everything: false,
    all: eventId ? all : [...new Set([...all, ...listSystemAccessEvents(actor)])],
    own,
  };
}

/** The events in which somebody passes as SystemAdmin who doesn't do so everywhere. */
export function listSystemAccessEvents(actor: Actor): string[] {
  const tokenEventId = systemTokenEventId(actor);
  if (tokenEventId !== undefined) return [tokenEventId];
  return actor.systemAdmin && actor.closed ? [...actor.closed.openEvents] : [];
}
