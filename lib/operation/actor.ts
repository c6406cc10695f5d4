import type { Locale } from "#lib/i18n/locales.ts";
import type { ActorToken } from "#lib/operation/token-scope.ts";

/** The user behind a request with all of their roles, read from the database on each request (contract 2.2). */
export type Actor = {
  id: string;
  email: string;
  name: string;
  avatarUrl: string | null;
  /** Language and time zone that they chose; null or missing when they chose none. */
  locale?: Locale | null;
  timeZone?: string | null;
  /** False turns off single-key shortcuts on pages. */
  singleKeys?: boolean;
  /** Id of the session or token that authenticated the request. */
  sessionId: string;
  systemAdmin: boolean;
  /**
   * Incidents that the actor reads as the outside person of an organization (docs/decisions/058); none if missing.
   */
  outsideIncidents?: readonly OutsideIncident[];
  /** The one among them that the call is about (`buildActorAsOutsidePerson`). */
  outsideIncidentId?: string;
  /**
   * Set for a SystemAdmin without two-factor sign-in when organizations require it: the organizations that are closed
   * to them, and the events of all other organizations (docs/architecture.md).
   */
  closed?: { organizations: ReadonlySet<string>; openEvents: ReadonlySet<string> };
  organizations: ({ organizationId: string; slug: string; role: OrganizationRole } & UnacceptedRoleFlag)[];
  events: ({
    eventId: string;
    slug: string;
    organizationId: string;
    timeZone?: string | null;
    roles: EventRole[];
  } & UnacceptedRoleFlag &
    StandInReporterRoleFlag)[];
  /** The person has not yet confirmed their email address, where that is required. */
  unverified?: true;
  /** Roles that are held but don't count yet, each with the reason. */
  withheld?: {
    /** Reason for the system role; missing when the role counts or isn't held. */
    system?: WithheldRoleReason;
    organizations: (Actor["organizations"][number] & RoleWithholding)[];
    events: (Actor["events"][number] & RoleWithholding)[];
  };
  /** Set when a program acts with a token (lib/operation/token-scope.ts). */
  token?: ActorToken;
};

/** An incident that an outside person reads, and its event. */
type OutsideIncident = {
  incidentId: string;
  eventId: string;
  slug: string;
  organizationId: string;
  timeZone: string | null;
};

/** An actor with a session of their own, not a program with a token. */
export type SessionActor = Actor & { token?: never };

/** `invited`: the person has not accepted the role yet. It counts, and their first call that needs it accepts it. */
export type UnacceptedRoleFlag = { invited?: true };

/** `provisional`: a Reporter role that isn't held, standing in for a role withheld until the address is confirmed. */
type StandInReporterRoleFlag = { provisional?: true };

/**
 * The reason why a held role doesn't count yet: the person's email address isn't confirmed, or their organization
 * requires two-factor sign-in and they haven't set it up.
 */
export type WithheldRoleReason = "unverified" | "secondFactor";
type RoleWithholding = { reason: WithheldRoleReason };

export type OrganizationRole = "org_admin" | "org_viewer";
export type EventRole = "Reporter" | "Responder" | "Admin";
