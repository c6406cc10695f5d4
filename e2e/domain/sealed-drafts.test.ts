import { expect, it } from "vitest";
import { prisma, runTransaction } from "#lib/database/client.ts";
import { fileSealedIntake, type IntakeContext } from "#lib/intake/intakes.ts";
import { createOfflineIntakeKit } from "#lib/intake/offline.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { deleteIncidentAndRecordErasure } from "#lib/retention/deletion.ts";
import { NEW_INTAKE } from "#e2e/api/intake-rows.ts";
import { createEvent, createOrganization, createUser } from "#e2e/support/rows.ts";
import { sealDraft } from "#e2e/support/sealed-draft.ts";

/** Drafts that a device sends again once their reports can't be opened anymore (contract 14.4). */

const organization = await createOrganization();
const event = await createEvent(organization.id);
const user = await createUser("Omar Haddad");
await prisma.eventRole.create({ data: { eventId: event.id, userId: user.id, roleName: "Responder" } });
const actor = {
  id: user.id,
  name: user.name,
  systemAdmin: false,
  organizations: [],
  events: [
    { eventId: event.id, slug: event.slug, organizationId: organization.id, roles: ["Responder"] },
  ] satisfies Actor["events"],
} as unknown as Actor;

function send(sealed: string) {
  const call = { requestId: crypto.randomUUID(), responseHeaders: {}, files: [], idempotencyKey: null };
  const context: IntakeContext = {
    organizationId: organization.id,
    eventId: event.id,
    actor,
    right: "event:Responder",
    call: call as unknown as OperationCall,
  };
  return fileSealedIntake(context, sealed);
}

function sealNewDraft(): string {
  const { key, drafts } = createOfflineIntakeKit({ eventId: event.id, actor });
  const takenAt = new Date().toISOString();
  return sealDraft(key, { draft: drafts[0]?.draft, takenAt, confirmed: true, report: NEW_INTAKE });
}

const erase = (incidentId: string) =>
  runTransaction((tx) =>
    deleteIncidentAndRecordErasure(tx, {
      incidentId,
      organizationId: organization.id,
      eventId: event.id,
      data: {},
    }),
  );
const hideFromTaker = (incidentId: string) =>
  prisma.incidentReader.create({ data: { access: "none", incidentId, userId: user.id, source: "team" } });
const countIncidents = () => prisma.incident.count({ where: { eventId: event.id } });

const FILED_BEFORE = { code: "CONFLICT", key: "draftFiledBefore" };

it("files no second report once the rules have deleted the first, and others as before", async () => {
  const sealed = sealNewDraft();
  const { id } = await send(sealed);
  expect((await send(sealed)).id).toBe(id);
  await erase(id);
  for (let time = 0; time < 2; time += 1) await expect(send(sealed)).rejects.toMatchObject(FILED_BEFORE);
  expect(await countIncidents()).toBe(0);
  await send(sealNewDraft());
  expect(await countIncidents()).toBe(1);
});

it("says the same before and after the deletion of a report that is hidden from its taker", async () => {
  const sealed = sealNewDraft();
  const { id } = await send(sealed);
  await hideFromTaker(id);
  await expect(send(sealed)).rejects.toMatchObject(FILED_BEFORE);
  await erase(id);
  await expect(send(sealed)).rejects.toMatchObject(FILED_BEFORE);
});
