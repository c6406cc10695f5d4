import type { LiveBroadcast } from "#lib/jobs/broadcast.ts";
import type { LiveChangeRecord } from "#lib/live/schema.ts";
import { toPublishedChangeKind, URGENT_REPORT_KIND } from "#lib/jobs/outbox-events.ts";
import { REPORTER_NOTIFICATION_KINDS } from "#lib/notifications/schema.ts";
import {
  buildActorAsOutsidePerson,
  can,
  hasTeamAccessToEvent,
  type Actor,
  type Permission,
} from "#lib/operation/policy.ts";

type BroadcastChange = NonNullable<LiveBroadcast["change"]>;

/**
 * The kinds of changes to their own report that reporters may see: those that they are notified of, and those that say
 * only that the record changed.
 */
const REPORTER_VISIBLE_KINDS: readonly string[] = [
  ...REPORTER_NOTIFICATION_KINDS,
  "incident.created",
  "incident.urgent",
  "incident.assigned",
  "incident.changed",
  "message.afterClosing",
];

/** Who follows live updates, and the incidents that they must not know of (`listHiddenIncidentIds`). */
type LiveViewer = { person: Actor; hiddenIncidentIds: readonly string[] };

/**
 * Returns whether a person may learn of a change, by the policy table. Team notes and files that the team added are for
 * the team only.
 */
export function canSeeLiveChange(
  { person, hiddenIncidentIds }: LiveViewer,
  change: BroadcastChange,
): boolean {
  const { kind, organizationId, reporterId } = change;
  if (change.incidentId && hiddenIncidentIds.includes(change.incidentId)) return false;
  const eventId = change.eventId ?? undefined;
  if (change.incidentId && eventId) {
    const { incidentId } = change;
    const actor = buildActorAsOutsidePerson(person, { eventId, incidentId });
    if (!can(actor, "incident.view", { eventId, reporterId, incidentId })) return false;
    return hasTeamAccessToEvent(actor, eventId) || REPORTER_VISIBLE_KINDS.includes(kind);
  }
  const permissions = MANAGE_PERMISSIONS[kind === "invite.changed" ? "invites" : "roles"];
  return eventId
    ? can(person, permissions.event, { eventId })
    : can(person, permissions.organization, { organizationId });
}

/** Converts a change to the record that streams and polls send. Only the team's record says that a report is urgent. */
export function toLiveChange(actor: Actor, { kind, eventId, incidentId }: BroadcastChange): LiveChangeRecord {
  const urgent = kind === URGENT_REPORT_KIND && eventId !== null && hasTeamAccessToEvent(actor, eventId);
  return {
    type: "change",
    eventId,
    incidentId,
    kind: toPublishedChangeKind(kind),
    ...(urgent && { urgent }),
  };
}

/** Returns whether a person may learn who is viewing an incident. */
export function canSeePresence(
  { person, hiddenIncidentIds }: LiveViewer,
  { eventId, incidentId }: NonNullable<LiveBroadcast["presence"]>,
): boolean {
  const actor = buildActorAsOutsidePerson(person, { eventId, incidentId });
  return hasTeamAccessToEvent(actor, eventId) && !hiddenIncidentIds.includes(incidentId);
}

const MANAGE_PERMISSIONS: Record<"invites" | "roles", Record<"event" | "organization", Permission>> = {
  invites: { event: "event.manageInvites", organization: "organization.manageInvites" },
  roles: { event: "event.manageRoles", organization: "organization.manageMembers" },
};
