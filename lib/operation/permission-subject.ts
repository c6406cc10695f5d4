/**
 * The record that a permission is checked against: ids of the containers, and the reporter where the record has one.
 */
export type PermissionSubject = {
  organizationId?: string;
  eventId?: string;
  reporterId?: string | null;
  /** The incident itself. Scopes find none that is hidden from the actor (lib/incidents/scope.ts). */
  incidentId?: string;
  /** The actor reads the incident because they opened it in an emergency, and nothing else (contract 16.5). */
  inEmergency?: boolean;
  /** The incident whose mailbox the request has opened with its receipt. */
  mailboxOf?: string;
};
