/** What can have happened; also the kinds that notifications and webhooks speak of. */
export const CHANGE_KINDS = [
  "incident.created",
  "incident.state",
  "incident.assigned",
  "incident.changed",
  "incident.escalated",
  "message.created",
  "note.created",
  "file.added",
  "role.changed",
  "invite.changed",
] as const;

export type ChangeKind = (typeof CHANGE_KINDS)[number];

/**
 * A change of what is the team's alone, such as a note. It is told as `incident.changed`, and never to the reporter; an
 * older version of the service doesn't know it, and leaves it alone.
 */
export const TEAM_ONLY_CHANGE = "incident.changedInside";

/** Kinds as they wait to be told, and go from process to process. */
export const OUTBOX_EVENT_KINDS = [...CHANGE_KINDS, TEAM_ONLY_CHANGE] as const;
export type OutboxEventKind = (typeof OUTBOX_EVENT_KINDS)[number];

/** The name by which streams and webhooks are told of a kind. */
export const toChangeKind = (kind: OutboxEventKind): ChangeKind =>
  kind === TEAM_ONLY_CHANGE ? "incident.changed" : kind;

/**
 * Something that happened: ids and states only, never content. `actorId` is who did it, and is told nothing;
 * null for an anonymous report, where nobody may be able to find out, and for the service itself.
 */
export type OutboxEvent = {
  kind: OutboxEventKind;
  actorId: string | null;
  organizationId: string;
  eventId: string | null;
  incidentId?: string | null;
  /** Whom it concerns: the new assignee, who is mentioned, whose role changed. */
  personIds?: string[];
  /** The state that was reached. */
  state?: string | null;
};

/** A fact that is being told: the name that it goes by, when it happened, and whose report it is about. */
export type DispatchedEvent = Required<OutboxEvent> & { cause: string; at: Date; reporterId: string | null };
