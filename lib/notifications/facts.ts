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
 * Something that happened: ids and states only, never content. `actorId` is who did it, and is told nothing;
 * null for an anonymous report, where nobody may be able to find out, and for the service itself.
 */
export type Fact = {
  kind: FactKind;
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
