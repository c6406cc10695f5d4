import {
  createForbiddenError,
  createWithheldRoleError,
  createTokenScopeError,
} from "#lib/operation/errors.ts";
import { findHighestEventRole, groupRolesByEvent } from "#lib/operation/event-roles.ts";
import type { Actor, EventRole, OrganizationRole, WithheldRoleReason } from "#lib/operation/actor.ts";
import type { PermissionSubject } from "#lib/operation/permission-subject.ts";

export type * from "#lib/operation/actor.ts";
export type * from "#lib/operation/permission-subject.ts";

export type PolicyRule = {
  /** Anyone, signed in or not. */
  public?: true;
  /** Whoever has opened the mailbox with its receipt. */
  mailbox?: true;
  /**
   * The sender of the request is never looked up: not by session, nor by a stored count of their address
   * (docs/decisions/050).
   */
  unidentified?: true;
  /** Anyone who is signed in. */
  signedIn?: true;
  /** Refused to tokens: a person must be signed in, such as to create a token or open a hidden incident. */
  sessionOnly?: true;
  /** Only for people whose email address is confirmed. */
  verified?: true;
  /** On a `signedIn` row: also for tokens limited to one event or organization, since the results depend on its roles. */
  byRole?: true;
  /** Allowed for tokens for exports, which can use no other rows. */
  exports?: true;
  /** Allowed for service tokens, which can use no other rows (docs/decisions/057). */
  service?: true;
  organization?: readonly OrganizationRole[];
  event?: readonly EventRole[];
  /** Also for whoever opened the incident in an emergency, who reads it, and nothing else (contract 16.5). */
  inEmergency?: true;
  /** Event roles that count only for the actor's own reports; the role must still be held. */
  own?: readonly EventRole[];
};

const members = ["org_admin", "org_viewer"] as const;
const orgAdmin = ["org_admin"] as const;
const everyone = ["Reporter", "Responder", "Admin"] as const;
const team = ["Responder", "Admin"] as const;
const admin = ["Admin"] as const;
const reporter = ["Reporter"] as const;

/**
 * The role matrix (contract 2). SystemAdmin passes every row; a row without roles is for SystemAdmin only.
 * Organization roles never give access to incidents.
 */
