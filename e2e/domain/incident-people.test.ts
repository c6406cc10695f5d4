import { beforeEach, describe, expect, it } from "vitest";
import { prisma } from "#lib/database/client.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import type { Actor, EventRole } from "#lib/operation/policy.ts";
import { joinPerson, splitPersonOfRecord } from "#lib/people/joining.ts";
import { showNamesOfPerson } from "#lib/people/names.ts";
import { addPerson, changePerson, removePerson } from "#lib/people/people.ts";
import { listPeopleInReports, listPeopleOfIncident } from "#lib/people/queries.ts";
import type { NewPersonInput } from "#lib/people/schema.ts";
import { sweepRows } from "#lib/worker/sweep.ts";
import {
  answerConflictCheck,
  createEvent,
  createIncident,
  createOrganization,
  createUser,
} from "#e2e/support/rows.ts";

/** The people named in incidents, and what somebody learns of them who reads only some of these (contract 7.22). */

const organization = await createOrganization();
const [spring, autumn] = [await createEvent(organization.id), await createEvent(organization.id)];
const foreign = await createEvent((await createOrganization()).id);
const EVENTS = [spring, autumn, foreign];

type Member = Actor;

async function createMember(events = EVENTS, role: EventRole = "Responder"): Promise<Member> {
  const { id, name, email } = await createUser();
  for (const { id: eventId } of events)
    await prisma.eventRole.create({ data: { userId: id, eventId, roleName: role } });
  return {
    id,
    name,
    email,
    avatarUrl: null,
    sessionId: "session",
    systemAdmin: false,
    organizations: [],
    events: events.map(({ id: eventId, slug, organizationId }) => ({
      eventId,
      slug,
      organizationId,
      roles: [role],
    })),
  };
}

const call = { requestId: "00000000-0000-4000-8000-000000000000", ifMatch: null } as OperationCall;
const omar = await createMember();
type IncidentRow = Awaited<ReturnType<typeof createIncident>>;

const inIncident = (incident: IncidentRow, actor = omar) => ({
  organizationId: EVENTS.find(({ id }) => id === incident.eventId)!.organizationId,
  eventId: incident.eventId,
  incidentId: incident.id,
  actor,
  right: "event:Responder",
  call,
});

const add = (incident: IncidentRow, person: Partial<NewPersonInput> = {}, actor = omar) =>
  addPerson(inIncident(incident, actor), {
    name: "Lukasz Zak",
    role: "reported",
    handles: [],
    addresses: [],
    ...person,
  });

/** The record as somebody sees it. */
async function see(incident: IncidentRow, actor = omar, at = 0) {
  const found = (await listPeopleOfIncident(inIncident(incident, actor)))[at];
  if (!found) throw new Error("no such record");
  return found;
}

async function atRecord(incident: IncidentRow, actor = omar, at = 0) {
  const { id } = await see(incident, actor, at);
  const { personId } = await prisma.incidentPerson.findUniqueOrThrow({ where: { id } });
  return { ...inIncident(incident, actor), record: { id, personId } };
}

const hide = (incident: IncidentRow, person: Member) =>
  prisma.incidentReader.create({
    data: { incidentId: incident.id, userId: person.id, access: "none", source: "team" },
  });

