import { POLICY, type EventRole, type OrganizationRole } from "#lib/operation/policy.ts";

/** Sets of roles for the conditions of queries, from the policy. */

export const TEAM_ROLES: EventRole[] = [...POLICY["incident.view"].event];
export const REPORTER_ROLES: EventRole[] = [...POLICY["incident.view"].own];
export const EVENT_ADMIN_ROLES: EventRole[] = [...POLICY["event.manageRoles"].event];
export const ORG_ADMIN_ROLES: OrganizationRole[] = [...POLICY["organization.manageMembers"].organization];