// oxfmt-ignore
export const POLICY = {
  "account.open":               { public: true },
  "account.own":                { signedIn: true },
  "account.secure":             { signedIn: true, sessionOnly: true },
  "account.setUpFactor":        { signedIn: true, sessionOnly: true, verified: true },
  "account.createToken":        { signedIn: true, sessionOnly: true, verified: true },
  "account.viewAvatar":         { signedIn: true, byRole: true },
  "invitation.own":             { signedIn: true },
  "admin.manageUsers":          {},
  "admin.resetSecondFactor":    { sessionOnly: true },
  "admin.listEvents":           {},
  "admin.settings":             {},
  "admin.viewStats":            {},
  "admin.testMail":             {},
  "admin.viewHealth":           {},
  "admin.viewAudit":            {},
  "admin.listUnreadIncidents":  { sessionOnly: true },

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
  "organization.showInvite":    { public: true },
  "organization.useInvite":     { signedIn: true },
  "organization.viewLogo":      { public: true },
  "organization.manageTokens": { organization: orgAdmin, sessionOnly: true },
  "organization.changeLogo":    { organization: orgAdmin },
  "organization.createEvent":   { organization: orgAdmin },
  "organization.listEvents":    { organization: members, service: true },
  "organization.analytics":     { organization: members, service: true },
  "organization.export":        { organization: members, exports: true, service: true },
  "organization.viewAudit":     { organization: orgAdmin },

  "event.viewPublic":           { public: true },
  "event.viewLogo":             { public: true },
  "event.view":                 { event: admin },
  "event.update":               { event: admin },
  "event.changeLogo":           { event: admin },
  "event.ownRoles":             { signedIn: true, byRole: true },
  "event.join":                 { signedIn: true },
  "event.joinTeam":             { organization: orgAdmin },
  "event.listUsersById":        { event: admin },
  "event.listUsers":            { event: everyone },
  "event.viewUser":             { event: team },
  "event.manageUsers":          { event: admin },
  "event.manageRoles":          { event: admin },
  "event.manageInvites":        { event: admin },
  "event.handOver":             { event: admin },
  "event.showQr":               { event: team },
  "event.viewAudit":            { event: admin },
  "event.openToServiceTokens":  { event: admin, sessionOnly: true },
  "invite.view":                { public: true },
  "invite.redeem":              { signedIn: true },

  "report.withoutAccount":      { public: true, unidentified: true },
  "mailbox.open":               { public: true, unidentified: true },
  "mailbox.use":                { mailbox: true, unidentified: true },
  "conversation.read":          { event: team, inEmergency: true },
  "conversation.manage":        { event: team },

  "intake.take":                { event: team },
  "intake.handOver":            { event: team, sessionOnly: true },
  "incident.create":            { event: everyone },
  "incident.createWithoutRole": { signedIn: true },
  "incident.list":              { event: everyone, service: true },
  "incident.view":              { event: team, own: reporter, service: true, inEmergency: true },
  "incident.changeState":       { event: team },
  "incident.reopen":            { event: team },
  "incident.update":            { event: team },
  "incident.retitleById":       { event: admin, own: everyone },
  "incident.retitleBySlug":     { event: team,  own: reporter },
  "incident.viewFile":          { event: team,  own: reporter, inEmergency: true },
  "incident.addFile":           { event: team,  own: reporter },
  "incident.changeFile":        { event: team,  own: reporter },
  "incident.openOriginal":      { event: admin, inEmergency: true },
  "evidence.viewUsage":         { event: team },
  "incident.viewHistory":       { event: team,  own: reporter, service: true, inEmergency: true },
  "incident.viewAccess":        { event: team,  own: reporter, inEmergency: true },
  "incident.viewReaders":       { event: team,  own: reporter, inEmergency: true },
  "incident.hide":           { event: admin, own: everyone },
  "incident.stepOut":            { event: team, inEmergency: true },
  "incident.answerConflictCheck": { event: team, inEmergency: true },
  "incident.openInEmergency":   { event: team, sessionOnly: true, inEmergency: true },
  "incident.presence":          { event: team, inEmergency: true },
  "incident.readComments":      { event: team,  own: reporter, service: true, inEmergency: true },
  "incident.readTeamNotes":     { event: team, inEmergency: true },
  "person.read":                { event: team, inEmergency: true },
  "person.manage":              { event: team },
  "person.find":                { signedIn: true, byRole: true },
  "incident.writeComments":     { event: team,  own: reporter },
  "incident.deleteAnyComment":  { event: admin },
  "incident.listAcrossEvents":  { signedIn: true, byRole: true, service: true },
  "incident.listUnanswered":    { signedIn: true, byRole: true },
  "incident.downloadCase":      { event: team },
  "incident.exportChosen":      { signedIn: true, byRole: true, exports: true, service: true },
  "jump.search":                { signedIn: true, byRole: true },
  "pin.own":                    { signedIn: true, byRole: true },
  "unread.own":                 { signedIn: true, byRole: true },
  "outsideIncident.own":               { signedIn: true },
  "savedView.own":              { signedIn: true },
  "notification.own":           { signedIn: true },
  "live.follow":                { signedIn: true },
} as const satisfies Record<string, PolicyRule>;

export type Permission = keyof typeof POLICY;

/** Returns whether the permission doesn't require signing in. */
export const isPermissionWithoutSignIn = (permission: Permission): boolean =>
  ["public", "mailbox"].some((rule) => rule in POLICY[permission]);

/**
 * Returns whether requests with this permission run without an actor, even if somebody is signed in, so that the sender
 * isn't identified.
 */
export const requiresUnidentifiedSender = (permission: Permission): boolean =>
  "unidentified" in POLICY[permission];

/**
 * Returns whether the actor passes every check of the event as SystemAdmin, either in person or with a token for it.
 */
export const hasSystemAdminAccessToEvent = (actor: Actor, eventId: string | undefined): boolean =>
  (actor.systemAdmin && !isClosedToActor(actor, { eventId })) ||
  (eventId !== undefined && systemTokenEventId(actor) === eventId);

/**
 * Returns whether the actor passes every check as SystemAdmin: no organization is closed to them for lack of two-factor
 * sign-in.
 */
export const hasSystemAdminAccessEverywhere = (actor: Actor): boolean =>
  actor.systemAdmin && actor.closed === undefined;

/**
 * Returns whether the actor holds the system role (contract 2.5). An organization or event may still be closed to them:
 * check a permission, or `hasSystemAdminAccessToEvent`.
 */
export const isSystemAdmin = (actor: Pick<Actor, "systemAdmin">): boolean => actor.systemAdmin;

/** Returns whether the actor may remove the last admin of an organization or event (contract 2.6). */
export const canRemoveLastAdmin = isSystemAdmin;

/** Returns whether the actor may change people who haven't accepted their role yet (contract 2.7). */
export const canChangeInvitedPeople = isSystemAdmin;

