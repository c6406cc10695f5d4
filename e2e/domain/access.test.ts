import { beforeEach, describe, expect, it } from "vitest";
import { getPrismaPool, prisma, sql } from "#lib/database/client.ts";
import { recordAccess, recordAccessOfIncidents, type AccessLogEntry } from "#lib/incidents/access.ts";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";

const organization = await createOrganization();
const event = await createEvent(organization.id);
const [reporter, responder] = [await createUser("Maya Castillo"), await createUser("Omar Haddad")];
const [one, other] = [
  await createIncident({ eventId: event.id, reporterId: reporter.id }),
  await createIncident({ eventId: event.id }),
];

const buildView = (changes: Partial<AccessLogEntry> = {}): AccessLogEntry => ({
  incidentId: one.id,
  eventId: event.id,
  reporterId: reporter.id,
  actorId: responder.id,
  kind: "view",
  right: "event:Responder",
  ...changes,
});
const ABSENT = "0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a";

const lines = () => prisma.incidentAccess.findMany({ orderBy: { id: "asc" } });

beforeEach(() => prisma.incidentAccess.deleteMany());

describe("recordAccess", () => {
  it("resolves once the entry is written", async () => {
    await recordAccess(buildView({ kind: "file", objectId: other.id }));
    expect(await lines()).toMatchObject([
      {
        incidentId: one.id,
        eventId: event.id,
        actorId: responder.id,
        kind: "file",
        objectId: other.id,
        byRight: "event:Responder",
      },
    ]);
  });

  it("writes concurrent views in two statements: the first one, and all that arrived meanwhile", async () => {
    await Promise.all(Array.from({ length: 300 }, () => recordAccess(buildView())));
    const { rows } = await getPrismaPool().query(
      "select count(*)::int as n, count(distinct xmin::text)::int as statements from incident_access",
    );
    expect(rows).toEqual([{ n: 300, statements: 2 }]);
  });

  it("records no views of the reporter", async () => {
    await recordAccess(buildView({ actorId: reporter.id }));
    await recordAccess(buildView({ actorId: reporter.id, incidentId: other.id, reporterId: null }));
    expect((await lines()).map(({ incidentId }) => incidentId)).toEqual([other.id]);
  });

  it("counts the parts of one request as one view, and those of two requests as two", async () => {
    const recorded = ["a", "a", "b"].map((requestId) => recordAccess(buildView({ requestId })));
    await Promise.all([...recorded, recordAccess(buildView({ requestId: "a", kind: "log" }))]);
    await recordAccess(buildView({ requestId: "b" }));
    expect((await lines()).map(({ kind }) => kind).toSorted()).toEqual(["log", "view", "view"]);
  });

  it("leaves out an incident that is gone, and fails nobody else for it", async () => {
    await Promise.all([buildView(), buildView({ incidentId: ABSENT }), buildView()].map(recordAccess));
    expect((await lines()).length).toBe(2);
  });

  it("fails for what can't be written, and only for that; a second try of the same request is one", async () => {
    const broken = buildView({ actorId: "no id", requestId: "c" });
    const tried = await Promise.allSettled([buildView(), broken, buildView()].map(recordAccess));
    expect(tried.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    await expect(recordAccess(broken)).rejects.toThrow();
    await recordAccess(buildView({ requestId: "c" }));
    expect((await lines()).length).toBe(3);
  });
});

describe("recordAccessOfIncidents", () => {
  it("writes a line for each report, but for those of whoever exports", async () => {
    const access = { kind: "export", right: "organization:org_viewer" } as const;
    await recordAccessOfIncidents(sql, [one.id, other.id, ABSENT], { ...access, actorId: reporter.id });
    await recordAccessOfIncidents(sql, [], { ...access, actorId: responder.id });
    expect(await lines()).toMatchObject([
      { incidentId: other.id, actorId: reporter.id, kind: "export", byRight: "organization:org_viewer" },
    ]);
  });
});
