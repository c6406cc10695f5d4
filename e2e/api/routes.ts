import { ACCOUNT_ROWS } from "#e2e/api/account-rows.ts";
import { type Role, ROLES, SIGNED_IN } from "#e2e/api/roles.ts";
import { INTAKE_ROWS } from "#e2e/api/intake-rows.ts";
import { CONVERSATION_ROWS } from "#e2e/api/conversation-rows.ts";
import { MAILBOX_ROUTE_ROWS } from "#e2e/api/mailbox-rows.ts";
import { CONFLICT_ROWS } from "#e2e/api/conflict-rows.ts";
import { OUTSIDE_PERSON_ROWS } from "#e2e/api/outside-person-rows.ts";
import { PEOPLE_ROWS } from "#e2e/api/people-rows.ts";
import { RETENTION_ROWS } from "#e2e/api/retention-rows.ts";
import { TRIAGE_ROWS } from "#e2e/api/triage-rows.ts";
import type { RequestOptions, Client, Reply } from "#e2e/support/client.ts";
import { buildForm, createPhoto, createPng } from "#e2e/support/evidence.ts";
import { insertSecondFactor } from "#e2e/support/second-factor.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { PASSWORD, type TestPerson, type TestWorld } from "#e2e/support/world.ts";

/**
 * A handwritten table of every endpoint: its method and path, the roles that may call it, and a request that succeeds.
 * `routes.test.ts` goes through all rows; a route without a row fails there.
 */

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A request that succeeds: path parameters other than the test world's own, the query, and the body. */
export type Example = {
  params?: Record<string, string>;
  query?: string;
  body?: unknown;
  /** The cookie of an opened mailbox, which is sent instead of a session. */
  cookie?: string;
};

export type Row = {
  method: Method;
  path: string;
  /** The roles that get a success response. All others get 401 (visitors), 403 or 404. */
  who: readonly Role[];
  status: 200 | 201 | 204;
  body?: "json" | "multipart";
  /**
   * Creates the example, for a role where the role matters. By default the request has the ids of the test world and no
   * body.
   */
  example?: (world: TestWorld, role: Role) => Example | Promise<Example>;
  /** Other paths of the same endpoint. Those of `/api/events/…` under `/events/…` are implied. */
  aliases?: string[];
  /** Signs in or out; the loops then use a session that nothing else needs. */
  changesSession?: true;
  /**
   * Creates a new person to send each request, where a request would end sessions or accounts that other tests need.
   */
  caller?: (world: TestWorld) => Promise<TestPerson>;
  /** Needs the cookie of an opened mailbox, which the example has; a session doesn't open a mailbox. */
  opensMailbox?: true;
  /** Hashes a password, which is slow. */
  slow?: true;
  /** Not one of the endpoints of API version 0.1: its operation refuses names that it doesn't know (contract 3.9). */
  beyond?: true;
};

const asBeyond = (row: Row): Row => ({ ...row, beyond: true });

const ANYBODY = ROLES;
const SYSTEM = ["sam"] as const;
const MEMBERS = ["viktor", "olga", "sam"] as const;
const ORG_ADMINS = ["olga", "sam"] as const;
const EVENT_ADMINS = ["ada", "sam"] as const;
const TEAM = ["omar", "ada", "sam"] as const;
const EVENT_ROLES = ["maya", "rita", "omar", "ada", "sam"] as const;
const REPORTER_AND_TEAM = ["maya", "omar", "ada", "sam"] as const;
const REPORTER_AND_ADMINS = ["maya", "ada", "sam"] as const;

const account = () => ({
  email: `${generateUniqueWord()}@example.org`,
  password: "seven small lanterns",
  name: "Somebody New",
});

const newReport = { title: "A report for the table", description: "What happened." };

/** A report of maya's, in a state. */
async function report(world: TestWorld, state?: string): Promise<Example> {
  const filed = await world.report(world.maya, world.event);
  if (state) await world.move(filed, state);
  return { params: { incidentId: filed.id } };
}

/** A report of maya's, hidden from omar by her or by ada. */
async function hiding(world: TestWorld, by: "maya" | "ada"): Promise<Example> {
  const { params } = await report(world);
  const path = `/api/events/${world.event.id}/incidents/${params?.incidentId}/readers/${world.omar.id}`;
  await world.as(world[by]).put(path, { access: "none" });
  return { params: { ...params, userId: world.omar.id }, body: { access: "full" } };
}

/** An event of its own, where anyone with an account may report. */
async function openEvent(world: TestWorld): Promise<Example> {
  const event = await world.newEvent(world.organization);
  await world.grant(world.ada, event, "Admin");
  const { id, slug } = event;
  return { params: { eventId: id, slug } };
}

/** Creates a new person in the event, for requests that would change a role of the people in other tests. */
const newcomer = (world: TestWorld): Promise<TestPerson> =>
  world.person("New Comer", { events: [[world.event, "Reporter"]] });

const newMember = (world: TestWorld): Promise<TestPerson> =>
  world.person("New Member", { organization: [world.organization, "org_viewer"] });

/** An invite to the organization, made by olga. */
async function invite(world: TestWorld): Promise<{ id: string; code: string }> {
  const path = `/api/organizations/${world.organization.id}/invites`;
  return (await world.as(world.olga).post(path, { role: "org_viewer" })).body.invite;
}

const logo = async () => ({
  body: buildForm({}, { field: "logo", name: "logo.png", bytes: await createPng(), type: "image/png" }),
});