const toText = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}` : part));

const PAGE = { page: 1, limit: 100 };

beforeEach(async () => {
  await prisma.incident.deleteMany({});
  await sweepRows();
});

const incidentOf = (event = spring, data = {}) => createIncident({ eventId: event.id, ...data });

describe("a person who is added", () => {
  it("has a code name of their own, and is found by name, handle or address in reports of the organization", async () => {
    const resolvedAt = new Date("2026-05-04T10:00:00Z");
    const first = await incidentOf(autumn, { state: "resolved", firstResponseAt: resolvedAt, resolvedAt });
    const second = await incidentOf();
    await add(first, { name: "Łukasz Żak", handles: ["@Heron"], addresses: ["l@example.org"] });
    await add(await incidentOf(foreign));
    for (const person of [
      { name: "lukasz zak" },
      { name: "The one at the bar", handles: ["heron"] },
      { name: "Him", addresses: ["l@example.org"] },
    ]) {
      const added = await add(second, person);
      const [earlier] = await listPeopleOfIncident(inIncident(first));
      expect(added).toMatchObject({
        ...person,
        joined: false,
        otherReports: { count: 1, earlier: 1, newest: [{ id: first.id, state: "resolved" }] },
        samePeople: [{ personId: earlier!.personId, codeName: earlier!.codeName }],
      });
      expect(added.otherReports.newest[0]!.resolvedAt).toBe(resolvedAt.toISOString());
      expect(added.codeName).not.toBe(earlier!.codeName);
      await removePerson({ ...inIncident(second), record: { id: added.id, personId: added.personId } });
    }
    expect(await add(second, { name: "Lukasz" })).toMatchObject({
      otherReports: { count: 0, earlier: 0, newest: [] },
      samePeople: [],
    });
  });

  it("isn't added twice by the same name, also at the same time", async () => {
    const incident = await incidentOf();
    const settled = await Promise.allSettled(
      ["Jürgen", "Juergen", "JURGEN"].map((name) => add(incident, { name })),
    );
    const names = (await listPeopleOfIncident(inIncident(incident))).map(({ name }) => name);
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(names.length);
    await expect(add(incident, { name: names[0]! })).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
      fields: { name: { key: "isNamedAlready" } },
    });
    const other = await add(incident, { name: "Somebody else" });
    const record = { ...inIncident(incident), record: { id: other.id, personId: other.personId } };
    await expect(changePerson(record, { name: names[0]! })).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
    });
    expect(await changePerson(record, { name: "Somebody Else", role: "witness" })).toMatchObject({
      name: "Somebody Else",
      role: "witness",
    });
  });

  it("is in the history by code name, in the audit log by ids, and nowhere else by name", async () => {
    const incident = await incidentOf();
    const { id, codeName } = await add(incident, { name: "Wanda Hidden" });
    const record = await atRecord(incident);
    await changePerson(record, { handles: ["hidden"] });
    await changePerson(record, { handles: ["hidden"] });
    await removePerson(record);
    const where = { incidentId: incident.id };
    const history = await prisma.incidentHistory.findMany({ where, orderBy: { seq: "asc" } });
    expect(history.map(({ action, fromValue, toValue }) => [action, fromValue ?? toValue])).toEqual([
      ["person.added", codeName],
      ["person.changed", codeName],
      ["person.removed", codeName],
    ]);
    const entries = await prisma.auditEntry.findMany({ where: { objectId: record.record.personId } });
    expect(entries.map(({ action, data }) => [action, data])).toEqual(
      ["person.add", "person.change", "person.remove"].map((action) => [
        action,
        { incidentId: incident.id, recordId: id },
      ]),
    );
    expect(toText([history, entries])).not.toMatch(/wanda|hidden/i);
  });

  it("is refused from somebody who has lost the role", async () => {
    const incident = await incidentOf();
    const leaving = await createMember([spring]);
    await add(incident, {}, leaving);
    const record = await atRecord(incident, leaving);
    await prisma.eventRole.deleteMany({ where: { userId: leaving.id } });
    for (const attempt of [
      () => add(incident, { name: "Another" }, leaving),
      () => changePerson(record, { name: "Another" }),
      () => removePerson(record),
      () => joinPerson(record, record.record.personId),
      () => splitPersonOfRecord(record),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect(await see(incident)).toMatchObject({ name: "Lukasz Zak" });
  });
});

describe("people who are joined", () => {
  it("are one by the first code name, and are split again as they were, with what was added since", async () => {
    const incidents = [await incidentOf(), await incidentOf(autumn), await incidentOf()];
    for (const incident of incidents) await add(incident, { name: `Name ${incident.id}` });
    const [first, second, third] = await Promise.all(incidents.map((one) => see(one)));
    const record = await atRecord(incidents[1]!);
    await joinPerson(record, first!.personId);
    await joinPerson(record, first!.personId);
    expect(await see(incidents[1]!)).toMatchObject({
      codeName: first!.codeName,
      joined: true,
      otherReports: { count: 1, newest: [{ id: incidents[0]!.id }] },
    });
    expect(await see(incidents[0]!)).toMatchObject({ codeName: first!.codeName, joined: true });
    await joinPerson(await atRecord(incidents[2]!), second!.personId);
    expect(await see(incidents[2]!)).toMatchObject({ codeName: first!.codeName, otherReports: { count: 2 } });
    expect(await listPeopleInReports(omar, PAGE)).toMatchObject([
      { codeName: first!.codeName, reports: { count: 3 }, roles: ["reported"] },
    ]);
    await splitPersonOfRecord(await atRecord(incidents[2]!));
    await expect(splitPersonOfRecord(await atRecord(incidents[2]!))).rejects.toMatchObject({
      code: "CONFLICT",
    });
    await splitPersonOfRecord(await atRecord(incidents[0]!));
    for (const [at, before] of [first, second, third].entries())
      expect(await see(incidents[at]!)).toEqual(before);
  });

  it("are one whichever joins come first", async () => {
    const incidents = [];
    for (let n = 0; n < 6; n += 1) incidents.push(await incidentOf());
    for (const incident of incidents) await add(incident, { name: `Name ${incident.id}` });
    const records = await Promise.all(incidents.map((one) => atRecord(one)));
    await Promise.all(
      records.map((record, n) => joinPerson(record, records[(n + 1) % records.length]!.record.personId)),
    );
    const people = await prisma.person.findMany({ where: { organizationId: organization.id } });
    expect(new Set(people.map(({ groupId }) => groupId)).size).toBe(1);
    expect(people.filter(({ joinedToId }) => joinedToId === null)).toHaveLength(1);
    expect(await listPeopleInReports(omar, PAGE)).toMatchObject([{ reports: { count: 6 } }]);
  });

  it("stay joined by somebody whom no report names any more, who is swept with the last of them", async () => {
    const incidents = [await incidentOf(), await incidentOf(), await incidentOf()];
    for (const incident of incidents) await add(incident, { name: `Name ${incident.id}` });
    const [first, middle, last] = await Promise.all(incidents.map((one) => atRecord(one)));
    await joinPerson(first!, middle!.record.personId);
    await joinPerson(last!, middle!.record.personId);
    await prisma.incident.delete({ where: { id: incidents[1]!.id } });
    await sweepRows();
    expect(await see(incidents[0]!)).toMatchObject({ joined: true, otherReports: { count: 1 } });
    await prisma.incident.deleteMany({});
    await sweepRows();
    expect(await prisma.person.count({ where: { organizationId: organization.id } })).toBe(0);
  });
});

describe("somebody who doesn't read a report", () => {
  it("doesn't learn whom it names, nor with whom they are joined", async () => {
    const xenia = await createMember();
    const [hidden, own, other] = [await incidentOf(), await incidentOf(), await incidentOf(autumn)];
    await add(hidden, { handles: ["heron"], addresses: ["l@example.org"] });
    const before = await add(own);
    await add(other, { name: "Quiet Quill" });
    await hide(hidden, xenia);
    const expected = {
      ...before,
      otherReports: { count: 0, earlier: 0, newest: [] },
      samePeople: [],
    };
    expect(await see(own, xenia)).toEqual(expected);
    const hiddenRecord = await atRecord(hidden);
    const ownRecord = await atRecord(own);
    const asXenia = { ...ownRecord, actor: xenia };
    await expect(joinPerson(asXenia, hiddenRecord.record.personId)).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    await expect(
      showNamesOfPerson({ actor: xenia, call }, hiddenRecord.record.personId),
    ).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    const listed = await listPeopleInReports(xenia, PAGE);
    expect(listed).toMatchObject([{ reports: { count: 1 } }, { reports: { count: 1 } }]);
    await joinPerson(hiddenRecord, ownRecord.record.personId);
    expect(await see(own)).toMatchObject({ joined: true, codeName: (await see(hidden)).codeName });
    expect(await see(own, xenia)).toEqual(expected);
    expect(await listPeopleInReports(xenia, PAGE)).toEqual(listed);
    await expect(splitPersonOfRecord(asXenia)).rejects.toMatchObject({ code: "CONFLICT" });
    // What Xenia joins and splits leaves the join that she can't see.
    await joinPerson(asXenia, (await atRecord(other)).record.personId);
    expect(await see(other)).toMatchObject({ otherReports: { count: 2 } });
    expect(await see(other, xenia)).toMatchObject({ codeName: before.codeName, otherReports: { count: 1 } });
    expect(await showNamesOfPerson({ actor: xenia, call }, before.personId)).toEqual([
      "Quiet Quill",
      "Lukasz Zak",
    ]);
    await splitPersonOfRecord(asXenia);
    expect(await see(own)).toMatchObject({ joined: true, otherReports: { count: 1 } });
    expect(await see(own, xenia)).toEqual(expected);
    const entries = await prisma.auditEntry.findMany({ where: { action: { startsWith: "person." } } });
    const told = entries.filter(({ chain }) => chain !== "system");
    const ids = [hiddenRecord, ownRecord].map(({ record }) => record.personId);
    const isTelling = ({ action, objectId }: (typeof entries)[number]) =>
      ids.includes(objectId ?? "") && (action !== "person.showName" || objectId !== ids[1]);
    // What was written before it was hidden stays where it is.
    expect(told.filter(isTelling).map(({ action }) => action)).toEqual(["person.add", "person.add"]);
    expect(toText(told.filter(({ action }) => action !== "person.add"))).not.toContain(ids[0]);
  });

  it("and has to answer its conflict check first, reads it by then", async () => {
    const checked = await incidentOf(spring, { conflictCheck: true });
    const open = await incidentOf();
    await answerConflictCheck({ incidentId: checked.id, userId: omar.id });
    await add(checked);
    await add(open);
    const later = await createMember();
    expect(await see(open, later)).toMatchObject({ otherReports: { count: 0 }, samePeople: [] });
    expect(await listPeopleInReports(later, PAGE)).toHaveLength(1);
    await answerConflictCheck({ incidentId: checked.id, userId: later.id });
    expect(await see(open, later)).toMatchObject({ otherReports: { count: 1 }, samePeople: [{}] });
    expect(await listPeopleInReports(later, PAGE)).toHaveLength(2);
  });

  it("of another event, of their own, or outside the team knows none", async () => {
    const [one, two] = [await incidentOf(spring), await incidentOf(autumn)];
    await add(one);
    await add(two);
    const ofAutumn = await createMember([autumn]);
    expect(await see(two, ofAutumn)).toMatchObject({ otherReports: { count: 0 }, samePeople: [] });
    expect(await listPeopleInReports(ofAutumn, PAGE)).toMatchObject([{ reports: { count: 1 } }]);
    const reporter = await createMember([spring], "Reporter");
    await prisma.incident.update({ where: { id: one.id }, data: { reporterId: reporter.id } });
    expect(await listPeopleInReports(reporter, PAGE)).toEqual([]);
    const outside = { ...(await createMember()), outsideIncidentId: two.id };
    expect(await see(two, outside)).toMatchObject({ otherReports: { count: 0 }, samePeople: [] });
  });
});

it("lists people by their newest record, in pages, of one organization or all", async () => {
  const incidents = [];
  for (let n = 0; n < 5; n += 1) incidents.push(await incidentOf([spring, autumn, foreign][n % 3]!));
  for (const [n, one] of incidents.entries()) await add(one, { name: `Name ${n}` });
  const codeNames = await Promise.all(incidents.map(async (one) => (await see(one)).codeName));
  const list = async (query = {}) =>
    (await listPeopleInReports(omar, { ...PAGE, ...query })).map(({ codeName }) => codeName);
  expect(await list()).toEqual(codeNames.toReversed());
  expect(await list({ limit: 2 })).toEqual(codeNames.toReversed().slice(0, 3));
  expect(await list({ limit: 2, page: 2 })).toEqual(codeNames.toReversed().slice(2, 5));
  expect(await list({ organization: foreign.organizationId })).toEqual([codeNames[2]]);
});
