import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { findActorById } from "#lib/accounts/actor-queries.ts";
import { prisma, runTransaction, sql } from "#lib/database/client.ts";
import { redeemInvite } from "#lib/invites/invites.ts";
import * as mailed from "#lib/invites/mailed-invites.ts";
import { MailedEventInvitesInput } from "#lib/invites/schema.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import type { Actor } from "#lib/operation/policy.ts";
import * as rows from "#e2e/support/rows.ts";

/** Invites that are mailed, to addresses with and without an account (contract 5.3), and those for an outside person. */

const createContext = async (userId: string) => ({
  actor: (await findActorById(userId)) as Actor,
  right: "test",
  call: { requestId: randomUUID() } as unknown as OperationCall,
});

async function createPlace() {
  const organization = await rows.createOrganization();
  const event = await rows.createEvent(organization.id);
  const admin = await rows.createUser("Ada");
  const role = { userId: admin.id, eventId: event.id, roleName: "Admin" } as const;
  await prisma.eventRole.create({ data: role });
  const place = { organizationId: organization.id, eventId: event.id };
  const mail = async (emails: string[]) =>
    mailed.mailEventInvites({ ...(await createContext(admin.id)), ...place }, { emails, role: "Responder" });
  const mailForOutsidePerson = async (email: string) => {
    const context = { ...(await createContext(admin.id)), organizationId: organization.id };
    const invites = { emails: [email], role: "org_viewer", outsidePerson: true } as const;
    const [invite] = await runTransaction((tx) => mailed.insertMailedInvites(tx, context, invites));
    return invite!;
  };
  return { organization, event, admin, place, mail, mailForOutsidePerson };
}

const address = () => `${randomUUID()}@example.org`;
const countMailJobs = async (email: string) =>
  (
    await sql.$queryRaw<unknown[]>`
    select 1 from graphile_worker._private_jobs where payload ->> 'email' = ${email}`
  ).length;
const redeem = (code: string, userId: string) =>
  runTransaction((tx) => redeemInvite(tx, { code, userId, requestId: randomUUID() }));
const outsidePersonOf = async (id: string) =>
  (await prisma.organization.findUniqueOrThrow({ where: { id } })).outsidePersonId;

describe("invites that are mailed", () => {
  it("are the same for an address with an account and one without, and give nobody a role yet", async () => {
    const { event, mail } = await createPlace();
    const known = await rows.createUser("Known Person");
    const emails = [known.email, address()];
    const invites = await mail(emails);
    const [one, other] = invites.map(({ id: _id, code: _code, url: _url, note: _note, ...terms }) => terms);
    expect(one).toEqual(other);
    expect(one).toMatchObject({ role: "Responder", maxUses: 1, useCount: 0, disabled: false });
    expect(invites.map(({ note }) => note)).toEqual(emails);
    expect(Math.round((Number(one?.expiresAt) - Date.now()) / 86_400_000)).toBe(14);
    for (const email of emails) expect(await countMailJobs(email)).toBe(1);
    expect(await prisma.eventRole.count({ where: { eventId: event.id, userId: known.id } })).toBe(0);
  });

  it("are recorded by their ids, without an address", async () => {
    const { event, mail } = await createPlace();
    const [invite] = await mail([address()]);
    const where = { eventId: event.id, action: "invite.create" };
    const entries = await prisma.auditEntry.findMany({ where });
    expect(entries.map(({ objectId }) => objectId)).toEqual([invite?.id]);
    expect(JSON.stringify(entries.map(({ data }) => data))).not.toContain("@");
  });

  it("come from an Admin of the event only, and a refused request mails nobody", async () => {
    const { event, place } = await createPlace();
    const responder = await rows.createUser();
    await prisma.eventRole.create({
      data: { userId: responder.id, eventId: event.id, roleName: "Responder" },
    });
    const emails = [address()];
    const context = { ...(await createContext(responder.id)), ...place };
    await expect(mailed.mailEventInvites(context, { emails, role: "Admin" })).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
    expect(await countMailJobs(emails[0] ?? "")).toBe(0);
    expect(await prisma.invite.count({ where: { eventId: event.id } })).toBe(0);
  });

  it("name the text that isn't an address, and count one that is given twice once", () => {
    const parse = (emails: string[]) => MailedEventInvitesInput.safeParse({ emails, role: "Responder" });
    expect(parse(["A@Example.org", "a@example.org"]).data?.emails).toEqual(["a@example.org"]);
    expect(JSON.stringify(parse(["a@example.org", "maya at example"]).error?.issues)).toContain(
      "maya at example",
    );
    expect(parse([]).success).toBe(false);
    expect(parse(Array.from({ length: 21 }, address)).success).toBe(false);
  });
});

describe("an invite for the outside person", () => {
  it("makes whoever uses it a viewer and the outside person, with an audit entry", async () => {
    const { organization, mailForOutsidePerson } = await createPlace();
    const person = await rows.createUser();
    const { code } = await mailForOutsidePerson(person.email);
    await redeem(code, person.id);
    expect(await outsidePersonOf(organization.id)).toBe(person.id);
    const entries = await prisma.auditEntry.findMany({
      where: { chain: organization.id, actorId: person.id },
      orderBy: { seq: "asc" },
    });
    expect(entries.map(({ action }) => action)).toEqual(["organization.changeOutsidePerson", "invite.use"]);
    await expect(redeem(code, (await rows.createUser()).id)).rejects.toMatchObject({
      code: "INVITE_EXHAUSTED",
    });
  });

  it("can be used by a member, whose role stays", async () => {
    const { organization, mailForOutsidePerson } = await createPlace();
    const member = await rows.createUser();
    const membership = { organizationId: organization.id, userId: member.id };
    await prisma.organizationMember.create({ data: { ...membership, role: "org_admin" } });
    await redeem((await mailForOutsidePerson(member.email)).code, member.id);
    expect(await outsidePersonOf(organization.id)).toBe(member.id);
    expect(await prisma.organizationMember.findFirst({ where: membership })).toMatchObject({
      role: "org_admin",
    });
  });

  it("replaces nobody who was named meanwhile", async () => {
    const { organization, mailForOutsidePerson } = await createPlace();
    const [named, late] = [await rows.createUser(), await rows.createUser()];
    const { code } = await mailForOutsidePerson(late.email);
    await prisma.organization.update({ where: { id: organization.id }, data: { outsidePersonId: named.id } });
    await redeem(code, late.id);
    expect(await outsidePersonOf(organization.id)).toBe(named.id);
  });
});