/** Accounts and sign-in (contract 4). */
const ACCOUNTS: Row[] = [
  {
    method: "POST",
    path: "/api/auth/register",
    who: ANYBODY,
    status: 201,
    body: "json",
    slow: true,
    example: () => ({ body: account() }),
  },
  {
    method: "POST",
    path: "/api/auth/register/invite/:inviteCode",
    slow: true,
    who: ANYBODY,
    status: 201,
    body: "json",
    example: async (world) => ({ params: { inviteCode: (await invite(world)).code }, body: account() }),
  },
  {
    method: "POST",
    path: "/api/auth/login",
    changesSession: true,
    slow: true,
    who: ANYBODY,
    status: 200,
    body: "json",
    example: (world) => ({ body: { email: world.nora.email, password: "a quiet river at dawn" } }),
  },
  { method: "POST", path: "/api/auth/logout", who: SIGNED_IN, status: 200, changesSession: true },
  {
    method: "GET",
    path: "/api/auth/session",
    who: ANYBODY,
    status: 200,
    aliases: ["/api/session", "/session"],
  },
  {
    method: "GET",
    path: "/api/auth/check-email",
    who: ANYBODY,
    status: 200,
    example: () => ({ query: "email=free@example.org" }),
  },
  {
    method: "POST",
    path: "/api/auth/forgot-password",
    who: ANYBODY,
    status: 200,
    body: "json",
    example: () => ({ body: { email: "nobody@example.org" } }),
  },
  {
    method: "POST",
    path: "/api/auth/reset-password",
    slow: true,
    who: ANYBODY,
    status: 200,
    body: "json",
    example: async (world) => ({
      body: { token: await plantedReset(world), newPassword: "seven small lanterns" },
    }),
  },
  {
    method: "GET",
    path: "/api/auth/validate-reset-token",
    who: ANYBODY,
    status: 200,
    example: () => ({ query: "token=unknown" }),
  },
];

/** Stores a reset token for a new person, as the mail would carry it. */
async function plantedReset(world: TestWorld): Promise<string> {
  const { id } = await world.person("Forgetful Person");
  const token = `planted-${generateUniqueWord()}`;
  await world.service.sql(
    "insert into password_resets (user_id, token_hash, expires_at) values ($1, sha256($2::bytea), now() + interval '1 hour')",
    [id, token],
  );
  return token;
}

const ORGANIZATION = "/api/organizations/:organizationId";
const ORGANIZATION_BY_SLUG = "/api/organizations/slug/:orgSlug";

/** Organizations (contract 5). */
const ORGANIZATIONS: Row[] = [
  {
    method: "POST",
    path: "/api/organizations",
    who: SYSTEM,
    status: 201,
    body: "json",
    example: () => ({ body: { name: "New organization", slug: `new-${generateUniqueWord()}` } }),
  },
  {
    method: "POST",
    path: "/api/organizations/setup",
    who: SYSTEM,
    status: 201,
    body: "json",
    beyond: true,
    example: () => ({ body: { name: `New event ${generateUniqueWord()}` } }),
  },
  { method: "GET", path: "/api/organizations", who: SYSTEM, status: 200 },
  { method: "GET", path: "/api/organizations/me", who: SIGNED_IN, status: 200 },
  { method: "GET", path: ORGANIZATION_BY_SLUG, who: MEMBERS, status: 200 },
  { method: "GET", path: ORGANIZATION, who: MEMBERS, status: 200 },
  {
    method: "PUT",
    path: ORGANIZATION,
    who: ORG_ADMINS,
    status: 200,
    body: "json",
    example: () => ({ body: { description: "By the river." } }),
  },
  {
    method: "DELETE",
    path: ORGANIZATION,
    who: SYSTEM,
    status: 200,
    example: async (world) => ({ params: { organizationId: (await world.newOrganization()).id } }),
  },
  {
    method: "POST",
    path: `${ORGANIZATION}/members`,
    who: ORG_ADMINS,
    status: 201,
    body: "json",
    example: async (world) => ({
      body: { userId: (await world.person("New Member")).id, role: "org_viewer" },
    }),
  },
  {
    method: "PUT",
    path: `${ORGANIZATION}/members/:userId`,
    who: ORG_ADMINS,
    status: 200,
    body: "json",
    example: async (world) => ({
      params: { userId: (await newMember(world)).id },
      body: { role: "org_admin" },
    }),
  },
  {
    method: "DELETE",
    path: `${ORGANIZATION}/members/:userId`,
    who: ORG_ADMINS,
    status: 200,
    example: async (world) => ({ params: { userId: (await newMember(world)).id } }),
  },
  {
    method: "POST",
    path: `${ORGANIZATION}/events`,
    who: ORG_ADMINS,
    status: 201,
    body: "json",
    example: () => ({ body: { name: "New event", slug: `new-${generateUniqueWord()}` } }),
  },
  {
    method: "POST",
    path: `${ORGANIZATION}/events/setup`,
    who: ORG_ADMINS,
    status: 201,
    body: "json",
    beyond: true,
    example: () => ({ body: { name: `New event ${generateUniqueWord()}` } }),
  },
  { method: "GET", path: `${ORGANIZATION}/events`, who: MEMBERS, status: 200 },
  {
    method: "POST",
    path: `${ORGANIZATION}/logo`,
    who: ORG_ADMINS,
    status: 200,
    body: "multipart",
    example: logo,
  },
  {
    method: "POST",
    path: `${ORGANIZATION_BY_SLUG}/logo`,
    who: ORG_ADMINS,
    status: 200,
    body: "multipart",
    example: logo,
  },
  { method: "GET", path: `${ORGANIZATION}/logo`, who: ANYBODY, status: 200, example: withOrganizationLogo },
  {
    method: "GET",
    path: `${ORGANIZATION_BY_SLUG}/logo`,
    who: ANYBODY,
    status: 200,
    example: withOrganizationLogo,
  },
  {
    method: "GET",
    path: "/api/organizations/invite/:code",
    who: ANYBODY,
    status: 200,
    example: async (world) => ({ params: { code: (await invite(world)).code } }),
  },
  {
    method: "POST",
    path: `${ORGANIZATION}/invites`,
    who: ORG_ADMINS,
    status: 201,
    body: "json",
    example: () => ({ body: { role: "org_viewer" } }),
  },
  { method: "GET", path: `${ORGANIZATION}/invites`, who: ORG_ADMINS, status: 200 },
  {
    method: "POST",
    path: `${ORGANIZATION}/mailed-invites`,
    who: ORG_ADMINS,
    status: 201,
    body: "json",
    beyond: true,
    example: () => ({ body: { emails: ["visitor@example.org"], role: "org_viewer" } }),
  },
  {
    method: "PATCH",
    path: `${ORGANIZATION}/invites/:inviteId`,
    who: ORG_ADMINS,
    status: 200,
    body: "json",
    example: async (world) => ({ params: { inviteId: (await invite(world)).id }, body: { disabled: true } }),
  },
  {
    method: "POST",
    path: "/api/organizations/invite/:code/use",
    who: SIGNED_IN,
    status: 200,
    example: async (world, role) => ({ params: { code: await inviteElsewhere(world, role) } }),
  },
  {
    method: "GET",
    path: "/api/admin/organizations/:organizationId/initial-invite",
    who: SYSTEM,
    status: 200,
    example: async (world) => {
      const body = { name: "With an invite", slug: `invite-${generateUniqueWord()}` };
      const { organization } = (await world.as(world.sam).post("/api/organizations", body)).body;
      return { params: { organizationId: organization.id } };
    },
  },
  { method: "GET", path: `${ORGANIZATION}/reports/analytics`, who: MEMBERS, status: 200 },
  { method: "GET", path: `${ORGANIZATION_BY_SLUG}/reports/analytics`, who: MEMBERS, status: 200 },
  ...[ORGANIZATION, ORGANIZATION_BY_SLUG].flatMap((organization): Row[] => [
    { method: "GET", path: `${organization}/outcome-templates`, who: MEMBERS, status: 200, beyond: true },
    {
      method: "PUT",
      path: `${organization}/outcome-templates`,
      who: ORG_ADMINS,
      status: 200,
      body: "json",
      beyond: true,
      example: () => ({
        body: { templates: [{ locale: "de", state: "closed", body: "Danke. [Was wir getan haben]" }] },
      }),
    },
  ]),
  { method: "GET", path: `${ORGANIZATION}/reports/insights`, who: MEMBERS, status: 200, beyond: true },
  {
    method: "GET",
    path: `${ORGANIZATION_BY_SLUG}/reports/insights`,
    who: MEMBERS,
    status: 200,
    beyond: true,
  },
  { method: "GET", path: `${ORGANIZATION}/events/summary`, who: MEMBERS, status: 200 },
  {
    method: "GET",
    path: `${ORGANIZATION}/reports/export`,
    who: MEMBERS,
    status: 200,
    example: () => ({ query: "format=csv" }),
  },
];

