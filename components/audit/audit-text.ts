import { useLocale } from "#i18n";
import { AUDIT_ACTIONS, type AuditAction } from "#lib/audit/actions.ts";
import { createAuditLabels } from "#lib/audit/labels.ts";

/**
 * Every action in the log, grouped by the thing that it changes, in the order of the filter. A test compares the list
 * with the actions that can be written (lib/audit/actions.ts).
 */
export const AUDIT_ACTION_GROUPS = {
  incident: [
    "create",
    "change",
    "reopen",
    "retitle",
    "handOver",
    "withdraw",
    "closeMailbox",
    "hold",
    "releaseHold",
    "expire",
    "hide",
    "stepOut",
    "letIn",
    "endList",
    "answerConflictCheck",
    "openInEmergency",
    "nameReported",
    "letOutsidePersonIn",
    "download",
  ],
  person: ["add", "change", "remove", "join", "split", "showName"],
  incidents: ["export"],
  intake: ["create", "confirm"],
  conversation: [
    "create",
    "write",
    "decide",
    "renewWords",
    "close",
    "reply",
    "appeal",
    "confirmReading",
    "addFile",
  ],
  message: ["create", "edit", "delete"],
  note: ["create", "edit", "delete"],
  file: ["add", "change", "delete", "download", "original"],
  event: ["create", "update", "join", "changeLogo", "changeReportSettings"],
  eventRole: ["grant", "revoke"],
  eventUser: ["change", "remove", "leave", "acceptInvitation", "declineInvitation"],
  invite: ["create", "change", "use"],
  organization: [
    "create",
    "update",
    "changeLogo",
    "delete",
    "changeOutsidePerson",
    "changeOutcomeTemplates",
    "changeRetention",
  ],
  member: ["add", "changeRole", "remove", "acceptInvitation", "declineInvitation"],
  webhook: ["create", "change", "rotateSecret", "test", "redeliver", "disable", "delete"],
  serviceToken: ["create", "revoke"],
  reports: ["export"],
  account: [
    "register",
    "signIn",
    "signOut",
    "changeProfile",
    "changeAvatar",
    "changeEmail",
    "verifyEmail",
    "changePassword",
    "resetPassword",
    "beginSecondFactor",
    "confirmSecondFactor",
    "removeSecondFactor",
    "renewRecoveryCodes",
    "createToken",
    "removeToken",
    "endSession",
    "endOtherSessions",
    "export",
    "leave",
    "delete",
  ],
  user: ["change", "resetSecondFactor"],
  settings: ["change"],
  mail: ["test"],
  demo: ["fill"],
  audit: ["view", "export", "restore", "anchor"],
} as const;

type AuditObjectType = (typeof AUDIT_ACTIONS)[AuditAction];
export type AuditActionGroup = keyof typeof AUDIT_ACTION_GROUPS;

/** Action groups of an event's log. */
export const EVENT_AUDIT_ACTION_GROUPS: readonly AuditActionGroup[] = [
  "incident",
  "incidents",
  "person",
  "intake",
  "conversation",
  "message",
  "note",
  "file",
  "event",
  "eventRole",
  "eventUser",
  "invite",
  "audit",
];

/** Action groups of an organization's log: those of its events, and its own. */
export const ORGANIZATION_AUDIT_ACTION_GROUPS: readonly AuditActionGroup[] = [
  ...EVENT_AUDIT_ACTION_GROUPS,
  "organization",
  "member",
  "webhook",
  "serviceToken",
  "reports",
];

/** Action groups of the system log. */
export const SYSTEM_AUDIT_ACTION_GROUPS: readonly AuditActionGroup[] = [
  "account",
  "user",
  "settings",
  "mail",
  "organization",
  "demo",
  "audit",
];

/** Lists the types of objects that the actions of some groups are about, without repeats. */
export const listAuditObjectTypes = (groups: readonly AuditActionGroup[]): AuditObjectType[] => [
  ...new Set(
    groups.flatMap((group) =>
      AUDIT_ACTION_GROUPS[group].map((name) => AUDIT_ACTIONS[`${group}.${name}` as AuditAction]),
    ),
  ),
];

/** Returns labels for the values of an audit entry, in the reader's language. */
export const useAuditLabels = (): ReturnType<typeof createAuditLabels> => createAuditLabels(useLocale());
