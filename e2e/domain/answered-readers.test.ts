import { expect, it } from "vitest";
import { listHiddenIncidentIds } from "#lib/access/readers-queries.ts";
import {
  answerConflictCheck,
  createEvent,
  createIncident,
  createOrganization,
  createUser,
} from "#e2e/support/rows.ts";
import { recordNoConflictOfIntakeTaker } from "#lib/readers/conflict-check.ts";
import { prisma, runTransaction } from "#lib/database/client.ts";
import { deleteRestoredAccount } from "#lib/own-account/deletion.ts";
import { createReaderListIfMissing, letOutsidePersonIn, letPersonIn } from "#lib/readers/lists.ts";
import { loadReaderSummary } from "#lib/readers/queries.ts";
import { deleteIncidentAndRecordErasure } from "#lib/retention/deletion.ts";

/** What becomes of a person's row that holds an answer to the conflict check (contract 16, 16.9). */

/** An incident under the check, which Ada of the team and Sam, a SystemAdmin, have answered, and Ben of the team hasn't. */
async function createAnswered() {
  const organization = await createOrganization();
  await prisma.organization.update({ where: { id: organization.id }, data: { conflictCheck: true } });
  const event = await createEvent(organization.id);
  const [ada, ben, sam] = [await createUser("Ada"), await createUser("Ben"), await createUser("Sam")];
  await prisma.user.update({ where: { id: sam.id }, data: { systemAdmin: true } });
  for (const { id: userId } of [ada, ben])
    await prisma.eventRole.create({ data: { eventId: event.id, userId, roleName: "Responder" } });
  const { id: incidentId } = await createIncident({ eventId: event.id });
  for (const { id: userId } of [ada, sam]) await answerConflictCheck({ incidentId, userId });
  const place = { incidentId, eventId: event.id };
  const makeList = () =>
    runTransaction((tx) => createReaderListIfMissing(tx, place, { source: "reporter", byId: null }));
  const findRow = ({ id: userId }: { id: string }) =>
    prisma.incidentReader.findUnique({
      where: { incidentId_userId: { incidentId, userId } },
      select: { access: true, source: true, answer: true },
    });
  const erase = () =>
    runTransaction((tx) =>
      deleteIncidentAndRecordErasure(tx, { ...place, organizationId: organization.id, data: {} }),
    );
  return { organization, place, ada, ben, sam, makeList, findRow, erase };
}

const letIn = (place: { incidentId: string; eventId: string }, { id: userId }: { id: string }) =>
  runTransaction((tx) => letPersonIn(tx, place, { userId, source: "team", byId: null }));

it("a list keeps the answers of those on it, as people on it, and asks the others", async () => {
  const { ada, ben, sam, makeList, findRow } = await createAnswered();
  await makeList();
  for (const person of [ada, sam])
    expect(await findRow(person)).toEqual({ access: "full", source: "reporter", answer: "none" });
  expect(await findRow(ben)).toEqual({ access: "ask", source: "reporter", answer: null });
});

it("a deleted incident keeps its list, and says of nobody on it whether they had answered", async () => {
  const { place, ada, ben, sam, makeList, findRow, erase } = await createAnswered();
  await makeList();
  await erase();
  for (const person of [ada, ben, sam])
    expect(await findRow(person)).toEqual({ access: "full", source: "reporter", answer: null });
  // Sam still reads its entries in the system's log.
  expect(await listHiddenIncidentIds(sam)).not.toContain(place.incidentId);
  const times = await prisma.incidentReader.findMany({
    where: { incidentId: place.incidentId },
    distinct: ["createdAt"],
  });
  expect(times).toHaveLength(1);
});

it("a deleted incident without a list keeps no row of those who had answered", async () => {
  const { place, erase } = await createAnswered();
  await erase();
  expect(await prisma.incidentReader.count({ where: { incidentId: place.incidentId } })).toBe(0);
});

it("a deleted account keeps no answer", async () => {
  const [without, listed] = [await createAnswered(), await createAnswered()];
  await listed.makeList();
  for (const { ada } of [without, listed])
    expect(await runTransaction((tx) => deleteRestoredAccount(tx, ada.id))).toBe(true);
  expect(await without.findRow(without.ada)).toBeNull();
  expect(await listed.findRow(listed.ada)).toEqual({ access: "ask", source: "reporter", answer: null });
});

it("whoever is let in is asked again, on a list, without one, and where nothing was hidden from them", async () => {
  const { place, ada, ben, makeList, findRow } = await createAnswered();
  await prisma.incidentReader.updateMany({
    where: { incidentId: place.incidentId, userId: ada.id },
    data: { access: "none", source: "self", answer: null },
  });
  await letIn(place, ada);
  expect(await findRow(ada)).toBeNull();
  await answerConflictCheck({ incidentId: place.incidentId, userId: ada.id });
  await makeList();
  for (const person of [ada, ben]) {
    await letIn(place, person);
    expect(await findRow(person)).toEqual({ access: "ask", source: "team", answer: null });
  }
});

it("an outside person outside the team is asked unless they have answered", async () => {
  for (const hasAnswered of [false, true]) {
    const { organization, place, ada, ben, makeList, findRow } = await createAnswered();
    const outsidePerson = await createUser("Viktor");
    await prisma.organizationMember.create({
      data: { organizationId: organization.id, userId: outsidePerson.id, role: "org_viewer" },
    });
    await makeList();
    expect((await findRow(outsidePerson))?.access).toBe("numbers");
    if (hasAnswered)
      await prisma.incidentReader.updateMany({
        where: { incidentId: place.incidentId, userId: outsidePerson.id },
        data: { access: "full", answer: "soft" },
      });
    await prisma.eventRole.deleteMany({ where: { userId: { in: [ada.id, ben.id] } } });
    await runTransaction((tx) => letOutsidePersonIn(tx, place.incidentId, outsidePerson.id));
    expect(await findRow(outsidePerson)).toEqual(
      hasAnswered
        ? { access: "full", source: "outside", answer: "soft" }
        : { access: "ask", source: "outside", answer: null },
    );
    expect(await loadReaderSummary(place.incidentId)).toMatchObject({
      hasReader: true,
      outsidePerson: { id: outsidePerson.id },
    });
  }
});

it("taking a report opens it to its taker, unless it is hidden from them", async () => {
  const { place, ben, findRow } = await createAnswered();
  const take = () => runTransaction((tx) => recordNoConflictOfIntakeTaker(tx, place.incidentId, ben.id));
  await prisma.incidentReader.create({
    data: { incidentId: place.incidentId, userId: ben.id, access: "none", source: "team" },
  });
  await take();
  expect(await findRow(ben)).toEqual({ access: "none", source: "team", answer: null });
  await letIn(place, ben);
  await take();
  expect(await findRow(ben)).toEqual({ access: "full", source: "answer", answer: "none" });
});