async function withOrganizationLogo(world: TestWorld): Promise<Example> {
  await world.as(world.olga).post(`/api/organizations/${world.organization.id}/logo`, (await logo()).body);
  return {};
}

/** An invite to an organization that nobody belongs to yet, so that each role can use it. */
async function inviteElsewhere(world: TestWorld, role: Role): Promise<string> {
  const organization = await world.newOrganization(`For ${role}`);
  const path = `/api/organizations/${organization.id}/invites`;
  return (await world.as(world.sam).post(path, { role: "org_viewer" })).body.invite.code;
}

const EVENT = "/api/events/:eventId";
const EVENT_BY_SLUG = "/api/events/slug/:slug";

const newRole = async (world: TestWorld): Promise<Example> => ({
  body: { userId: (await newcomer(world)).id, roleName: "Responder" },
});

/** Events (contract 6). */
const EVENTS: Row[] = [
  { method: "GET", path: EVENT, who: EVENT_ADMINS, status: 200 },
  { method: "GET", path: EVENT_BY_SLUG, who: ANYBODY, status: 200 },
  {
    method: "PATCH",
    path: EVENT_BY_SLUG,
    who: EVENT_ADMINS,
    status: 200,
    body: "json",
    example: () => ({ body: { description: "In the old mill." } }),
  },
  {
    method: "GET",
    path: `${EVENT_BY_SLUG}/report-settings`,
    who: ANYBODY,
    status: 200,
    beyond: true,
  },
  {
    method: "PATCH",
    path: `${EVENT_BY_SLUG}/report-settings`,
    who: EVENT_ADMINS,
    status: 200,
    body: "json",
    beyond: true,
    example: () => ({ body: { emergencyContact: "Call 112, then +49 30 1234" } }),
  },
  {
    method: "GET",
    path: `${EVENT}/report-settings`,
    who: ANYBODY,
    status: 200,
    beyond: true,
  },
  {
    method: "PATCH",
    path: `${EVENT}/report-settings`,
    who: EVENT_ADMINS,
    status: 200,
    body: "json",
    beyond: true,
    example: () => ({ body: { emergencyContact: "Call 112, then +49 30 1234" } }),
  },
  ...[EVENT, EVENT_BY_SLUG].flatMap((path): Row[] => [
    { method: "GET", path: `${path}/go-live`, who: EVENT_ADMINS, status: 200, beyond: true },
    {
      method: "POST",
      path: `${path}/join-team`,
      who: ORG_ADMINS,
      status: 200,
      beyond: true,
      example: openEvent,
    },
    { method: "POST", path: `${path}/join`, who: SIGNED_IN, status: 200, beyond: true, example: openEvent },
    {
      method: "POST",
      path: `${path}/reports`,
      who: SIGNED_IN,
      status: 201,
      body: "multipart",
      beyond: true,
      example: async (world) => ({ ...(await openEvent(world)), body: newReport }),
    },
  ]),
  { method: "GET", path: `${EVENT_BY_SLUG}/my-roles`, who: SIGNED_IN, status: 200 },
  { method: "GET", path: `${EVENT}/users`, who: EVENT_ADMINS, status: 200 },
  { method: "GET", path: `${EVENT_BY_SLUG}/users`, who: EVENT_ROLES, status: 200 },
  {
    method: "PATCH",
    path: `${EVENT_BY_SLUG}/users/:userId`,
    who: EVENT_ADMINS,
    status: 200,
    body: "json",
    example: async (world) => {
      const { id, name, email } = await newcomer(world);
      return { params: { userId: id }, body: { name, email, role: "Responder" } };
    },
  },
  {
    method: "DELETE",
    path: `${EVENT_BY_SLUG}/users/:userId`,
    who: EVENT_ADMINS,
    status: 200,
    example: async (world) => ({ params: { userId: (await newcomer(world)).id } }),
  },
  { method: "GET", path: `${EVENT_BY_SLUG}/users/:userId`, who: TEAM, status: 200 },
  { method: "GET", path: `${EVENT_BY_SLUG}/users/:userId/activity`, who: TEAM, status: 200 },
  { method: "GET", path: `${EVENT_BY_SLUG}/users/:userId/incidents`, who: TEAM, status: 200 },
  { method: "POST", path: `${EVENT}/roles`, who: EVENT_ADMINS, status: 200, body: "json", example: newRole },
  {
    method: "DELETE",
    path: `${EVENT}/roles`,
    who: EVENT_ADMINS,
    status: 200,
    body: "json",
    example: async (world) => ({ body: { userId: (await newcomer(world)).id, roleName: "Reporter" } }),
  },
  { method: "POST", path: `${EVENT}/logo`, who: EVENT_ADMINS, status: 200, body: "multipart", example: logo },
  {
    method: "POST",
    path: `${EVENT_BY_SLUG}/logo`,
    who: EVENT_ADMINS,
    status: 200,
    body: "multipart",
    example: logo,
  },
  { method: "GET", path: `${EVENT}/logo`, who: ANYBODY, status: 200, example: withEventLogo },
  { method: "GET", path: `${EVENT_BY_SLUG}/logo`, who: ANYBODY, status: 200, example: withEventLogo },
];

