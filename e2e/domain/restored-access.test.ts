import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, it } from "vitest";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";
import { prisma, runTransaction } from "#lib/database/client.ts";
import { removePersonTracesFromIncident } from "#lib/readers/hiding.ts";
import { createReaderListIfMissing } from "#lib/readers/lists.ts";
import { env } from "#lib/env.ts";
import {
  recordConversationClosureInLedger,
  recordHidingInLedger,
  recordLetInInLedger,
  recordReplacedWordsInLedger,
} from "#lib/erasures/access-changes.ts";
import { addDatabaseErasuresToFile, recordErasure } from "#lib/erasures/ledger.ts";
import { repeatErasuresLostInRestore } from "#lib/retention/repeat-erasures.ts";

/** What took access away since a backup is repeated after its restore (decision 061). */

const list = () => path.join(env().dataDir, "erasures.log");
const lines = () => fs.readFileSync(list(), "utf8").trim().split("\n");

beforeEach(async () => {
  await prisma.keyFingerprint.deleteMany();
  await prisma.erasure.deleteMany();
  fs.rmSync(list(), { force: true });
});

async function createWorld() {
  const organization = await createOrganization();
  const event = await createEvent(organization.id);
  const [accused, colleague] = [await createUser("Accused"), await createUser("Colleague")];
  const { id: incidentId } = await createIncident({ eventId: event.id, assignedResponderId: accused.id });
  const pin = { userId: accused.id, incidentId, eventId: event.id };
  await prisma.pin.create({ data: pin });
  return { organization, event, accused, colleague, incidentId };
}

/** The data folder has the list, and the database is as in the backup: `restore` undoes the changes in it. */
async function restoreBackup(restore: () => Promise<unknown>): Promise<void> {
  await addDatabaseErasuresToFile();
  await prisma.erasure.deleteMany();
  await restore();
  await repeatErasuresLostInRestore();
}

/** Expects that the account is gone, and that the report has a list, which no new account of that person is on. */
async function expectListWithout(userId: string, incidentId: string): Promise<void> {
  expect(await prisma.user.count({ where: { id: userId } })).toBe(0);
  expect(await prisma.incident.findUnique({ where: { id: incidentId } })).toMatchObject({ listed: true });
}

type Pair = { incidentId: string; userId: string };
const hideFrom = (pair: Pair, source: "reporter" | "team" | "self") =>
  runTransaction(async (tx) => {
    if (source !== "self") {
      const { eventId } = await tx.incident.findUniqueOrThrow({ where: { id: pair.incidentId } });
      await createReaderListIfMissing(tx, { ...pair, eventId }, { source, byId: null });
    }
    const { incidentId, userId } = pair;
    await tx.incidentReader.upsert({
      where: { incidentId_userId: { incidentId, userId } },
      create: { incidentId, userId, access: "none", source },
      update: { access: "none", source },
    });
    await recordHidingInLedger(tx, pair, source);
  });
const letIn = (pair: Pair) =>
  runTransaction(async (tx) => {
    await recordLetInInLedger(tx, pair);
    await tx.incidentReader.deleteMany({ where: pair });
  });
const forgetReaders = async () => {
  await prisma.incidentReader.deleteMany();
  await prisma.incident.updateMany({ data: { listed: false } });
};
const listHidings = (incidentId: string) =>
  prisma.incidentReader.findMany({
    where: { access: "none", incidentId },
    select: { userId: true, source: true },
  });

it.each(["reporter", "team", "self"] as const)(
  "hides an incident again from whom it was hidden by %s, with their traces",
  async (source) => {
    const { accused, incidentId } = await createWorld();
    await hideFrom({ incidentId, userId: accused.id }, source);
    await restoreBackup(forgetReaders);
    expect(await prisma.incident.findUnique({ where: { id: incidentId } })).toMatchObject({
      listed: source !== "self",
    });
    expect(await listHidings(incidentId)).toEqual([{ userId: accused.id, source }]);
    expect(await prisma.pin.count({ where: { incidentId } })).toBe(0);
    const incident = await prisma.incident.findUniqueOrThrow({ where: { id: incidentId } });
    expect(incident.assignedResponderId).toBeNull();
    const entry = await prisma.auditEntry.findFirstOrThrow({
      where: { objectId: incidentId, action: "incident.hide" },
    });
    expect(entry).toMatchObject({
      chain: "system",
      actorId: null,
      byRight: "service",
      data: { again: true },
    });
    expect(await repeatErasuresLostInRestore()).toBe(0);
  },
);

