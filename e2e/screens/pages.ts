/** Every page of the service, with the account that views it and its address in the demo world of `npm run demo`. */

export type Screen = {
  /** File name of the screenshot. */
  name: string;
  /** The page's file under app/, without "/page.tsx". */
  page: string;
  /** The account by the part of its address before the @; null for a visitor. */
  as: "sam" | "olga" | "viktor" | "ada" | "omar" | "maya" | null;
  path: string | ((world: Places) => string);
};

/** Addresses that depend on ids. */
export type Places = {
  /** An incident with files and messages, as the team and as its reporter see it. */
  incident: string;
  ownIncident: string;
  /** The page on which a person reads the report that a team member took for them. */
  intake: string;
  userId: string;
  inviteCode: string;
  inviteId: string;
  webhookId: string;
};

const EVENT = "/e/northlight-summit";
const ORGANIZATION = "/orgs/northlight";
const IN_EVENT = "(app)/e/[slug]";
const IN_ORGANIZATION = "(app)/orgs/[slug]";

export const SCREENS: Screen[] = [
  { name: "landing", page: "", as: null, path: "/" },
  { name: "event", page: "e/[slug]", as: null, path: EVENT },
  { name: "sign-in", page: "(account)/login", as: null, path: "/login" },
  { name: "register", page: "(account)/register", as: null, path: "/register" },
  { name: "forgot-password", page: "(account)/forgot-password", as: null, path: "/forgot-password" },
  {
    name: "reset-password",
    page: "(account)/reset-password",
    as: null,
    path: "/reset-password?token=made-up",
  },
  {
    name: "confirm-email",
    page: "(account)/confirm-email",
    as: "maya",
    path: "/confirm-email?token=made-up",
  },
  {
    name: "verify-email",
    page: "(account)/verify-email",
    as: "maya",
    path: "/verify-email?token=made-up",
  },
  { name: "signed-in", page: "(account)/signed-in", as: "maya", path: "/signed-in" },
  { name: "invite", page: "invite/[code]", as: null, path: ({ inviteCode }) => `/invite/${inviteCode}` },
  { name: "reference", page: "reference", as: null, path: "/reference" },
  { name: "reference-errors", page: "reference/errors", as: null, path: "/reference/errors" },
  { name: "reference-group", page: "reference/[group]", as: null, path: "/reference/conversation" },
  { name: "styleguide", page: "styleguide", as: null, path: "/styleguide" },
  { name: "missing", page: "[...missing]", as: null, path: "/nothing/here" },

  { name: "report", page: "e/[slug]/report", as: "maya", path: `${EVENT}/report` },
  { name: "report-sent", page: "e/[slug]/report/sent", as: "maya", path: `${EVENT}/report/sent` },
  { name: "mailbox", page: "mailbox", as: null, path: "/mailbox" },
  {
    name: "conversations",
    page: `${IN_EVENT}/i/[id]/conversations`,
    as: "ada",
    path: ({ incident }) => `${incident}/conversations`,
  },
  {
    name: "case-file",
    page: `${IN_EVENT}/i/[id]/case-file`,
    as: "ada",
    path: ({ incident }) => `${incident}/case-file`,
  },
  { name: "take-report-where", page: "(app)/take", as: "omar", path: "/take" },
  { name: "take-report", page: `${IN_EVENT}/take`, as: "omar", path: `${EVENT}/take` },
  { name: "read-back", page: "e/[slug]/take/[id]", as: "omar", path: ({ intake }) => intake },
  { name: "own-reports", page: "(app)/inbox", as: "maya", path: "/inbox" },
  { name: "own-report", page: `${IN_EVENT}/i/[id]`, as: "maya", path: ({ ownIncident }) => ownIncident },

  { name: "inbox", page: "(app)/inbox", as: "omar", path: "/inbox" },
  { name: "event-incidents", page: `${IN_EVENT}/incidents`, as: "omar", path: `${EVENT}/incidents` },
  { name: "people", page: "(app)/people", as: "omar", path: "/people" },
  { name: "incident", page: `${IN_EVENT}/i/[id]`, as: "ada", path: ({ incident }) => incident },
  { name: "jump", page: "(app)/jump", as: "omar", path: "/jump?search=photo" },
  { name: "notifications", page: "(app)/notifications", as: "omar", path: "/notifications" },
  { name: "outside-incidents", page: "(app)/outside-incidents", as: "omar", path: "/outside-incidents" },
  {
    name: "notification-settings",
    page: "(app)/notifications/settings",
    as: "omar",
    path: "/notifications/settings",
  },

  { name: "event-settings", page: `${IN_EVENT}/settings`, as: "ada", path: `${EVENT}/settings` },
  { name: "event-team", page: `${IN_EVENT}/team`, as: "ada", path: `${EVENT}/team` },

  {
    name: "event-person",
    page: `${IN_EVENT}/team/[userId]`,
    as: "ada",
    path: ({ userId }) => `${EVENT}/team/${userId}`,
  },
  {
    name: "invite-poster",
    page: `${IN_EVENT}/invites/[inviteId]/poster`,
    as: "ada",
    path: ({ inviteId }) => `${EVENT}/invites/${inviteId}/poster`,
  },
  { name: "report-poster", page: `${IN_EVENT}/invites/poster`, as: "ada", path: `${EVENT}/invites/poster` },
  { name: "event-audit", page: `${IN_EVENT}/audit`, as: "ada", path: `${EVENT}/audit` },

  { name: "organizations", page: "(app)/orgs", as: "sam", path: "/orgs" },
  { name: "new-organization", page: "(app)/orgs/new", as: "sam", path: "/orgs/new" },
  { name: "organization", page: IN_ORGANIZATION, as: "olga", path: ORGANIZATION },
  {
    name: "organization-events",
    page: `${IN_ORGANIZATION}/events`,
    as: "olga",
    path: `${ORGANIZATION}/events`,
  },
  { name: "organization-audit", page: `${IN_ORGANIZATION}/audit`, as: "olga", path: `${ORGANIZATION}/audit` },
  { name: "service-tokens", page: `${IN_ORGANIZATION}/tokens`, as: "olga", path: `${ORGANIZATION}/tokens` },
  { name: "retention", page: `${IN_ORGANIZATION}/retention`, as: "olga", path: `${ORGANIZATION}/retention` },
  { name: "webhooks", page: `${IN_ORGANIZATION}/webhooks`, as: "olga", path: `${ORGANIZATION}/webhooks` },
  {
    name: "webhook",
    page: `${IN_ORGANIZATION}/webhooks/[webhookId]`,
    as: "olga",
    path: ({ webhookId }) => `${ORGANIZATION}/webhooks/${webhookId}`,
  },
  {
    name: "new-event",
    page: `${IN_ORGANIZATION}/events/new`,
    as: "olga",
    path: `${ORGANIZATION}/events/new`,
  },
  {
    name: "organization-members",
    page: `${IN_ORGANIZATION}/members`,
    as: "olga",
    path: `${ORGANIZATION}/members`,
  },
  { name: "insights", page: `${IN_ORGANIZATION}/insights`, as: "viktor", path: `${ORGANIZATION}/insights` },
  {
    name: "organization-settings",
    page: `${IN_ORGANIZATION}/settings`,
    as: "olga",
    path: `${ORGANIZATION}/settings`,
  },

  { name: "system", page: "(app)/system", as: "sam", path: "/system" },
  { name: "system-accounts", page: "(app)/system/users", as: "sam", path: "/system/users" },
  {
    name: "system-account",
    page: "(app)/system/users/[userId]",
    as: "sam",
    path: ({ userId }) => `/system/users/${userId}`,
  },
  { name: "system-events", page: "(app)/system/events", as: "sam", path: "/system/events" },
  { name: "system-settings", page: "(app)/system/settings", as: "sam", path: "/system/settings" },
  { name: "system-audit", page: "(app)/system/audit", as: "sam", path: "/system/audit" },

  { name: "account", page: "(app)/account", as: "omar", path: "/account" },
  { name: "account-security", page: "(app)/account/security", as: "omar", path: "/account/security" },
  {
    name: "account-recovery-codes",
    page: "(app)/account/security/recovery-codes",
    as: "omar",
    path: "/account/security/recovery-codes",
  },
  {
    name: "account-invitations",
    page: "(app)/account/invitations",
    as: "omar",
    path: "/account/invitations",
  },
  { name: "account-tokens", page: "(app)/account/tokens", as: "omar", path: "/account/tokens" },
  { name: "account-data", page: "(app)/account/data", as: "omar", path: "/account/data" },
];