async function withEventLogo(world: TestWorld): Promise<Example> {
  await world.as(world.ada).post(`/api/events/${world.event.id}/logo`, (await logo()).body);
  return {};
}

const stateChange = { state: "acknowledged", notes: "Seen by the team." };

/** Incidents of an event (contract 7). */
const INCIDENTS: Row[] = [
  {
    method: "POST",
    path: `${EVENT}/incidents`,
    who: EVENT_ROLES,
    status: 201,
    body: "multipart",
    example: () => ({ body: buildForm(newReport) }),
  },
  { method: "GET", path: `${EVENT}/incidents`, who: EVENT_ROLES, status: 200 },
  { method: "GET", path: `${EVENT}/incidents/:incidentId`, who: REPORTER_AND_TEAM, status: 200 },
  {
    method: "PATCH",
    path: `${EVENT}/incidents/:incidentId/state`,
    who: TEAM,
    status: 200,
    body: "json",
    example: () => ({ body: stateChange }),
  },
  {
    method: "PATCH",
    path: `${EVENT}/incidents/:incidentId/reopen`,
    who: TEAM,
    status: 200,
    body: "json",
    example: async (world) => ({
      ...(await report(world, "closed")),
      body: { notes: "Something new came up." },
    }),
  },
  {
    method: "PATCH",
    path: `${EVENT}/incidents/:incidentId/title`,
    who: REPORTER_AND_ADMINS,
    status: 200,
    body: "json",
    example: () => ({ body: { title: "A clearer title" } }),
  },
  {
    method: "POST",
    path: `${EVENT_BY_SLUG}/incidents`,
    who: EVENT_ROLES,
    status: 201,
    body: "multipart",
    example: () => ({ body: buildForm(newReport) }),
  },
  { method: "GET", path: `${EVENT_BY_SLUG}/incidents`, who: EVENT_ROLES, status: 200 },
  { method: "GET", path: `${EVENT_BY_SLUG}/incidents/:incidentId`, who: REPORTER_AND_TEAM, status: 200 },
  {
    method: "PATCH",
    path: `${EVENT_BY_SLUG}/incidents/:incidentId`,
    who: TEAM,
    status: 200,
    body: "json",
    example: () => ({ body: { severity: "low" } }),
  },
  {
    method: "PATCH",
    path: `${EVENT_BY_SLUG}/incidents/:incidentId/title`,
    who: REPORTER_AND_TEAM,
    status: 200,
    body: "json",
    example: () => ({ body: { title: "A clearer title" } }),
  },
];

/** Incidents across events, and pins (contract 7.13, 7.14). */
const OWN: Row[] = [
  { method: "GET", path: "/api/users/me/incidents", who: SIGNED_IN, status: 200 },
  {
    method: "GET",
    path: "/api/users/me/jump",
    who: SIGNED_IN,
    status: 200,
    example: () => ({ query: "search=re" }),
    beyond: true,
  },
  { method: "GET", path: "/api/users/me/pins", who: SIGNED_IN, status: 200 },
  {
    method: "POST",
    path: "/api/users/me/pins",
    who: REPORTER_AND_TEAM,
    status: 204,
    body: "json",
    example: async (world) => ({
      body: { incidentId: (await report(world)).params?.incidentId, eventId: world.event.id },
    }),
  },
  { method: "DELETE", path: "/api/users/me/pins/:incidentId", who: SIGNED_IN, status: 204 },
];

/** A report with a file, and that file. */
async function withFile(world: TestWorld): Promise<Example> {
  const body = buildForm(newReport, { name: "photo.png", bytes: await createPng() });
  const { incident } = (await world.as(world.maya).post(`/api/events/${world.event.id}/incidents`, body))
    .body;
  return { params: { incidentId: incident.id, fileId: incident.relatedFiles[0].id } };
}

/** A photo of maya's in which a camera left its name, so that its original is sealed. */
async function withOriginal(world: TestWorld): Promise<Example> {
  const filed = await report(world);
  const path = `/api/events/${world.event.id}/incidents/${filed.params?.incidentId}/related-files`;
  const body = buildForm({}, { name: "photo.jpg", bytes: await createPhoto() });
  const { relatedFiles } = (await world.as(world.maya).post(path, body)).body;
  return { params: { ...filed.params, fileId: relatedFiles[0].id } };
}