it("removes the notices of deletions before it erases anything, so that an interrupted start leaves none", async () => {
  const [{ incidentId: erasedId }, { incidentId: dueId }] = [await createWorld(), await createWorld()];
  await runTransaction((tx) => recordErasure(tx, "incident", erasedId));
  const notice = { incidentId: dueId, dueOn: new Date(), daysAhead: 7 };
  await prisma.retentionNotice.create({ data: notice });
  const interrupt = () =>
    prisma.$executeRaw`alter table erasures add constraint interrupted check (false) not valid`;
  try {
    await expect(restoreBackup(interrupt)).rejects.toThrow("interrupted");
  } finally {
    await prisma.$executeRaw`alter table erasures drop constraint interrupted`;
  }
  expect(await prisma.incident.count({ where: { id: erasedId } })).toBe(1);
  expect(await prisma.retentionNotice.count({ where: { incidentId: dueId } })).toBe(0);
});

it("removes the deliveries about the incident to webhooks of its organization, and no others", async () => {
  const [{ organization, event, accused, incidentId }, other] = [await createWorld(), await createWorld()];
  for (const { id: organizationId } of [organization, other.organization])
    for (const about of [incidentId, other.incidentId]) {
      const webhook = { organizationId, url: "http://127.0.0.1:1/", secret: new Uint8Array(1), kinds: [] };
      const { id: webhookId } = await prisma.webhook.create({ data: webhook });
      const delivery = { webhookId, kind: "incident.changed", deduplicationId: "1" };
      await prisma.webhookDelivery.create({ data: { ...delivery, payload: { incidentId: about } } });
    }
  const context = { incidentId, eventId: event.id, organizationId: organization.id, actor: { id: null } };
  await runTransaction((tx) => removePersonTracesFromIncident(tx, context, accused.id));
  const remaining = await prisma.webhookDelivery.findMany({
    select: { payload: true, webhook: { select: { organizationId: true } } },
  });
  const describe = (organizationId: string, about: string) => `${organizationId} ${about}`;
  expect(
    remaining
      .map(({ payload, webhook }) =>
        describe(webhook.organizationId, (payload as { incidentId: string }).incidentId),
      )
      .toSorted(),
  ).toEqual(
    [
      describe(organization.id, other.incidentId),
      describe(other.organization.id, incidentId),
      describe(other.organization.id, other.incidentId),
    ].toSorted(),
  );
});

it("leaves people hidden from as they were last, however often they were let in", async () => {
  const { accused, colleague, incidentId } = await createWorld();
  const [hidden, shown] = [accused, colleague].map(({ id }) => ({ incidentId, userId: id }));
  for (const pair of [hidden, shown]) {
    await hideFrom(pair as NonNullable<typeof pair>, "team");
    await letIn(pair as NonNullable<typeof pair>);
  }
  await hideFrom(hidden as NonNullable<typeof hidden>, "team");
  // In the backup the colleague wasn't let in, and the report wasn't hidden from the accused.
  await restoreBackup(async () => {
    await prisma.incidentReader.deleteMany();
    await prisma.incidentReader.create({
      data: { access: "none", incidentId, userId: colleague.id, source: "team" },
    });
  });
  expect(await listHidings(incidentId)).toEqual([{ userId: accused.id, source: "team" }]);
});

it("changes nobody whom the backup knows", async () => {
  const { accused, colleague, incidentId } = await createWorld();
  await hideFrom({ incidentId, userId: accused.id }, "team");
  await letIn({ incidentId, userId: accused.id });
  const known = await prisma.erasure.findMany();
  // Passed on to the accused without an entry, and then something else happened.
  await prisma.incidentReader.create({
    data: { access: "none", incidentId, userId: accused.id, source: "team" },
  });
  await hideFrom({ incidentId, userId: colleague.id }, "reporter");
  await restoreBackup(async () => {
    await prisma.erasure.createMany({ data: known });
    await prisma.incidentReader.deleteMany({ where: { userId: colleague.id } });
  });
  expect((await listHidings(incidentId)).map(({ userId }) => userId).toSorted()).toEqual(
    [accused.id, colleague.id].toSorted(),
  );
});

