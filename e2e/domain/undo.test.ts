import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { prisma, sql } from "#lib/database/client.ts";
import { findActorById } from "#lib/accounts/actor-queries.ts";
import {
  changeState,
  reopenResolvedOrClosedIncident,
  undoIncidentChange,
  updateIncident,
} from "#lib/incidents/state-change.ts";
import { retitleIncident } from "#lib/incidents/title.ts";
import { deadlineSql } from "#lib/incidents/deadline-sql.ts";
import { isReopenableState } from "#lib/incidents/lifecycle.ts";
import {
  INCIDENT_STATES,
  IncidentChangeInput,
  IncidentReopeningInput,
  IncidentStateChangeInput,
  SEVERITIES,
} from "#lib/incidents/schema.ts";
import type { Actor } from "#lib/operation/policy.ts";
import {
  createEvent,
  createIncident,
  createMessage,
  createOrganization,
  createUser,
} from "#e2e/support/rows.ts";

/** Undo restores everything that the last change touched, and nothing if anything came since. */

const organization = await createOrganization();
const event = await createEvent(organization.id);
const [reporter, omar, ada] = [
  await createUser(),
  await createUser("Omar Aziz"),
  await createUser("Ada Moss"),
];
const team = [omar, ada];
await prisma.eventRole.createMany({
  data: team.map(({ id }) => ({ eventId: event.id, userId: id, roleName: "Responder" as const })),
});

async function contextOf({ id }: { id: string }): Promise<any> {
  const call = { requestId: randomUUID(), responseHeaders: {}, files: [], ifMatch: null };
  const actor = { ...((await findActorById(id)) as Actor), sessionId: randomUUID() };
  return { organizationId: organization.id, eventId: event.id, actor, right: "event:Responder", call };
}
const [asOmar, asAda] = [await contextOf(omar), await contextOf(ada)];

const findIncident = (id: string) => prisma.incident.findUniqueOrThrow({ where: { id } });
async function findRecord(id: string) {
  const { updatedAt: _, undo: __, ...record } = await findIncident(id);
  return record;
}

/** The verbs have left the deadline that the record has by the rule. */
async function expectDeadlineToFit(id: string): Promise<void> {
  const record = await findRecord(id);
  await sql.$executeRaw`update incidents i set ${deadlineSql()} where i.id = ${id}::uuid`;
  expect(await findRecord(id)).toEqual(record);
}

const say = (incidentId: string, authorId: string) =>
  createMessage({ incidentId, authorId, body: "Are you there?" });

const update = (id: string, change: object, context = asOmar) =>
  updateIncident(context, id, IncidentChangeInput.parse(change));

const assignee = fc.constantFrom(null, omar.id, ada.id);
const steps = fc.oneof(
  fc.record({ severity: fc.constantFrom(null, ...SEVERITIES) }),
  fc.record({ assignedResponderId: assignee }),
  fc.record({ resolution: fc.constantFrom(null, "A warning.", "Nothing was found.") }),
  fc.record({ state: fc.constantFrom(...INCIDENT_STATES) }),
  fc.record({
    state: fc.constantFrom(...INCIDENT_STATES),
    assignedResponderId: assignee,
    severity: fc.constantFrom(...SEVERITIES),
  }),
  fc.record({
    state: fc.constantFrom(...INCIDENT_STATES),
    notes: fc.constant("As agreed."),
    assignedToUserId: fc.constantFrom(omar.id, ada.id),
  }),
  fc.record({ reopen: fc.boolean() }),
);
type Step = typeof steps extends fc.Arbitrary<infer Value> ? Value : never;

async function perform(id: string, step: Step): Promise<void> {
  if ("notes" in step) await changeState(asOmar, id, IncidentStateChangeInput.parse(step));
  else if (!("reopen" in step)) await update(id, step);
  else if (isReopenableState((await findIncident(id)).state))
    await reopenResolvedOrClosedIncident(
      asOmar,
      id,
      IncidentReopeningInput.parse({
        notes: "There is more.",
        ...(step.reopen && { assignedToUserId: ada.id }),
      }),
    );
  else await update(id, { severity: "high" });
}

