/** Sentences for audit entries in a person's list of activities. */
const ACTION_SENTENCES = new Map(
  Object.entries({
    "event.create": "Created the event",
    "event.join": "Joined the event",
    "event.update": "Changed the event",
    "event.changeLogo": "Changed the event's logo",
    "event.changeReportSettings": "Changed what reporters see",
    "eventRole.grant": "Granted an event role",
    "eventRole.revoke": "Removed an event role",
    "eventUser.change": "Changed a person at the event",
    "eventUser.remove": "Removed a person from the event",
    "eventUser.leave": "Left the event",
    "eventUser.acceptInvitation": "Accepted an event role",
    "eventUser.declineInvitation": "Declined an event role",
    "invite.create": "Created an invite",
    "invite.change": "Changed an invite",
    "invite.use": "Joined with an invite",
    "audit.view": "Viewed the event's audit log",
    "audit.export": "Downloaded the event's audit log",
    "account.registerWithInvite": "Registered with an invite",
  }),
);

/** Returns a plain sentence for an audit action; an action without a sentence is spelled out. */
export function describeAuditAction(action: string): string {
  const sentence = ACTION_SENTENCES.get(action);
  if (sentence) return sentence;
  const sentenceFromName = action
    .replaceAll(".", " ")
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return sentenceFromName.charAt(0).toUpperCase() + sentenceFromName.slice(1);
}

/** Object types of audit entries that an incident's history already covers. */
export const AUDIT_OBJECT_TYPES_IN_INCIDENT_HISTORY = [
  "incident",
  "file",
  "comment",
  "note",
  "message",
  "pin",
  "conversation",
  "person",
];