it("skips incidents and people that the backup doesn't have", async () => {
  const { accused, incidentId } = await createWorld();
  const pair = { incidentId, userId: accused.id };
  await hideFrom(pair, "team");
  await runTransaction((tx) => recordConversationClosureInLedger(tx, incidentId));
  await restoreBackup(async () => {
    await prisma.incidentReader.deleteMany();
    await prisma.incident.delete({ where: { id: incidentId } });
  });
  expect(await listHidings(incidentId)).toEqual([]);
});

it("closes conversations again, and no others", async () => {
  const { incidentId } = await createWorld();
  const { incidentId: otherId } = await createWorld();
  const hashOf = (text: string) => new Uint8Array(Buffer.from(text));
  for (const id of [incidentId, otherId]) {
    await prisma.conversation.update({ where: { id }, data: { wordsHash: hashOf(`receipt ${id}`) } });
    await prisma.incident.update({ where: { id }, data: { hasMailbox: true } });
  }
  const createConversation = () =>
    prisma.conversation.create({
      data: { incidentId, party: "witness", label: "A", wordsHash: hashOf(`code ${Math.random()}`) },
    });
  const [closed, open] = [await createConversation(), await createConversation()];
  await runTransaction(async (tx) => {
    await recordConversationClosureInLedger(tx, incidentId);
    await recordConversationClosureInLedger(tx, closed.id);
  });
  await restoreBackup(async () => {});
  expect(await prisma.conversation.findUnique({ where: { id: incidentId } })).toMatchObject({
    wordsHash: null,
    closedOn: expect.any(Date),
  });
  expect(await prisma.incident.findUnique({ where: { id: incidentId } })).toMatchObject({
    hasMailbox: false,
  });
  const other = await prisma.conversation.findUnique({ where: { id: otherId } });
  expect(other?.wordsHash).not.toBeNull();
  expect(await prisma.conversation.findUnique({ where: { id: closed.id } })).toMatchObject({
    wordsHash: null,
  });
  expect((await prisma.conversation.findUnique({ where: { id: open.id } }))?.wordsHash).not.toBeNull();
});

it("opens a conversation with none of its replaced words, and another with those that it has", async () => {
  const { incidentId } = await createWorld();
  const hashOf = (text: string) => new Uint8Array(Buffer.from(text));
  const createConversation = (wordsHash: Uint8Array<ArrayBuffer>) =>
    prisma.conversation.create({ data: { incidentId, party: "witness", label: "A", wordsHash } });
  const [old, unchanged] = [hashOf(`old ${incidentId}`), hashOf(`kept ${incidentId}`)];
  const [renewed, other] = [await createConversation(old), await createConversation(unchanged)];
  await runTransaction((tx) => recordReplacedWordsInLedger(tx, renewed.id, old));
  await restoreBackup(async () => {});
  expect((await prisma.conversation.findUnique({ where: { id: renewed.id } }))?.wordsHash).not.toEqual(old);
  expect((await prisma.conversation.findUnique({ where: { id: other.id } }))?.wordsHash).toEqual(unchanged);
});

it("keeps the list of a report whose accused deleted their account before a restore", async () => {
  const { accused, incidentId } = await createWorld();
  await hideFrom({ incidentId, userId: accused.id }, "team");
  // The backup has the account, which was deleted after it was taken.
  await runTransaction((tx) => recordErasure(tx, "user", accused.id));
  await restoreBackup(async () => {});
  await expectListWithout(accused.id, incidentId);
});

it("gives a report a list again whose accused was excluded and deleted their account, both after the backup", async () => {
  const { accused, incidentId } = await createWorld();
  await hideFrom({ incidentId, userId: accused.id }, "team");
  await runTransaction((tx) => recordErasure(tx, "user", accused.id));
  await restoreBackup(forgetReaders);
  await expectListWithout(accused.id, incidentId);
});

/** The data keys of the database, oldest first, and which of them were given up as lost. */
async function setDataKeys(...areLost: boolean[]): Promise<void> {
  await prisma.keyFingerprint.deleteMany();
  await prisma.keyFingerprint.createMany({
    data: areLost.map((isLost, index) => ({
      name: "data",
      fingerprint: `${index}`,
      createdAt: new Date(index),
      lostAt: isLost ? new Date() : null,
    })),
  });
}

