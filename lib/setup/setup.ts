import { assertAndLockSystemAdmin } from "#lib/accounts/system-admin-lock.ts";
import { buildInviteLink, generateInviteCode } from "#lib/crypto/random-code.ts";
import type { Tx } from "#lib/database/client.ts";
import { fillInConductContact } from "#lib/events/conduct-texts.ts";
import { insertEvent, refuseTakenEventSlug } from "#lib/events/events.ts";
import type { EventRecord } from "#lib/events/schema.ts";
import { insertMailedInvites, withInviteMailsCounted } from "#lib/invites/mailed-invites.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import type { Actor, PermissionSubject } from "#lib/operation/policy.ts";
import { assertAndLockOrganizationAdmin } from "#lib/organizations/members.ts";
import { insertOrganization, refuseTakenOrganizationSlug } from "#lib/organizations/organizations.ts";
import type { OrganizationRecord } from "#lib/organizations/schema.ts";
import type { OrganizationPermissionSubject } from "#lib/organizations/scope.ts";
import { loadEventToCopy, moveConductContact } from "#lib/setup/copy.ts";
import {
  DEFAULT_ANSWER_WITHIN_HOURS,
  type EventSetupInput,
  type OrganizationSetupInput,
} from "#lib/setup/schema.ts";
import { deriveFreeSlug } from "#lib/setup/slugs.ts";

/** Opens an event in one step, and on the first day the organization with it (contract 5.6). */

type OrganizationContext = OperationContext<OrganizationPermissionSubject, Actor>;

/**
 * Creates an organization and its first event, and invites the team and the outside person, together or not at all.
 * @returns also the link for the first org_admin, where the creator doesn't manage it
 * @throws AppError SLUG_TAKEN, RATE_LIMITED
 */
export async function setUpOrganization(
  context: OperationContext<PermissionSubject, Actor>,
  { organizationName, organizationSlug, manage, outsidePersonEmail, ...input }: OrganizationSetupInput,
): Promise<{ organization: OrganizationRecord; event: EventRecord; inviteLink: string | null }> {
  const { actor } = context;
  const firstInviteCode = manage ? null : generateInviteCode();
  const outside = outsidePersonEmail ? [outsidePersonEmail] : [];
  // Whoever manages it is on the team already.
  const teamEmails = input.teamEmails.filter((email) => !manage || email !== actor.email);
  return withInviteMailsCounted(actor, teamEmails.length + outside.length, async (tx) => {
    await assertAndLockSystemAdmin(tx, actor);
    const name = organizationName ?? input.name;
    const slug = organizationSlug ?? (await deriveFreeSlug(tx, "organization", name));
    const newOrganization = { name, slug, description: null, website: null };
    const organization = await insertOrganization(tx, context, {
      newOrganization,
      joinAsAdmin: manage,
      firstInviteCode,
    }).catch((error: unknown) => refuseTakenOrganizationSlug(error, "organizationSlug"));
    const here = { ...context, organizationId: organization.id };
    const event = await openEvent(tx, here, { ...input, teamEmails });
    await insertMailedInvites(tx, here, { emails: outside, role: "org_viewer", outsidePerson: true });
    return { organization, event, inviteLink: firstInviteCode && buildInviteLink(firstInviteCode) };
  });
}

/**
 * Creates an event of an organization, afresh or as a copy of an earlier one, and invites the team.
 * @throws AppError SLUG_TAKEN, RATE_LIMITED, FORBIDDEN; InvalidInputError for an event that can't be copied
 */
export const setUpEvent = (context: OrganizationContext, input: EventSetupInput): Promise<EventRecord> =>
  withInviteMailsCounted(context.actor, input.teamEmails.length, async (tx) => {
    await assertAndLockOrganizationAdmin(tx, context.actor, context.organizationId);
    return openEvent(tx, context, input);
  });

async function openEvent(
  tx: Tx,
  context: OrganizationContext,
  { teamEmails, copyFromEventId, emergencyNumber, showTeam, slug: givenSlug, ...given }: EventSetupInput,
): Promise<EventRecord> {
  const source = copyFromEventId ? await loadEventToCopy(tx, context, copyFromEventId) : undefined;
  const slug = givenSlug ?? (await deriveFreeSlug(tx, "event", given.name));
  const chosen = <Value>(value: Value | undefined, copied: Value | undefined): Value | null =>
    value === undefined ? (copied ?? null) : value;
  const copiedConduct =
    source?.event.codeOfConduct &&
    moveConductContact(source.event.codeOfConduct, { from: source.slug, to: slug });
  const conduct = chosen(given.codeOfConduct, copiedConduct);
  const event = await insertEvent(tx, context, {
    event: {
      ...given,
      slug,
      timeZone: chosen(given.timeZone, source?.event.timeZone),
      website: chosen(given.website, source?.event.website),
      contactEmail: chosen(given.contactEmail, source?.event.contactEmail),
      codeOfConduct: conduct && fillInConductContact(conduct, slug),
    },
    reportSettings: {
      ...(source
        ? source.reportSettings
        : { answerWithinHours: DEFAULT_ANSWER_WITHIN_HOURS, showTeam: true }),
      ...(emergencyNumber !== undefined && { emergencyNumber }),
      ...(showTeam !== undefined && { showTeam }),
    },
    ...(source && { copied: source.copied }),
  }).catch((error: unknown) => refuseTakenEventSlug(error, "slug"));
  const place = { ...context, eventId: event.id };
  await insertMailedInvites(tx, place, { emails: teamEmails, role: "Responder" });
  return event;
}
