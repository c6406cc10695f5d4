/** Sentences for audit entries in a person's list of activities. */
const ACTION_SENTENCES = new Map(
  Object.entries({
    "event.create": "Created the event",
    "event.update": "Changed the event",
    "event.changeLogo": "Changed the event's logo",
    "event.changeReportSettings": "Changed what the event says to those who report",
    "eventRole.grant": "Gave somebody a role in the event",
    "eventRole.revoke": "Took a role in the event from somebody",
    "eventUser.change": "Changed a person of the event",
    "eventUser.remove": "Removed a person from the event",
    "eventUser.leave": "Left the event",
    "eventUser.acceptInvitation": "Accepted a role in the event",
    "eventUser.declineInvitation": "Declined a role in the event",
    "invite.create": "Created an invite",
    "invite.change": "Changed an invite",
    "invite.use": "Joined by an invite",
    "audit.view": "Looked into the audit log of the event",
    "audit.export": "Took the audit log of the event along as a file",
    "account.registerWithInvite": "Registered with an invite",
  }),
);

/** Returns a plain sentence for an audit action; an action without a sentence is spelled out. */
export function describeAction(action: string): string {
  const sentence = ACTION_SENTENCES.get(action);
  if (sentence) return sentence;
  const words = action.replaceAll(".", " ").replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Object types of audit entries that an incident's history already covers. */
export const HISTORY_OBJECT_TYPES = ["incident", "file", "comment", "note", "message", "pin"];