/** A report of maya's with a comment by whoever asks, where they may write one; a message, so that she may see it. */
async function withComment(world: TestWorld, role: Role): Promise<Example> {
  const filed = await report(world);
  const path = `/api/events/${world.event.id}/incidents/${filed.params?.incidentId}/comments`;
  const author = REPORTER_AND_TEAM.find((one) => one === role) ?? "omar";
  const { comment } = (await world.as(world[author]).post(path, { body: "Thank you.", visibility: "public" }))
    .body;
  return { params: { ...filed.params, commentId: comment.id } };
}

/** A notification of whoever asks; nora, who has none, asks for one of omar's. */
async function withNotification(world: TestWorld, role: Role): Promise<Example> {
  if (role === "nobody") return { params: { id: NOTHING } };
  const owner = role === "nora" ? world.omar : world[role];
  const [row] = await world.service.sql<{ id: string }>(
    `insert into notifications (user_id, kind, event_id, organization_id, deduplication_id)
     values ($1, 'role.changed', (select event_id from event_roles where user_id = $1 limit 1),
       (select organization_id from organization_members where user_id = $1 limit 1), gen_random_uuid()::text)
     returning id`,
    [owner.id],
  );
  return { params: { id: row?.id ?? NOTHING } };
}

const WITH_ROLE = SIGNED_IN.filter((role) => role !== "nora");

/** Notifications and the live stream (contract 11). */
const NOTIFICATIONS: Row[] = [
  { method: "GET", path: "/api/users/me/notifications", who: SIGNED_IN, status: 200 },
  {
    method: "PATCH",
    path: "/api/users/me/notifications/:id/read",
    who: WITH_ROLE,
    status: 200,
    example: withNotification,
  },
  { method: "PATCH", path: "/api/users/me/notifications/read-all", who: SIGNED_IN, status: 200 },
  {
    method: "DELETE",
    path: "/api/users/me/notifications/:id",
    who: WITH_ROLE,
    status: 204,
    example: withNotification,
  },
  { method: "GET", path: "/api/users/me/notification-settings", who: SIGNED_IN, status: 200 },
  {
    method: "PUT",
    path: "/api/users/me/notification-settings",
    who: SIGNED_IN,
    status: 200,
    body: "json",
    example: () => ({ body: { settings: [{ kind: "note.created", inApp: true, mail: "daily" }] } }),
  },
  {
    method: "GET",
    path: "/api/users/me/stream",
    who: SIGNED_IN,
    status: 200,
    beyond: true,
    example: () => ({ query: "poll=1" }),
  },
];

// A host name that resolves nowhere.
const newWebhook = { url: "https://hooks.invalid/heed", kinds: ["incident.created"] };

/** Removes the webhooks of earlier examples, since an organization may have only a few. */
const withoutWebhooks = (world: TestWorld) =>
  world.service.sql("delete from webhooks where organization_id = $1", [world.organization.id]);

async function webhook(world: TestWorld): Promise<Example> {
  await withoutWebhooks(world);
  const path = `/api/organizations/${world.organization.id}/webhooks`;
  const { body } = await world.as(world.olga).post(path, newWebhook);
  return { params: { webhookId: body.webhook.id } };
}

async function webhookWithDelivery(world: TestWorld): Promise<Example> {
  const { params } = await webhook(world);
  const path = `/api/organizations/${world.organization.id}/webhooks/${params?.webhookId}/test`;
  const { body } = await world.as(world.olga).post(path);
  return { params: { ...params, deliveryId: body.delivery.id } };
}

const WEBHOOK = `${ORGANIZATION}/webhooks/:webhookId`;

const WEBHOOKS: Row[] = [
  { method: "GET", path: `${ORGANIZATION}/webhooks`, who: ORG_ADMINS, status: 200 },
  {
    method: "POST",
    path: `${ORGANIZATION}/webhooks`,
    who: ORG_ADMINS,
    status: 201,
    body: "json",
    example: async (world) => {
      await withoutWebhooks(world);
      return { body: newWebhook };
    },
  },
  { method: "GET", path: WEBHOOK, who: ORG_ADMINS, status: 200, example: webhook },
  {
    method: "PATCH",
    path: WEBHOOK,
    who: ORG_ADMINS,
    status: 200,
    body: "json",
    example: async (world) => ({ ...(await webhook(world)), body: { description: "For the desk." } }),
  },
  { method: "DELETE", path: WEBHOOK, who: ORG_ADMINS, status: 200, example: webhook },
  { method: "POST", path: `${WEBHOOK}/test`, who: ORG_ADMINS, status: 201, example: webhook },
  { method: "POST", path: `${WEBHOOK}/secret`, who: ORG_ADMINS, status: 200, example: webhook },
  { method: "GET", path: `${WEBHOOK}/deliveries`, who: ORG_ADMINS, status: 200, example: webhook },
  {
    method: "POST",
    path: `${WEBHOOK}/deliveries/:deliveryId/redeliver`,
    who: ORG_ADMINS,
    status: 201,
    example: webhookWithDelivery,
  },
];

async function serviceToken(world: TestWorld): Promise<Example> {
  const [row] = await world.service.sql<{ id: string }>(
    `insert into service_tokens (organization_id, name, token_hash, scope, expires_at)
     values ($1, 'example', sha256($2::bytea), 'export', now() + interval '1 day') returning id`,
    [world.organization.id, generateUniqueWord()],
  );
  return { params: { tokenId: row?.id ?? "" } };
}

