import { expect, it } from "vitest";
import { loadInsights } from "#lib/analytics/insights.ts";
import type { ReportFilter } from "#lib/analytics/schema.ts";
import { prisma } from "#lib/database/client.ts";
import { STORED_TYPE_BY_INCIDENT_KIND } from "#lib/incidents/kinds.ts";
import {
  answerConflictCheck,
  createEvent,
  createIncident,
  createMessage,
  createOrganization,
  createUser,
} from "#e2e/support/rows.ts";

/** What insights count of an incident whose conflict check the reader hasn't answered (contract 16.10). */

const TYPE = STORED_TYPE_BY_INCIDENT_KIND.threats;
const HOUR_MS = 3_600_000;

async function createPlace() {
  const organization = await createOrganization();
  await prisma.organization.update({ where: { id: organization.id }, data: { conflictCheck: true } });
  const event = await createEvent(organization.id);
  const [reporter, colleague, reader] = [await createUser(), await createUser(), await createUser()];
  const report = async (type: string | null, reporterId: string | null) => {
    const createdAt = new Date(Date.now() - 5 * HOUR_MS);
    const firstResponseAt = new Date(createdAt.getTime() + HOUR_MS);
    const { id } = await createIncident({
      eventId: event.id,
      type,
      reporterId,
      createdAt,
      firstResponseAt,
      state: "acknowledged",
    });
    await createMessage({
      incidentId: id,
      authorId: colleague.id,
      body: "We are on it.",
      createdAt: new Date(createdAt.getTime() + 2 * HOUR_MS),
    });
    return id;
  };
  const read = (readerId?: string) => {
    const filter: ReportFilter = { timeRange: "30d", severity: ["none"] };
    const reader = readerId === undefined ? null : { id: readerId };
    return loadInsights({ organizationId: organization.id, filter, now: new Date(), reader }, true);
  };
  return { reporter, reader, report, read };
}

it.each([
  ["a named report of a listed type", TYPE, true, { anonymous: 0, named: 1 }],
  ["an anonymous report without a type", null, false, { anonymous: 1, named: 0 }],
] as const)("counts %s alike, and in full once it is open", async (_, type, isNamed, byChannel) => {
  const { reporter, reader, report, read } = await createPlace();
  const id = await report(type, isNamed ? reporter.id : null);
  for (const readerId of [reader.id, undefined])
    expect(await read(readerId)).toMatchObject({
      current: {
        reports: 1,
        open: 1,
        answered: 1,
        medianFirstResponse: 1,
        replied: 0,
        medianFirstReply: null,
      },
      byType: [],
      otherTypes: 1,
      byChannel: { anonymous: 0, named: 0 },
    });
  const open = {
    current: { reports: 1, answered: 1, replied: 1, medianFirstReply: 2 },
    byType: [{ type, count: 1 }],
    otherTypes: 0,
    byChannel,
  };
  await answerConflictCheck({ incidentId: id, userId: reader.id });
  expect(await read(reader.id)).toMatchObject(open);
  if (isNamed) expect(await read(reporter.id)).toMatchObject(open);
});

it("names a type in people's own words only if enough of the reports that the reader has opened share it", async () => {
  const { reporter, reader, report, read } = await createPlace();
  const ids = [];
  for (let n = 0; n < 5; n += 1) ids.push(await report("Loud music", reporter.id));
  for (const incidentId of ids.slice(1)) await answerConflictCheck({ incidentId, userId: reader.id });
  expect(await read(reader.id)).toMatchObject({ byType: [], otherTypes: 5 });
  await answerConflictCheck({ incidentId: ids[0]!, userId: reader.id });
  expect(await read(reader.id)).toMatchObject({
    byType: [{ type: "Loud music", count: 5 }],
    otherTypes: 0,
  });
});