it("erases and hides again at the start at which a lost data key is back, and not again after that", async () => {
  const { event, accused, incidentId } = await createWorld();
  // The key can't be changed in a process. With another one, the list names nothing that there is: so does this.
  const [id, otherId] = [randomUUID(), randomUUID()];
  const pair = { incidentId: otherId, userId: accused.id };
  await runTransaction(async (tx) => {
    await recordErasure(tx, "incident", id);
    await recordHidingInLedger(tx, pair, "team");
  });
  await setDataKeys(true, false);
  const notice = { incidentId, dueOn: new Date(), daysAhead: 7 };
  await prisma.retentionNotice.create({ data: notice });
  await restoreBackup(async () => {});
  expect(await prisma.erasure.count()).toBe(0);
  expect(await prisma.retentionNotice.count({ where: { incidentId } })).toBe(1);

  for (const one of [id, otherId]) await createIncident({ id: one, eventId: event.id } as never);
  await setDataKeys(false, true);
  expect(await repeatErasuresLostInRestore()).toBe(1);
  expect(await prisma.incident.count({ where: { id } })).toBe(0);
  expect(await prisma.retentionNotice.count({ where: { incidentId } })).toBe(0);
  expect(await listHidings(otherId)).toEqual([{ userId: accused.id, source: "team" }]);
  expect(await prisma.erasure.count()).toBe(lines().length);
});

it("repeats a change once where a data key is lost for good, and leaves what follows it alone", async () => {
  const { accused, colleague, incidentId } = await createWorld();
  const [letInAgain, excluded] = [accused, colleague].map(({ id }) => ({ incidentId, userId: id })) as [
    Pair,
    Pair,
  ];
  await hideFrom(letInAgain, "team");
  await letIn(letInAgain);
  await hideFrom(excluded, "self");
  await setDataKeys(true, false);
  await restoreBackup(async () => {
    await prisma.incidentReader.deleteMany();
    await prisma.incidentReader.create({ data: { access: "none", ...letInAgain, source: "team" } });
  });
  expect(await listHidings(incidentId)).toEqual([{ userId: colleague.id, source: "self" }]);
  // After the restore the team decides the other way.
  await hideFrom(letInAgain, "team");
  await letIn(excluded);
  await addDatabaseErasuresToFile();
  await repeatErasuresLostInRestore();
  expect(await listHidings(incidentId)).toEqual([{ userId: accused.id, source: "team" }]);
});

it("records closings and replaced words as it repeats them where a data key is lost for good", async () => {
  const { incidentId } = await createWorld();
  const hashOf = (text: string) => new Uint8Array(Buffer.from(`${text} ${incidentId}`));
  await prisma.conversation.update({ where: { id: incidentId }, data: { wordsHash: hashOf("receipt") } });
  const createConversation = (wordsHash: Uint8Array<ArrayBuffer>) =>
    prisma.conversation.create({ data: { incidentId, party: "witness", label: "A", wordsHash } });
  const [closed, renewed] = [
    await createConversation(hashOf("closed")),
    await createConversation(hashOf("old")),
  ];
  await runTransaction(async (tx) => {
    await recordConversationClosureInLedger(tx, incidentId);
    await recordConversationClosureInLedger(tx, closed.id);
    await recordReplacedWordsInLedger(tx, renewed.id, hashOf("old"));
  });
  await setDataKeys(true, false);
  await restoreBackup(async () => {});
  expect(await prisma.erasure.count()).toBe(3);
});

it("tells nothing by the list: keyed hashes in their own order, written anew each time", async () => {
  const { accused, incidentId } = await createWorld();
  await runTransaction((tx) => recordConversationClosureInLedger(tx, incidentId));
  await addDatabaseErasuresToFile();
  const first = fs.statSync(list());
  for (const word of ["a", "b", "c", "d"])
    await runTransaction((tx) => recordConversationClosureInLedger(tx, `conversation ${word}`));
  await hideFrom({ incidentId, userId: accused.id }, "team");
  await addDatabaseErasuresToFile();
  expect(lines()).toEqual(lines().toSorted());
  expect(lines()).toHaveLength(7);
  for (const line of lines()) expect(line).toMatch(/^[\w-]{43}$/);
  const text = fs.readFileSync(list(), "utf8");
  for (const id of [incidentId, accused.id]) expect(text).not.toContain(id);
  await new Promise((resolve) => setTimeout(resolve, 20));
  await addDatabaseErasuresToFile();
  expect(fs.statSync(list()).mtimeMs).toBeGreaterThan(first.mtimeMs);
  expect(fs.readFileSync(list(), "utf8")).toBe(text);
});