const SERVICE_TOKENS: Row[] = [
  { method: "GET", path: `${ORGANIZATION}/tokens`, who: ORG_ADMINS, status: 200 },
  {
    method: "POST",
    path: `${ORGANIZATION}/tokens`,
    who: ORG_ADMINS,
    status: 201,
    body: "json",
    example: () => ({ body: { name: "Nightly", scope: "export", currentPassword: PASSWORD } }),
  },
  {
    method: "DELETE",
    path: `${ORGANIZATION}/tokens/:tokenId`,
    who: ORG_ADMINS,
    status: 204,
    example: serviceToken,
  },
];

/** System administration (contract 12). */
const ADMINISTRATION: Row[] = [
  { method: "GET", path: "/api/admin/users", who: SYSTEM, status: 200 },
  { method: "GET", path: "/api/admin/users/:userId", who: SYSTEM, status: 200, beyond: true },
  {
    method: "PATCH",
    path: "/api/admin/users/:userId",
    who: SYSTEM,
    status: 200,
    body: "json",
    example: async (world) => ({
      params: { userId: (await world.person("Somebody Disabled")).id },
      body: { disabled: true },
    }),
  },
  {
    method: "DELETE",
    path: "/api/admin/users/:userId/second-factor",
    who: SYSTEM,
    status: 200,
    beyond: true,
    body: "json",
    slow: true,
    example: async (world) => {
      const person = await world.person("Without Phone");
      await insertSecondFactor(world, person);
      return { params: { userId: person.id }, body: { currentPassword: PASSWORD } };
    },
  },
  { method: "GET", path: "/api/admin/events", who: SYSTEM, status: 200 },
  { method: "GET", path: "/api/admin/settings", who: SYSTEM, status: 200 },
  {
    method: "PATCH",
    path: "/api/admin/settings",
    who: SYSTEM,
    status: 200,
    body: "json",
    example: () => ({ body: { registration: "open" } }),
  },
  { method: "GET", path: "/api/admin/stats", who: SYSTEM, status: 200 },
  { method: "GET", path: "/api/admin/unread-incidents", who: SYSTEM, status: 200, beyond: true },
  { method: "GET", path: "/api/admin/health", who: SYSTEM, status: 200, beyond: true },
  {
    method: "POST",
    path: "/api/admin/mail-test",
    who: SYSTEM,
    status: 200,
    beyond: true,
    body: "json",
    example: () => ({ body: {} }),
  },
  { method: "GET", path: "/api/admin/audit", who: SYSTEM, status: 200 },
  { method: "GET", path: "/api/admin/audit/verify", who: SYSTEM, status: 200, beyond: true },
];

