import { z } from "zod";

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
export const Fact = z.object({
  kind: z.enum(FACTS),
  actorId: z.uuid().nullable(),
  organizationId: z.uuid(),
  eventId: z.uuid().nullable(),
  incidentId: z.uuid().nullable().default(null),
  /** Whom it concerns: the new assignee, who is mentioned, whose role changed. */
  personIds: z.array(z.uuid()).default([]),
  /** The state that was reached. */
  state: z.string().nullable().default(null),
});
export type Fact = z.input<typeof Fact>;

/** A fact as the queue holds it: which telling it is, and when it happened. */
export const Told = Fact.extend({ cause: z.uuid(), at: z.iso.datetime().optional() });
export type Told = z.output<typeof Told>;