/** Returns whether a change of somebody else's address takes effect at once, without their consent (contract 4.6). */
export const canChangeEmailOfOthersWithoutConsent = isSystemAdmin;

/** Returns whether the actor sees in an audit log who reported, in every event (contract 12.4). */
export const canSeeReportersInAuditLog = isSystemAdmin;

/**
 * Returns the actor with the role of Admin in the event, for a call that names an incident that they read as outside
 * person. The role counts for that incident, and for nothing else in the event.
 */
export function buildActorAsOutsidePerson(
  actor: Actor,
  call: { incidentId?: string | undefined; eventId?: string | undefined; slug?: string | undefined },
): Actor {
  const incidentId = call.incidentId?.toLowerCase();
  const outsideIncident = actor.outsideIncidents?.find(
    (one) =>
      one.incidentId === incidentId &&
      (call.slug === undefined ? one.eventId === call.eventId?.toLowerCase() : one.slug === call.slug),
  );
  if (!outsideIncident) return actor;
  const { eventId, slug, organizationId, timeZone } = outsideIncident;
  const others = actor.events.filter((event) => event.eventId !== eventId);
  const events = [...others, { eventId, slug, organizationId, timeZone, roles: [...admin] }];
  return { ...actor, events, outsideIncidentId: outsideIncident.incidentId };
}

/** Returns whether the actor acts as outside person, and the subject isn't the incident that they read so. */
const isAboutOtherIncident = ({ outsideIncidentId }: Actor, { incidentId }: PermissionSubject): boolean =>
  outsideIncidentId !== undefined && outsideIncidentId !== incidentId;

/** Returns whether the actor has organizations to see. */
export const canSeeSomeOrganization = (actor: Actor): boolean =>
  actor.systemAdmin || actor.organizations.length > 0;

/** Returns whether the actor has events whose incidents or own reports they can list. */
export const canListIncidentsOfSomeEvent = (actor: Actor): boolean =>
  actor.systemAdmin || actor.events.length > 0;

/** Lists the organizations that are closed to a SystemAdmin for lack of two-factor sign-in; null if none is. */
export const listOrganizationIdsClosedToSystemAdmin = (actor: Actor): string[] | null =>
  actor.systemAdmin && actor.closed ? [...actor.closed.organizations] : null;

type ContainerIds = { eventId?: string | undefined; organizationId?: string | undefined };

/**
 * Returns whether two-factor sign-in is missing for the container's organization. Unknown events count as closed, too.
 */
function isClosedToActor({ closed }: Actor, { eventId, organizationId }: ContainerIds): boolean {
  if (!closed) return false;
  if (eventId !== undefined && !closed.openEvents.has(eventId)) return true;
  return organizationId !== undefined && closed.organizations.has(organizationId);
}

/** Returns the event in which a token gives SystemAdmin access that the actor has nowhere else. */
const systemTokenEventId = ({ token }: Actor): string | undefined =>
  token?.system && token.eventId ? token.eventId : undefined;

/** Returns whether the actor holds any role in the event or organization, or passes as SystemAdmin. */
export function hasAccessToEventOrOrganization(actor: Actor, subject: PermissionSubject): boolean {
  if (!isClosedToActor(actor, subject) && hasSystemAdminAccessToEvent(actor, subject.eventId)) return true;
  if (subject.eventId) return getEventRolesOfActor(actor, subject.eventId).length > 0;
  return organizationRoleOf(actor, subject.organizationId) !== undefined;
}

export const can = (actor: Actor | null, permission: Permission, subject: PermissionSubject = {}): boolean =>
  findActorRightForPermission(actor, permission, subject) !== undefined;

/**
 * Returns the right under which the actor may do it, as the audit log names it, or undefined when they may not. A
 * SystemAdmin without a role of their own in the container is recorded as SystemAdmin (contract 2.5), and a token as a
 * token.
 */
export function findActorRightForPermission(
  actor: Actor | null,
  permission: Permission,
  subject?: PermissionSubject,
): string | undefined {
  const right = findRoleRight(actor, permission, subject);
  const token = actor?.token;
  const isByService = token?.service && right !== undefined && right !== "public";
  return isByService ? `token:${token.scope}` : right;
}