/** Rows outside the tables above: groups, and endpoints that are `beyond` API version 0.1. */
const OTHERS: Row[] = [
  { method: "GET", path: "/api/health", who: ANYBODY, status: 200 },
  { method: "GET", path: "/api/health/live", who: ANYBODY, status: 200, beyond: true },
  { method: "GET", path: "/api/health/ready", who: ANYBODY, status: 200, beyond: true },
  { method: "GET", path: "/api/openapi.json", who: ANYBODY, status: 200 },
  { method: "GET", path: "/api/auth/setup", who: ANYBODY, status: 200, beyond: true },
  { method: "GET", path: `${ORGANIZATION}/members`, who: MEMBERS, status: 200, beyond: true },
  { method: "GET", path: `${ORGANIZATION_BY_SLUG}/events/summary`, who: MEMBERS, status: 200, beyond: true },
  {
    method: "GET",
    path: `${ORGANIZATION_BY_SLUG}/reports/export`,
    who: MEMBERS,
    status: 200,
    beyond: true,
    example: () => ({ query: "format=csv" }),
  },
  ...[EVENT, EVENT_BY_SLUG].flatMap((path): Row[] => [
    { method: "GET", path: `${path}/incidents/:incidentId/history`, who: REPORTER_AND_TEAM, status: 200 },
    {
      method: "GET",
      path: `${path}/incidents/:incidentId/access`,
      who: REPORTER_AND_TEAM,
      status: 200,
      beyond: true,
      // Each view of the log adds an entry to it; recorded views stay unchanged.
      example: () => ({ query: "kind=view" }),
    },
    {
      method: "GET",
      path: `${path}/incidents/:incidentId/readers`,
      who: REPORTER_AND_TEAM,
      status: 200,
      beyond: true,
    },
    {
      method: "DELETE",
      path: `${path}/incidents/:incidentId/readers`,
      who: REPORTER_AND_ADMINS,
      status: 200,
      beyond: true,
      example: async (world, role) => ({
        params: (await hiding(world, role === "maya" ? "maya" : "ada")).params ?? {},
      }),
    },
    {
      method: "PUT",
      path: `${path}/incidents/:incidentId/readers/:userId`,
      who: REPORTER_AND_ADMINS,
      status: 200,
      body: "json",
      beyond: true,
      example: (world, role) => hiding(world, role === "maya" ? "maya" : "ada"),
    },
    {
      method: "POST",
      path: `${path}/incidents/:incidentId/readers/me/step-out`,
      who: TEAM,
      status: 204,
      body: "json",
      beyond: true,
      example: async (world) => ({ ...(await report(world)), body: { reason: "They are a friend." } }),
    },
    {
      method: "POST",
      path: `${path}/incidents/:incidentId/presence`,
      who: TEAM,
      status: 200,
      beyond: true,
      body: "json",
      example: () => ({ body: { doing: "reading" } }),
    },
    { method: "GET", path: `${path}/incidents/:incidentId/comments`, who: REPORTER_AND_TEAM, status: 200 },
    {
      method: "POST",
      path: `${path}/incidents/:incidentId/comments`,
      who: REPORTER_AND_TEAM,
      status: 201,
      body: "json",
      example: () => ({ body: { body: "Thank you for writing.", visibility: "public" } }),
    },
    {
      method: "PATCH",
      path: `${path}/incidents/:incidentId/comments/:commentId`,
      who: REPORTER_AND_TEAM,
      status: 200,
      body: "json",
      example: async (world, role) => ({
        ...(await withComment(world, role)),
        body: { body: "Thank you for writing." },
      }),
    },
    {
      method: "DELETE",
      path: `${path}/incidents/:incidentId/comments/:commentId`,
      who: REPORTER_AND_TEAM,
      status: 204,
      example: withComment,
    },
    {
      method: "GET",
      path: `${path}/incidents/:incidentId/comments/:commentId/revisions`,
      who: REPORTER_AND_TEAM,
      status: 200,
      beyond: true,
      example: withComment,
    },
    { method: "GET", path: `${path}/invites`, who: EVENT_ADMINS, status: 200 },
    {
      method: "POST",
      path: `${path}/invites`,
      who: EVENT_ADMINS,
      status: 201,
      body: "json",
      example: () => ({ body: { role: "Reporter" } }),
    },
    {
      method: "POST",
      path: `${path}/mailed-invites`,
      who: EVENT_ADMINS,
      status: 201,
      body: "json",
      beyond: true,
      example: () => ({ body: { emails: ["visitor@example.org"], role: "Responder" } }),
    },
    {
      method: "PATCH",
      path: `${path}/invites/:inviteId`,
      who: EVENT_ADMINS,
      status: 200,
      body: "json",
      example: async (world) => ({
        params: { inviteId: (await eventInvite(world)).id },
        body: { disabled: true },
      }),
    },
  ]),
  ...ADMINISTRATION,
  ...NOTIFICATIONS,
  ...WEBHOOKS.map(asBeyond),
  ...SERVICE_TOKENS.map(asBeyond),
  { method: "GET", path: `${ORGANIZATION}/audit`, who: ORG_ADMINS, status: 200 },
  { method: "GET", path: `${ORGANIZATION}/audit/verify`, who: ORG_ADMINS, status: 200, beyond: true },
  ...[EVENT, EVENT_BY_SLUG].flatMap((path): Row[] => [
    { method: "GET", path: `${path}/audit`, who: EVENT_ADMINS, status: 200 },
    { method: "GET", path: `${path}/audit/verify`, who: EVENT_ADMINS, status: 200, beyond: true },
    { method: "GET", path: `${path}/workload`, who: EVENT_ADMINS, status: 200, beyond: true },
    { method: "GET", path: `${path}/qr`, who: TEAM, status: 200, beyond: true },
    {
      method: "GET",
      path: `${path}/invites/:inviteId/qr`,
      who: EVENT_ADMINS,
      status: 200,
      beyond: true,
      example: async (world) => ({ params: { inviteId: (await eventInvite(world)).id } }),
    },
    { method: "GET", path: `${path}/users/:userId/holdings`, who: EVENT_ADMINS, status: 200, beyond: true },
    ...(["GET", "POST"] as const).map((method): Row => ({
      method,
      path: `${path}/users/:userId/closed-incidents`,
      who: EVENT_ADMINS,
      status: 200,
      beyond: true,
    })),
    {
      method: "POST",
      path: `${path}/users/:userId/handover`,
      who: EVENT_ADMINS,
      status: 200,
      beyond: true,
      body: "json",
      example: () => ({ body: { toUserId: null } }),
    },
  ]),
  {
    method: "GET",
    path: "/api/invites/:code",
    who: ANYBODY,
    status: 200,
    example: async (world) => ({ params: { code: (await eventInvite(world)).code } }),
  },
  {
    method: "POST",
    path: "/api/invites/:code/redeem",
    who: SIGNED_IN,
    status: 200,
    example: async (world, role) => ({ params: { code: await inviteElsewhere(world, role) } }),
  },
  {
    method: "POST",
    path: "/api/auth/confirm-email",
    who: ANYBODY,
    status: 200,
    beyond: true,
    body: "json",
    slow: true,
    example: async (world) => ({ body: { token: await plantedEmailChange(world), password: PASSWORD } }),
  },
  {
    method: "POST",
    path: "/api/auth/verify-email",
    who: ANYBODY,
    status: 200,
    beyond: true,
    body: "json",
    slow: true,
    example: async (world) => ({ body: { token: await plantedVerification(world), password: PASSWORD } }),
  },
  {
    method: "PATCH",
    path: `${EVENT_BY_SLUG}/incidents/:incidentId/state`,
    who: TEAM,
    status: 200,
    beyond: true,
    body: "json",
    example: () => ({ body: stateChange }),
  },
  {
    method: "PATCH",
    path: `${EVENT_BY_SLUG}/incidents/:incidentId/reopen`,
    who: TEAM,
    status: 200,
    beyond: true,
    body: "json",
    example: async (world) => ({
      ...(await report(world, "resolved")),
      body: { notes: "Something new came up." },
    }),
  },
  ...[EVENT, EVENT_BY_SLUG].flatMap((path): Row[] => {
    const files = `${path}/incidents/:incidentId/related-files`;
    const whose = { who: REPORTER_AND_TEAM, status: 200 } as const;
    return [
      { method: "GET", path: files, ...whose, example: withFile },
      {
        method: "POST",
        path: files,
        who: REPORTER_AND_TEAM,
        status: 201,
        body: "multipart",
        example: () => ({
          body: buildForm({ description: "By the door." }, { name: "a.txt", bytes: "What I saw." }),
        }),
      },
      {
        method: "PATCH",
        path: `${files}/:fileId`,
        ...whose,
        beyond: true,
        body: "json",
        example: async (world) => ({ ...(await withFile(world)), body: { description: "By the door." } }),
      },
      {
        method: "DELETE",
        path: `${files}/:fileId`,
        who: REPORTER_AND_TEAM,
        status: 204,
        example: withFile,
      },
      { method: "GET", path: `${files}/:fileId/download`, ...whose, example: withFile },
      {
        method: "POST",
        path: `${files}/:fileId/original`,
        who: EVENT_ADMINS,
        status: 200,
        beyond: true,
        body: "json",
        example: async (world) => ({
          ...(await withOriginal(world)),
          body: { reason: "To see when it was taken." },
        }),
      },
      { method: "GET", path: `${path}/evidence`, who: TEAM, status: 200, beyond: true },
      {
        method: "POST",
        path: `${path}/incidents/:incidentId/case-file`,
        who: TEAM,
        status: 200,
        beyond: true,
        body: "json",
        example: () => ({ body: { reason: "For the meeting on Monday." } }),
      },
    ];
  }),
];