it("leaves a column alone that came after the change", async () => {
  const { id } = await createIncident({ eventId: event.id, reporterId: reporter.id });
  await update(id, { severity: "high" });
  await sql.$executeRaw`update incidents set undo = undo #- '{before,message_after_closing}' where id = ${id}::uuid`;
  await undoIncidentChange(asOmar, id);
  expect(await findRecord(id)).toMatchObject({ severity: null, messageAfterClosing: false });
});

it("restores the record after any change, in any history", async () => {
  const messages = fc.constantFrom("reporter", "team", null, null, null);
  const run = fc.record({
    urgent: fc.boolean(),
    // Some are overdue.
    hours: fc.constantFrom(0, 30),
    history: fc.array(fc.tuple(steps, fc.boolean(), messages), { minLength: 1, maxLength: 6 }),
  });
  await fc.assert(
    fc.asyncProperty(run, async ({ urgent, hours, history }) => {
      const { id } = await createIncident({
        eventId: event.id,
        reporterId: reporter.id,
        urgent,
        ...(urgent && { severity: "critical", escalatedAt: new Date() }),
        createdAt: new Date(Date.now() - hours * 3_600_000),
      });
      for (const [step, isUndone, author] of history) {
        if (author) await say(id, author === "team" ? ada.id : reporter.id);
        const before = await findRecord(id);
        const { updatedAt } = await findIncident(id);
        await perform(id, step);
        await expectDeadlineToFit(id);
        const isChanged = (await findIncident(id)).updatedAt.getTime() !== updatedAt.getTime();
        if (!isChanged) expect(await findRecord(id)).toEqual(before);
        // A running deadline keeps its length when the event's promise changes, and so does a restored one.
        await prisma.eventReportSettings.upsert({
          where: { eventId: event.id },
          create: { eventId: event.id, answerWithinHours: 1 },
          update: { answerWithinHours: { increment: 1 }, nextUpdateWithinDays: 3 },
        });
        if (!isUndone || !isChanged) continue;
        await undoIncidentChange(asOmar, id);
        expect(await findRecord(id)).toEqual(before);
        await expectDeadlineToFit(id);
      }
    }),
    { numRuns: 20 },
  );
});

it("restores the urgency and the deadline of a report that was acknowledged by mistake", async () => {
  const { id } = await createIncident({
    eventId: event.id,
    reporterId: reporter.id,
    urgent: true,
    severity: "critical",
  });
  const before = await findRecord(id);
  await update(id, { state: "acknowledged" });
  expect(await findIncident(id)).toMatchObject({
    urgent: false,
    dueFor: "update",
    firstResponseAt: expect.any(Date),
  });
  await undoIncidentChange(asOmar, id);
  expect(await findRecord(id)).toEqual(before);
  expect(before).toMatchObject({ urgent: true, dueFor: "acknowledge", firstResponseAt: null });
});

const CONFLICT = { code: "CONFLICT" };

it.each([
  ["somebody else's change", (id: string) => update(id, { severity: "low" }, asAda)],
  ["a new title", (id: string) => retitleIncident(asOmar, id, { title: "Another title", role: "team" })],
  ["a message", (id: string) => say(id, reporter.id)],
  ["an undo", (id: string) => undoIncidentChange(asOmar, id)],
  ["an outcome", (id: string) => update(id, { state: "closed", outcome: "We spoke with him." })],
])("is refused after %s", async (_, come) => {
  const { id } = await createIncident({ eventId: event.id, reporterId: reporter.id });
  await update(id, { state: "acknowledged" });
  await come(id);
  const record = await findRecord(id);
  await expect(undoIncidentChange(asOmar, id)).rejects.toMatchObject(CONFLICT);
  expect(await findRecord(id)).toEqual(record);
});

it("is refused for somebody else's change, and assigns to nobody who has left the team", async () => {
  const { id } = await createIncident({ eventId: event.id, reporterId: reporter.id });
  await update(id, { severity: "high" }, asAda);
  await expect(undoIncidentChange(asOmar, id)).rejects.toMatchObject(CONFLICT);
  const left = await createUser("Lea Brun");
  const role = { eventId: event.id, userId: left.id, roleName: "Responder" as const };
  await prisma.eventRole.create({ data: role });
  await update(id, { assignedResponderId: left.id });
  await update(id, { assignedResponderId: omar.id });
  await prisma.eventRole.deleteMany({ where: role });
  await expect(undoIncidentChange(asOmar, id)).rejects.toMatchObject({ code: "INVALID_ASSIGNEE" });
});
