import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCK_INCIDENT_SQL, runWhileLocked } from "#e2e/support/row-lock.ts";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";
import { COMMAND_PASSWORD_HASHING_LANE } from "#lib/accounts/hash-pool.ts";
import { hashPassword } from "#lib/accounts/passwords.ts";
import { ensureSessionSecret } from "#lib/crypto/secrets.ts";
import { prisma } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { openInEmergency } from "#lib/readers/emergency.ts";
import { hideIncidentFromPerson, letPersonInAgain, stepOutOfIncident } from "#lib/readers/hiding.ts";
import { updateIncident } from "#lib/incidents/state-change.ts";
import { retitleIncident } from "#lib/incidents/title.ts";
import { IncidentChangeInput } from "#lib/incidents/schema.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import type { EventRole, SessionActor } from "#lib/operation/policy.ts";
import { createServiceToken, revokeServiceToken } from "#lib/organizations/service-tokens.ts";
import type { NewServiceTokenInput } from "#lib/organizations/schema.ts";

/**
 * Roles that are lost between the beginning of a request and its transaction (contract 2.2). Each test takes the role
 * away in a transaction that also has a lock for which the request waits.
 */

ensureSessionSecret(env());

const { PASSWORD_COST } = env();
beforeAll(() => void (env().PASSWORD_COST = 5));
afterAll(() => void (env().PASSWORD_COST = PASSWORD_COST));

const PASSWORD = "seven small lanterns";
const FORBIDDEN = { code: "FORBIDDEN" };

/** A person with roles, in an organization with one event that others run, too. */
async function setUp(role: EventRole | "SystemAdmin") {
  const passwordHash = await hashPassword(PASSWORD, COMMAND_PASSWORD_HASHING_LANE);
  const organization = await createOrganization();
  const event = await createEvent(organization.id);
  const [user, other] = [await createUser("Ada"), await createUser("Berta")];
  const systemAdmin = role === "SystemAdmin";
  await prisma.user.update({ where: { id: user.id }, data: { passwordHash, systemAdmin } });
  await prisma.organizationMember.create({
    data: { organizationId: organization.id, userId: user.id, role: "org_admin" },
  });
  const roles = [{ userId: other.id, roleName: "Admin" as const }];
  if (!systemAdmin) roles.push({ userId: user.id, roleName: role as "Admin" });
  await prisma.eventRole.createMany({ data: roles.map((one) => ({ eventId: event.id, ...one })) });
  const place = { organizationId: organization.id, slug: event.slug };
  const actor = {
    id: user.id,
    name: user.name,
    email: user.email,
    sessionId: randomUUID(),
    systemAdmin,
    organizations: [{ ...place, role: "org_admin" }],
    events: systemAdmin ? [] : [{ ...place, eventId: event.id, roles: [role] }],
  } as unknown as SessionActor;
  const call = { requestId: randomUUID(), responseHeaders: {}, files: [], ifMatch: null };
  const context = {
    organizationId: organization.id,
    eventId: event.id,
    actor,
    right: "a role",
    call: call as unknown as OperationCall,
  };
  return { context, user, other };
}

type Context = Awaited<ReturnType<typeof setUp>>["context"];

const LEAVE_ORGANIZATION = "delete from organization_members where user_id = $2";
const LEAVE_EVENT = "delete from event_roles where user_id = $2";
const LEAVE_SYSTEM = "update users set system_admin = false where id = $2";

/** Takes the role away, and locks what the statement with `$1` selects. */
const whileLosing = <T>(
  loss: string,
  [lock, id]: [lock: string, id: string],
  { actor }: Context,
  work: () => Promise<T>,
): Promise<T> => runWhileLocked(`with lost as (${loss}) ${lock}`, [id, actor.id], work);