/** An invite to the event, made by ada. */
async function eventInvite(world: TestWorld): Promise<{ id: string; code: string }> {
  return (await world.as(world.ada).post(`/api/events/${world.event.id}/invites`, { role: "Reporter" })).body
    .invite;
}

async function plantedEmailChange(world: TestWorld): Promise<string> {
  const { id } = await world.person("Moving Person");
  const token = `planted-${generateUniqueWord()}`;
  await world.service.sql(
    `insert into email_changes (user_id, new_email, token_hash, requested_by, expires_at)
     values ($1, $2, sha256($3::bytea), $1, now() + interval '1 hour')`,
    [id, `${generateUniqueWord()}@example.org`, token],
  );
  return token;
}

/** The token of a link that confirms a new person's address. */
async function plantedVerification(world: TestWorld): Promise<string> {
  const { id, email } = await world.person("Unconfirmed Person");
  const token = `planted-${generateUniqueWord()}`;
  await world.service.sql("update users set email_verified_at = null where id = $1", [id]);
  await world.service.sql(
    `insert into email_verifications (user_id, email, token_hash, expires_at)
     values ($1, $2, sha256($3::bytea), now() + interval '1 hour')`,
    [id, email, token],
  );
  return token;
}

export const ROWS: Row[] = [
  ...ACCOUNTS,
  ...ORGANIZATIONS,
  ...EVENTS,
  ...INCIDENTS,
  ...OWN,
  ...OTHERS,
  ...ACCOUNT_ROWS,
  ...MAILBOX_ROUTE_ROWS.map(asBeyond),
  ...INTAKE_ROWS.map(asBeyond),
  ...CONVERSATION_ROWS.map(asBeyond),
  ...CONFLICT_ROWS,
  ...OUTSIDE_PERSON_ROWS,
  ...PEOPLE_ROWS.map(asBeyond),
  ...RETENTION_ROWS,
  ...TRIAGE_ROWS,
];

/** Lists the other paths of a row. Event routes also exist under `/events` (contract 3.1). */
export const listAliases = ({ path, aliases = [] }: Row): string[] =>
  path.startsWith("/api/events/") ? [path.replace("/api/events/", "/events/"), ...aliases] : aliases;

/** Returns rows with their titles for `test.each`. */
export const addRowTitles = (rows: Row[]) => rows.map((row) => [`${row.method} ${row.path}`, row] as const);

/**
 * Builds a path with its parameters filled in.
 * @throws Error when one is there without a value, so that no test asks for a record that it doesn't have
 */
export function fillPath(path: string, params: Record<string, string>, query?: string): string {
  const named = path.replace(/:(\w+)/g, (_, name: string) => {
    if (name in params && params[name] === undefined) throw new Error(`${path}: ${name} has no value`);
    return params[name] ?? `missing-${name}`;
  });
  return query ? `${named}?${query}` : named;
}

const NOTHING = "00000000-0000-4000-8000-000000000000";

/** Sends the requests of the table's rows in a test world, as any role. */
export class Caller {
  readonly world: TestWorld;
  readonly params: Record<string, string>;

  private constructor(world: TestWorld, report: { id: string }) {
    this.world = world;
    this.params = {
      organizationId: world.organization.id,
      orgSlug: world.organization.slug,
      eventId: world.event.id,
      slug: world.event.slug,
      incidentId: report.id,
      userId: world.omar.id,
      inviteId: NOTHING,
      fileId: NOTHING,
      commentId: NOTHING,
      sessionId: NOTHING,
      tokenId: NOTHING,
      id: NOTHING,
      webhookId: NOTHING,
      deliveryId: NOTHING,
      code: "unknown-code",
      inviteCode: "unknown-code",
      recordId: NOTHING,
      personId: NOTHING,
    };
  }

  static async over(world: TestWorld): Promise<Caller> {
    return new Caller(world, await world.report(world.maya, world.event));
  }

  /** A role that may call the endpoint; SystemAdmin in most rows. */
  allowed = (row: Row): Role => row.who.find((role) => role === "sam") ?? row.who[0] ?? "nobody";

  /** Returns the row with one example for all requests, for requests that are refused and change nothing. */
  async prepare(row: Row, role = this.allowed(row)): Promise<Row & { example: () => Example }> {
    const example = (await row.example?.(this.world, role)) ?? {};
    return { ...row, example: () => example };
  }

  async client(row: Row, role: Role): Promise<Client> {
    if (role === "nobody") return this.world.service.visitor();
    if (row.caller) return this.world.as(await row.caller(this.world));
    return row.changesSession ? this.world.device(this.world[role]) : this.world.as(this.world[role]);
  }

  /** Sends the request of a row's example, with the changes of a test. */
  async call(row: Row, role: Role, change: Change = {}): Promise<Reply> {
    const client = await this.client(row, role);
    const { params, query, body, cookie } = (await row.example?.(this.world, role)) ?? {};
    const path = fillPath(change.path ?? row.path, { ...this.params, ...params, ...change.params }, query);
    const headers = { ...(cookie !== undefined && { cookie }), ...change.ask?.headers };
    const ask = { ...change.ask, ...(Object.keys(headers).length > 0 && { headers }) };
    return client.send(row.method, path, change.body === undefined ? body : change.body(body), ask);
  }

  /** The path of a row in this world, with made-up ids for parameters that only an example has. */
  path = (row: Row, params: Record<string, string> = {}): string =>
    fillPath(row.path, { ...this.params, ...params });
}

export type Change = {
  path?: string;
  params?: Record<string, string>;
  body?: (body: any) => unknown;
  ask?: RequestOptions;
};
