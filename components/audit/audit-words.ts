import { useLocale, useWords } from "#words";
import { messagesOf, type Key } from "#lib/i18n/catalogue.ts";

/**
 * Every action that the log knows, by what it is about, in the order in which a filter offers them. A test holds the
 * list against the actions that can be written (lib/audit/actions.ts).
 */
export const ACTIONS = {
  incident: ["create", "change", "reopen", "retitle", "handOver"],
  incidents: ["export"],
  message: ["create", "edit", "delete"],
  note: ["create", "edit", "delete"],
  file: ["add", "change", "delete", "download", "original"],
  event: ["create", "update", "changeLogo", "changeReportSettings"],
  eventRole: ["grant", "revoke"],
  eventUser: ["change", "remove", "leave", "acceptInvitation", "declineInvitation"],
  invite: ["create", "change", "use"],
  organization: ["create", "update", "changeLogo", "delete"],
  member: ["add", "changeRole", "remove", "acceptInvitation", "declineInvitation"],
  webhook: ["create", "change", "rotateSecret", "test", "redeliver", "disable", "delete"],
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

export type ActionGroup = keyof typeof ACTIONS;

/** What the log of an event tells of. */
export const OF_EVENT: readonly ActionGroup[] = [
  "incident",
  "incidents",
  "message",
  "note",
  "file",
  "event",
  "eventRole",
  "eventUser",
  "invite",
  "audit",
];

/** What the log of an organization tells of: its events and what belongs to itself. */
export const OF_ORGANIZATION: readonly ActionGroup[] = [
  ...OF_EVENT,
  "organization",
  "member",
  "webhook",
  "reports",
];

/** What the log of the system tells of. */
export const OF_SYSTEM: readonly ActionGroup[] = [
  "account",
  "user",
  "settings",
  "mail",
  "organization",
  "demo",
  "audit",
];

/** The words for what an entry holds; what the catalogue doesn't know stays as the log has it. */
export function useAuditWords() {
  const t = useWords("audit");
  const locale = useLocale();
  const role = useWords("incident");
  const known = (key: string): key is Key<"audit"> => key in messagesOf(locale, "audit");
  const say = (key: string, otherwise: string) => (known(key) ? t(key) : otherwise);
  const roleName = (name: string) =>
    `role.${name}` in messagesOf(locale, "incident") ? role(`role.${name}` as never) : name;
  return {
    /** "Created an invite" of `invite.create`; "Invites: everything" of `invite.`. */
    action: (action: string) =>
      action.endsWith(".")
        ? t("everythingAbout", { group: say(`group.${action.slice(0, -1)}`, action) })
        : say(`action.${action}`, action),
    kind: (type: string) => say(`kind.${type}`, type),
    roleName,
    /** By what right: "As Admin of the event" of `event:Admin`. */
    right: (right: string) => {
      const [place = "", held = ""] = right.split(":");
      if (held === "Reporter(own)") return t("right.own");
      if (place === "event" && held !== "") return t("right.event", { role: roleName(held) });
      return say(`right.${held || place}`, right);
    },
  };
}