function findRoleRight(
  actor: Actor | null,
  permission: Permission,
  subject: PermissionSubject = {},
): string | undefined {
  const rule: PolicyRule = POLICY[permission];
  if (rule.public) return "public";
  if (rule.mailbox) return subject.mailboxOf === undefined ? undefined : "mailbox";
  if (!actor || (rule.verified && actor.unverified)) return undefined;
  if (rule.signedIn) return "self";
  if (subject.inEmergency && !rule.inEmergency) return undefined;
  const organizationRole = organizationRoleOf(actor, subject.organizationId);
  if (organizationRole && rule.organization?.includes(organizationRole))
    return `organization:${organizationRole}`;
  const held =
    subject.eventId && !isAboutOtherIncident(actor, subject)
      ? getEventRolesOfActor(actor, subject.eventId)
      : [];
  const eventRole = findHighestEventRole(held.filter((role) => rule.event?.includes(role)));
  if (eventRole) return actor.outsideIncidentId === undefined ? `event:${eventRole}` : "outsidePerson";
  const ownRole = isOwnReport(actor, subject)
    ? findHighestEventRole(held.filter((role) => rule.own?.includes(role)))
    : undefined;
  if (ownRole) return `event:${ownRole}(own)`;
  if (isClosedToActor(actor, subject)) return undefined;
  return hasSystemAdminAccessToEvent(actor, rule.event && subject.eventId) ? "SystemAdmin" : undefined;
}

/**
 * Checks a permission.
 * @throws AppError FORBIDDEN when the actor may not, or the reason why a role of theirs there is withheld
 * @returns the right, for the audit log
 */
export function requirePermission(
  actor: Actor | null,
  permission: Permission,
  subject: PermissionSubject = {},
): string {
  const right = findActorRightForPermission(actor, permission, subject);
  if (!right) throw createDenialError(actor, subject, permission);
  return right;
}

/** Returns the error for a denied permission: a service token's limits, a withheld role, or no role allows it. */
export function createDenialError(actor: Actor | null, subject: PermissionSubject, permission?: Permission) {
  if (actor?.token?.service && actor.token.organizationId === subject.organizationId)
    return createTokenScopeError();
  const isUnverified = actor?.unverified && permission && (POLICY[permission] as PolicyRule).verified;
  const reason = isUnverified ? "unverified" : actor && findWithheldRoleReason(actor, subject);
  return reason ? createWithheldRoleError(reason) : createForbiddenError();
}

/** Returns whether the actor holds a role in the container that doesn't count yet. */
export const hasWithheldRole = (actor: Actor, subject: PermissionSubject): boolean =>
  findWithheldRoleReason(actor, subject) !== undefined;

/** Returns why a role of the actor in the container doesn't count yet; undefined when none is withheld there. */
function findWithheldRoleReason(actor: Actor, subject: PermissionSubject): WithheldRoleReason | undefined {
  const { withheld } = actor;
  const { eventId, organizationId } = subject;
  if (actor.systemAdmin && isClosedToActor(actor, subject)) return "secondFactor";
  const held =
    withheld?.events.find((event) => event.eventId === eventId) ??
    withheld?.organizations.find((organization) => organization.organizationId === organizationId);
  return withheld?.system ?? held?.reason;
}

export const getEventRolesOfActor = ({ events }: Actor, eventId: string): EventRole[] =>
  groupRolesByEvent(events).get(eventId) ?? [];

const organizationRoleOf = (actor: Actor, organizationId?: string): OrganizationRole | undefined =>
  actor.organizations.find((organization) => organization.organizationId === organizationId)?.role;

/**
 * Returns whether the actor is a Responder or Admin of the event, or a SystemAdmin with access to it. They see all of
 * its incidents that aren't hidden from them, including team notes.
 */
export const hasTeamAccessToEvent = (actor: Actor, eventId: string): boolean =>
  hasSystemAdminAccessToEvent(actor, eventId) ||
  getEventRolesOfActor(actor, eventId).some((role) => role !== "Reporter");

/**
 * Returns whether the actor can see other people's reports: on the response team of any event, or as SystemAdmin.
 */
export const isOnAnyTeamOrSystemAdmin = (actor: Actor): boolean =>
  hasSystemAdminAccessToEvent(actor, systemTokenEventId(actor)) ||
  actor.events.some(({ eventId }) => hasTeamAccessToEvent(actor, eventId));

/** Returns whether the actor only has reports of their own: no team, no organization, no system role. */
export const isReporterOnly = (actor: Actor): boolean =>
  !actor.systemAdmin && actor.organizations.length === 0 && !isOnAnyTeamOrSystemAdmin(actor);

const isOwnReport = (actor: Actor, subject: PermissionSubject): boolean => subject.reporterId === actor.id;

/** Lists the events in which the actor passes as SystemAdmin without doing so everywhere. */
export function listEventIdsOpenToLimitedSystemAdmin(actor: Actor): string[] {
  const tokenEventId = systemTokenEventId(actor);
  if (tokenEventId !== undefined) return [tokenEventId];
  return actor.systemAdmin && actor.closed ? [...actor.closed.openEvents] : [];
}
