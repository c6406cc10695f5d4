import { type Role, SIGNED_IN } from "#e2e/api/roles.ts";
import type { Example, Row } from "#e2e/api/routes.ts";
import { buildForm, createPng } from "#e2e/support/evidence.ts";
import { generateCode, insertSecondFactor } from "#e2e/support/second-factor.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { PASSWORD, type TestPerson, type TestWorld } from "#e2e/support/world.ts";

/** Rows for the routes of the current user's account (contract 4.9), for the table of routes.ts. */

const ME = "/api/users/me";
const SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";

const somebody = (world: TestWorld): Promise<TestPerson> => world.person("Somebody Else");
const withFactor = (state: "on" | "waiting") => async (world: TestWorld) => {
  const person = await somebody(world);
  await insertSecondFactor(world, person, { secret: SECRET, state });
  return person;
};

/** The person with the role; nora for a visitor. */
const who = (world: TestWorld, role: Role): TestPerson => world[role === "nobody" ? "nora" : role];

/** Another session of the person who sends the request. */
async function otherSession(world: TestWorld, role: Role): Promise<Example> {
  const { id } = who(world, role);
  await world.device({ id, email: "", name: "" });
  const [row] = await world.service.sql<{ id: string }>(
    "select id from sessions where user_id = $1 order by created_at desc limit 1",
    [id],
  );
  return { params: { sessionId: row?.id ?? "" } };
}

async function ownToken(world: TestWorld, role: Role): Promise<Example> {
  const [row] = await world.service.sql<{ id: string }>(
    `insert into api_tokens (user_id, name, token_hash, scope, expires_at)
     values ($1, 'example', sha256($2::bytea), 'read', now() + interval '1 day') returning id`,
    [who(world, role).id, generateUniqueWord()],
  );
  return { params: { tokenId: row?.id ?? "" } };
}

/** An event in which the person who sends the request is a Reporter. */
async function eventToLeave(world: TestWorld, role: Role): Promise<Example> {
  const event = await world.newEvent(world.organization);
  await world.grant(who(world, role), event, "Reporter");
  return { params: { eventId: event.id } };
}

const avatar = async () => ({
  body: buildForm({}, { field: "avatar", name: "me.png", bytes: await createPng(), type: "image/png" }),
});

async function omarsAvatar(world: TestWorld): Promise<Example> {
  await world.as(world.omar).post(`${ME}/avatar`, (await avatar()).body);
  return { params: { userId: world.omar.id } };
}

/** An event of another tenant to which the person who sends the request is invited. */
async function invitation(world: TestWorld, role: Role): Promise<Example> {
  const event = await world.newEvent(world.foreignOrganization);
  await world.invite(who(world, role), event, "Reporter");
  return { params: { invitationId: event.id } };
}

export const ACCOUNT_ROWS: Row[] = [
  { method: "GET", path: `${ME}/invitations`, who: SIGNED_IN, status: 200, beyond: true },
  {
    method: "POST",
    path: `${ME}/invitations/:invitationId/accept`,
    who: SIGNED_IN,
    status: 200,
    beyond: true,
    example: invitation,
  },
  {
    method: "DELETE",
    path: `${ME}/invitations/:invitationId`,
    who: SIGNED_IN,
    status: 204,
    beyond: true,
    example: invitation,
  },
  { method: "GET", path: ME, who: SIGNED_IN, status: 200, beyond: true },
  {
    method: "DELETE",
    path: ME,
    who: SIGNED_IN,
    status: 200,
    beyond: true,
    body: "json",
    slow: true,
    caller: somebody,
    example: () => ({ body: { currentPassword: PASSWORD } }),
  },
  {
    method: "PATCH",
    path: `${ME}/profile`,
    who: SIGNED_IN,
    status: 200,
    body: "json",
    caller: somebody,
    example: () => ({ body: { name: "Another Name" } }),
  },
  { method: "POST", path: `${ME}/verify-email`, who: SIGNED_IN, status: 200, beyond: true },
  {
    method: "PATCH",
    path: `${ME}/password`,
    who: SIGNED_IN,
    status: 200,
    body: "json",
    slow: true,
    caller: somebody,
    example: () => ({ body: { currentPassword: PASSWORD, newPassword: "seven small lanterns" } }),
  },
  { method: "GET", path: `${ME}/export`, who: SIGNED_IN, status: 200, beyond: true },
  { method: "GET", path: `${ME}/events`, who: SIGNED_IN, status: 200 },
  { method: "DELETE", path: `${ME}/events/:eventId`, who: SIGNED_IN, status: 204, example: eventToLeave },
  { method: "GET", path: `${ME}/sessions`, who: SIGNED_IN, status: 200 },
  { method: "DELETE", path: `${ME}/sessions`, who: SIGNED_IN, status: 204, beyond: true, caller: somebody },
  { method: "DELETE", path: `${ME}/sessions/:sessionId`, who: SIGNED_IN, status: 204, example: otherSession },
  { method: "POST", path: `${ME}/avatar`, who: SIGNED_IN, status: 200, body: "multipart", example: avatar },
  { method: "DELETE", path: `${ME}/avatar`, who: SIGNED_IN, status: 204 },
  { method: "GET", path: "/api/users/:userId/avatar", who: SIGNED_IN, status: 200, example: omarsAvatar },
  { method: "GET", path: `${ME}/tokens`, who: SIGNED_IN, status: 200, beyond: true },
  {
    method: "POST",
    path: `${ME}/tokens`,
    who: SIGNED_IN,
    status: 201,
    beyond: true,
    body: "json",
    caller: somebody,
    example: () => ({ body: { name: "Reader", scope: "read", currentPassword: PASSWORD } }),
  },
  {
    method: "DELETE",
    path: `${ME}/tokens/:tokenId`,
    who: SIGNED_IN,
    status: 204,
    beyond: true,
    example: ownToken,
  },
  {
    method: "POST",
    path: `${ME}/second-factor`,
    who: SIGNED_IN,
    status: 200,
    beyond: true,
    body: "json",
    slow: true,
    caller: somebody,
    example: () => ({ body: { currentPassword: PASSWORD } }),
  },
  {
    method: "DELETE",
    path: `${ME}/second-factor`,
    who: SIGNED_IN,
    status: 200,
    beyond: true,
    body: "json",
    slow: true,
    caller: withFactor("on"),
    example: () => ({ body: { currentPassword: PASSWORD, code: generateCode(SECRET) } }),
  },
  {
    method: "POST",
    path: `${ME}/second-factor/confirm`,
    who: SIGNED_IN,
    status: 200,
    beyond: true,
    body: "json",
    caller: withFactor("waiting"),
    example: () => ({ body: { code: generateCode(SECRET) } }),
  },
  {
    method: "POST",
    path: `${ME}/second-factor/recovery-codes`,
    who: SIGNED_IN,
    status: 200,
    beyond: true,
    body: "json",
    slow: true,
    caller: withFactor("on"),
    example: () => ({ body: { currentPassword: PASSWORD } }),
  },
];
