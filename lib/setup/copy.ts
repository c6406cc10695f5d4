import type { Tx } from "#lib/database/client.ts";
import { isUsableEventRole } from "#lib/access/usable-roles.ts";
import { env } from "#lib/env.ts";
import { assertAndLockEventAdmin } from "#lib/events/roles.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { InvalidInputError } from "#lib/operation/errors.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import { type Actor, can } from "#lib/operation/policy.ts";
import { TEAM_ROLES } from "#lib/access/role-sets.ts";
import type { OrganizationPermissionSubject } from "#lib/organizations/scope.ts";

/**
 * What a new event takes over from an earlier one of the organization: its settings for reporters, code of conduct,
 * contact, time zone and team; never reports, who reads them, or invites (contract 5.6).
 */

const COPIED_COLUMNS = { timeZone: true, website: true, contactEmail: true, codeOfConduct: true } as const;

const COPIED_SETTINGS = {
  showTeam: true,
  emergencyContact: true,
  emergencyNumber: true,
  emergencyPhone: true,
  exitUrl: true,
  answerWithinHours: true,
  nextUpdateWithinDays: true,
  whoCanReport: true,
  searchEngines: true,
  withoutAccount: true,
} as const;

/**
 * Loads what is copied from an event. On its team count those who can use their role now.
 * @throws InvalidInputError unless it is an event of the organization and the actor is its Admin; one error for both, so
 *   that it says nothing of other events
 */
export async function loadEventToCopy(
  tx: Tx,
  { organizationId, actor }: OperationContext<OrganizationPermissionSubject, Actor>,
  eventId: string,
) {
  const source = await tx.event.findFirst({
    where: { id: eventId, organizationId },
    select: { ...COPIED_COLUMNS, slug: true, reportSettings: { select: COPIED_SETTINGS } },
  });
  if (!source || !can(actor, "event.view", { eventId, organizationId }))
    throw new InvalidInputError({ copyFromEventId: createFieldProblem("mustBeOwnEvent") });
  await assertAndLockEventAdmin(tx, actor, eventId);
  const team = await tx.eventRole.findMany({
    where: { AND: [{ eventId, roleName: { in: TEAM_ROLES } }, isUsableEventRole()] },
    select: { userId: true, roleName: true },
  });
  const { slug, reportSettings, ...event } = source;
  return { event, slug, reportSettings, copied: { fromEventId: eventId, team } };
}

/** Replaces the address of the earlier event's page in a code of conduct by that of the new one. */
export function moveConductContact(text: string, { from, to }: { from: string; to: string }): string {
  const page = `${env().baseUrl}/e/`;
  return text
    .split(`${page}${from}`)
    .reduce((moved, rest) => `${moved}${page}${/^[a-z0-9-]/.test(rest) ? from : to}${rest}`);
}
