/** Kinds of changes that notifications, live events and webhooks name. */
export const PUBLISHED_CHANGE_KINDS = [
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

type PublishedChangeKind = (typeof PUBLISHED_CHANGE_KINDS)[number];

/**
 * A change that only the team may see, such as one to a note. It is published as `incident.changed`, and never to the
 * reporter. An older version of the service doesn't know this kind and leaves its events in the outbox.
 */
export const TEAM_ONLY_CHANGE_KIND = "incident.changedInside";

/** A new report that is urgent (contract 7.15). The team gets another text for it than for other new reports. */
export const URGENT_REPORT_KIND = "incident.urgent";

/** Somebody set the severity to critical. In the outbox, `incident.escalated` is a report that has waited too long. */
export const MARKED_CRITICAL_KIND = "incident.critical";
/** A message that the reporter sends on a resolved or closed report. */
export const MESSAGE_AFTER_CLOSING_KIND = "message.afterClosing";

/** The reporter of an anonymous report doesn't want it pursued (contract 14.3). */
export const REPORT_WITHDRAWN_KIND = "incident.withdrawn";

/** A reported person or a witness wrote (contract 14.5). For the team only. */
export const MESSAGE_FROM_PARTY_KIND = "message.fromParty";

/** The rules of the organization will delete the incident in 30, 7 or 1 days. */
export const DELETION_NOTICE_KIND = "incident.expiring";
/** The day on which the team planned to review a hold has come. */
export const RETENTION_HOLD_REVIEW_DUE_KIND = "incident.holdReview";

/** Somebody opened an incident in an emergency (contract 16.5). For the team and the reporter. */
export const OPENED_IN_EMERGENCY_KIND = "incident.emergency";

/** Nobody on the team of an event can read its reports (contract 6.10). For admins of its organization and SystemAdmins. */
export const EVENT_WITHOUT_READER_KIND = "event.withoutReader";
/** Somebody's role on a team has begun to count, and open reports are waiting there. For that person. */
export const REPORTS_WAITING_KIND = "incident.waiting";

/** Kinds that only notify people: neither streams nor webhooks have them. */
const UNPUBLISHED_KINDS = [EVENT_WITHOUT_READER_KIND, REPORTS_WAITING_KIND] as const;
type UnpublishedKind = (typeof UNPUBLISHED_KINDS)[number];

/**
 * The kinds of events about what a reported person or a witness does, which have the time of their UTC day. Such an event has no actor; an event of
 * `TEAM_ONLY_CHANGE_KIND` that somebody on the team causes has one.
 */
export const DAY_ONLY_EVENT_KINDS = [MESSAGE_FROM_PARTY_KIND, TEAM_ONLY_CHANGE_KIND] as const;

/** Kinds that the outbox tells apart, but streams and webhooks name more generally. */
export const PUBLISHED_KIND_BY_INTERNAL_KIND = {
  [TEAM_ONLY_CHANGE_KIND]: "incident.changed",
  [URGENT_REPORT_KIND]: "incident.created",
  [MARKED_CRITICAL_KIND]: "incident.escalated",
  [MESSAGE_AFTER_CLOSING_KIND]: "message.created",
  [REPORT_WITHDRAWN_KIND]: "incident.changed",
  [MESSAGE_FROM_PARTY_KIND]: "incident.changed",
  [DELETION_NOTICE_KIND]: "incident.changed",
  [RETENTION_HOLD_REVIEW_DUE_KIND]: "incident.changed",
  [OPENED_IN_EMERGENCY_KIND]: "incident.changed",
} as const satisfies Partial<Record<string, PublishedChangeKind>>;

/** Kinds of outbox events that streams and webhooks have under their own or a more general name. */
export const PUBLISHABLE_EVENT_KINDS = [
  ...PUBLISHED_CHANGE_KINDS,
  TEAM_ONLY_CHANGE_KIND,
  URGENT_REPORT_KIND,
  MARKED_CRITICAL_KIND,
  MESSAGE_AFTER_CLOSING_KIND,
  REPORT_WITHDRAWN_KIND,
  MESSAGE_FROM_PARTY_KIND,
  DELETION_NOTICE_KIND,
  RETENTION_HOLD_REVIEW_DUE_KIND,
  OPENED_IN_EMERGENCY_KIND,
] as const;
type PublishableEventKind = (typeof PUBLISHABLE_EVENT_KINDS)[number];

/** All kinds of outbox events, as they are stored. */
export const OUTBOX_EVENT_KINDS = [...PUBLISHABLE_EVENT_KINDS, ...UNPUBLISHED_KINDS] as const;
export type OutboxEventKind = (typeof OUTBOX_EVENT_KINDS)[number];

/** Returns whether streams and webhooks have events of this kind. */
export const isPublishableEventKind = (kind: OutboxEventKind): kind is PublishableEventKind =>
  !UNPUBLISHED_KINDS.includes(kind as UnpublishedKind);

/** Returns the published name of a kind, for streams and webhooks. */
export const toPublishedChangeKind = (kind: PublishableEventKind): PublishedChangeKind =>
  isChangeKind(kind) ? kind : PUBLISHED_KIND_BY_INTERNAL_KIND[kind];

const isChangeKind = (kind: PublishableEventKind): kind is PublishedChangeKind =>
  !(kind in PUBLISHED_KIND_BY_INTERNAL_KIND);

/**
 * Something that happened: ids and states only, never content. `actorId` is who did it and gets no notification. It is
 * null for an anonymous report, whose sender must stay untraceable, and for the service itself.
 */
export type OutboxEvent = {
  kind: OutboxEventKind;
  actorId: string | null;
  organizationId: string;
  eventId: string | null;
  incidentId?: string | null;
  /** People whom it concerns: the new assignee, people mentioned, or the person whose role changed. */
  personIds?: string[];
  /** The state after the change. */
  state?: string | null;
};

type ActorContext = Pick<OutboxEvent, "organizationId" | "eventId" | "incidentId"> & {
  actor: { id: string };
};

/** Builds the event of what an actor did. */
export const buildOutboxEvent = (
  { actor, organizationId, eventId, incidentId = null }: ActorContext,
  kind: OutboxEventKind,
  more: Pick<OutboxEvent, "personIds" | "state"> = {},
): OutboxEvent => ({ kind, actorId: actor.id, organizationId, eventId, incidentId, ...more });

/**
 * An event being dispatched, with its times. Notifications and deliveries store `deduplicationId`, so that none is
 * written twice; `reporterId` is who filed the report that the event is about.
 */
export type OutboxEventToDispatch = Required<Omit<OutboxEvent, "kind">> & {
  kind: PublishableEventKind;
  deduplicationId: string;
  /** Only for the order of deliveries that wait. */
  at: Date;
  /** The time that is stored and sent: rounded for events without an actor (contract 11.1). */
  publicAt: Date;
  reporterId: string | null;
};