describe("a service token", () => {
  const NEW_TOKEN: NewServiceTokenInput = {
    currentPassword: PASSWORD,
    name: "Statistics",
    scope: "read",
    eventId: null,
    expiresInDays: 90,
  };
  const lockOrganization = ({ organizationId }: Context): [string, string] => [
    "select 1 from organizations where id = $1 for no key update",
    organizationId,
  ];
  const countTokens = ({ organizationId }: Context) =>
    prisma.serviceToken.count({ where: { organizationId, revokedAt: null } });

  it.each([
    ["who isn't an org_admin any more", LEAVE_ORGANIZATION, {}, FORBIDDEN],
    ["who isn't an Admin of its events any more", LEAVE_EVENT, {}, { key: "serviceTokenNeedsEventAdmin" }],
    [
      "whose password has been replaced",
      "update users set password_hash = 'another' where id = $2",
      {},
      { code: "VALIDATION_ERROR" },
    ],
    ["who isn't an org_admin any more, for exports", LEAVE_ORGANIZATION, { scope: "export" }, FORBIDDEN],
  ] as const)("isn't created by somebody %s", async (_, loss, more, refusal) => {
    const { context } = await setUp("Admin");
    const create = () => createServiceToken(context, { ...NEW_TOKEN, ...more });
    await expect(whileLosing(loss, lockOrganization(context), context, create)).rejects.toMatchObject(
      refusal,
    );
    expect(await countTokens(context)).toBe(0);
  });

  it("isn't created by somebody who isn't a SystemAdmin any more", async () => {
    const { context } = await setUp("SystemAdmin");
    const create = () => createServiceToken(context, NEW_TOKEN);
    await expect(whileLosing(LEAVE_SYSTEM, lockOrganization(context), context, create)).rejects.toMatchObject(
      FORBIDDEN,
    );
    expect(await countTokens(context)).toBe(0);
  });

  it("isn't revoked by somebody who isn't an org_admin any more", async () => {
    const { context } = await setUp("Admin");
    const { serviceToken } = await createServiceToken(context, NEW_TOKEN);
    const lock = "select 1 from service_tokens where id = $1 for update";
    const revoke = () => revokeServiceToken({ ...context, tokenId: serviceToken.id });
    await expect(
      whileLosing(LEAVE_ORGANIZATION, [lock, serviceToken.id], context, revoke),
    ).rejects.toMatchObject(FORBIDDEN);
    expect(await countTokens(context)).toBe(1);
    await prisma.organizationMember.create({
      data: { organizationId: context.organizationId, userId: context.actor.id, role: "org_admin" },
    });
    await revoke();
    expect(await countTokens(context)).toBe(0);
  });
});

