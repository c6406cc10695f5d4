/**
 * The record that a permission is checked against: ids of the containers, and the reporter where the record has one.
 */
export type PermissionSubject = {
  organizationId?: string;
  eventId?: string;
  reporterId?: string | null;
  /** The incident itself, which scopes resolve only for whom it isn't hidden from. */
  incidentId?: string;
  /** The incident whose mailbox the request has opened with its receipt. */
  mailboxIncidentId?: string;
  /** The letterbox that the request has opened with its code. */
  letterboxOf?: string;
};
