/** What can have happened; also the kinds that notifications and webhooks speak of. */
export const FACTS = [
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

export type FactKind = (typeof FACTS)[number];

/**
 * A change of what is the team's alone, such as a note. It is told as `incident.changed`, and never to the reporter; an
 * older version of the service doesn't know it, and leaves it alone.
 */
export const INSIDE = "incident.changedInside";

/** Kinds as they wait to be told, and go from process to process. */
export const UNTOLD = [...FACTS, INSIDE] as const;
export type UntoldKind = (typeof UNTOLD)[number];

/** The name by which streams and webhooks are told of a kind. */
export const spoken = (kind: UntoldKind): FactKind => (kind === INSIDE ? "incident.changed" : kind);

/**
 * Something that happened: ids and states only, never content. `actorId` is who did it, and is told nothing;
 * null for an anonymous report, where nobody may be able to find out, and for the service itself.
 */
export type Fact = {
  kind: UntoldKind;
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
export type Told = Required<Fact> & { cause: string; at: Date; reporterId: string | null };