describe("hiding an incident", () => {
  const listHidings = (incidentId: string) =>
    prisma.incidentReader.findMany({
      where: { access: "none", incidentId },
      select: { userId: true, source: true },
    });

  it.each([
    ["an Admin", "Admin", LEAVE_EVENT, { source: "team", own: false }],
    ["the reporter", "Reporter", LEAVE_EVENT, { source: "reporter", own: true }],
    ["a SystemAdmin", "SystemAdmin", LEAVE_SYSTEM, { source: "reporter", own: false }],
  ] as const)("isn't undone by %s who has lost the role", async (_, role, loss, { source, own }) => {
    const { context, user, other } = await setUp(role);
    const reporterId = own ? user.id : null;
    const { id: incidentId } = await createIncident({ eventId: context.eventId, reporterId });
    const hiding = { userId: other.id, source };
    await prisma.incidentReader.create({ data: { access: "none", incidentId, ...hiding } });
    const letIn = () => letPersonInAgain({ ...context, incidentId, reporterId }, other.id);
    await expect(whileLosing(loss, [LOCK_INCIDENT_SQL, incidentId], context, letIn)).rejects.toMatchObject(
      FORBIDDEN,
    );
    expect(await listHidings(incidentId)).toEqual([hiding]);
  });

  it("isn't undone by an Admin from whom the incident has been hidden", async () => {
    const { context, user, other } = await setUp("Admin");
    const { id: incidentId } = await createIncident({ eventId: context.eventId });
    await prisma.incidentReader.create({
      data: { access: "none", incidentId, userId: other.id, source: "team" },
    });
    const hide = `insert into incident_readers (incident_id, user_id, access, source) values ($1, $2, 'none', 'reporter')`;
    const letIn = () => letPersonInAgain({ ...context, incidentId, reporterId: null }, other.id);
    await expect(whileLosing(hide, [LOCK_INCIDENT_SQL, incidentId], context, letIn)).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    expect((await listHidings(incidentId)).map(({ userId }) => userId).toSorted()).toEqual(
      [user.id, other.id].toSorted(),
    );
  });

  it.each([
    ["the reporter", "Reporter", true],
    ["a Responder who steps out", "Responder", false],
  ] as const)("isn't made by %s after losing the role", async (_, role, own) => {
    const { context, user, other } = await setUp(role);
    const reporterId = own ? user.id : null;
    const { id: incidentId } = await createIncident({ eventId: context.eventId, reporterId });
    await prisma.eventRole.create({
      data: { eventId: context.eventId, userId: (await createUser()).id, roleName: "Admin" },
    });
    const inIncident = { ...context, incidentId, reporterId };
    const hideFrom = () =>
      own
        ? hideIncidentFromPerson(inIncident, { userId: other.id, reason: null })
        : stepOutOfIncident(inIncident, null);
    await expect(
      whileLosing(LEAVE_EVENT, [LOCK_INCIDENT_SQL, incidentId], context, hideFrom),
    ).rejects.toMatchObject(FORBIDDEN);
    expect(await listHidings(incidentId)).toEqual([]);
  });

  it("isn't suspended for somebody who isn't a SystemAdmin any more", async () => {
    const { context, user } = await setUp("SystemAdmin");
    const { id: incidentId } = await createIncident({ eventId: context.eventId });
    await prisma.incidentReader.create({
      data: { access: "none", incidentId, userId: user.id, source: "reporter" },
    });
    const open = () =>
      openInEmergency(
        { ...context, incidentId, reporterId: null, inEmergency: false },
        { reason: "Nobody else is there." },
      );
    await expect(
      whileLosing(LEAVE_SYSTEM, [LOCK_INCIDENT_SQL, incidentId], context, open),
    ).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await prisma.incidentReader.count({ where: { incidentId, openedUntil: null } })).toBe(1);
  });
});

describe("an incident", () => {
  const TITLE = "Shouting at the desk";

  it.each([
    ["an Admin", "Admin", false, "Admin"],
    ["a Responder", "Responder", false, "team"],
    ["the reporter", "Reporter", true, "team"],
  ] as const)("isn't retitled by %s who has lost the role", async (_, held, own, role) => {
    const { context, user } = await setUp(held);
    const { id } = await createIncident({
      eventId: context.eventId,
      title: TITLE,
      reporterId: own ? user.id : null,
    });
    const retitle = () => retitleIncident(context, id, { title: "Another title", role });
    await expect(whileLosing(LEAVE_EVENT, [LOCK_INCIDENT_SQL, id], context, retitle)).rejects.toMatchObject(
      FORBIDDEN,
    );
    expect(await prisma.incident.findUnique({ where: { id } })).toMatchObject({ title: TITLE });
    await prisma.eventRole.create({ data: { eventId: context.eventId, userId: user.id, roleName: held } });
    expect(await retitle()).toMatchObject({ title: "Another title" });
  });

  it("isn't changed by somebody who was a SystemAdmin when the request began", async () => {
    const { context, user } = await setUp("SystemAdmin");
    const { id } = await createIncident({ eventId: context.eventId });
    const change = () => updateIncident(context, id, IncidentChangeInput.parse({ severity: "high" }));
    expect(await change()).toMatchObject({ severity: "high" });
    for (const loss of [{ systemAdmin: false }, { systemAdmin: true, disabledAt: new Date() }]) {
      await prisma.user.update({ where: { id: user.id }, data: loss });
      await expect(change()).rejects.toMatchObject(FORBIDDEN);
    }
  });
});
