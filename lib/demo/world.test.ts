import { describe, expect, test } from "vitest";
import { NewCommentInput } from "#lib/conversations/comment-schema.ts";
import { ReportSettingsChangeInput } from "#lib/events/report-settings.ts";
import { NewEventInput } from "#lib/events/schema.ts";
import type { Incident, IncidentHistory, Message } from "#lib/generated/prisma/client.ts";
import {
  IncidentStateChangeInput,
  INCIDENT_STATES,
  NewIncidentInput,
  SEVERITIES,
} from "#lib/incidents/schema.ts";
import { emailInput } from "#lib/operation/fields.ts";
import { DEMO_COURSES, DEMO_ORGANIZATIONS, DEMO_STORIES } from "./data.ts";
import { buildDemoWorld } from "./world.ts";

const now = new Date("2026-03-14T14:02:00Z");
const settings = { deadlineHours: 24, passwordHash: "hash" };
const HOUR_MS = 3_600_000;
const { rows, files } = buildDemoWorld(now, settings);
const incidents = rows.incidents as Incident[];

/** Groups what belongs to reports by the id of the report, oldest first. */
const groupByIncident = <Row extends { incidentId: string }>(list: readonly object[]) =>
  Map.groupBy(list as Row[], ({ incidentId }) => incidentId);
const historyOf = groupByIncident<IncidentHistory>(rows.incident_history);
const messagesOf = Map.groupBy(rows.messages as Message[], ({ conversationId }) => conversationId);
const teamOf = (eventId: string) =>
  rows.event_roles
    .filter((one) => one.eventId === eventId && one.roleName !== "Reporter")
    .map(({ userId }) => userId);

test("the same moment gives the same world, but for the codes of invites and of people", () => {
  const withoutCodes = ({ invites, people, ...rest }: typeof rows) => ({
    ...rest,
    invites: invites.map((one) => ({ ...one, code: "" })),
    people: people.map((one) => ({ ...one, codeName: "" })),
  });
  const again = buildDemoWorld(now, settings);
  expect(withoutCodes(again.rows)).toEqual(withoutCodes(rows));
  expect(again.files).toEqual(files);
});

test("it has two organizations, five events and 300 reports of every state and severity, over fourteen months", () => {
  expect([rows.organizations.length, rows.events.length, incidents.length]).toEqual([2, 5, 300]);
  expect(new Set(incidents.map(({ state }) => state))).toEqual(new Set(INCIDENT_STATES));
  expect(new Set(incidents.map(({ severity }) => severity))).toEqual(new Set([...SEVERITIES, null]));
  const oldest = Math.min(...incidents.map(({ createdAt }) => createdAt.getTime()));
  expect((now.getTime() - oldest) / (30.4 * 24 * HOUR_MS)).toBeGreaterThan(13);
  expect(incidents.filter(({ reporterId }) => reporterId === null).length).toBeGreaterThan(30);
  expect(files.length).toBeGreaterThan(60);
});

test.each([
  "2026-01-01T00:03:00Z",
  "2026-03-14T14:02:00Z",
  "2026-11-26T02:00:00Z",
  "2026-12-18T19:19:18Z",
  "2028-02-29T23:58:00Z",
])(
  "at %s nothing lies in the future, some reports are open, and a handful of reporters wait for a reply",
  (at) => {
    const time = new Date(at);
    const world = buildDemoWorld(time, settings).rows;
    const history = world.incident_history as IncidentHistory[];
    expect(history.filter(({ createdAt }) => createdAt > time)).toEqual([]);
    expect(world.incidents.filter(({ resolvedAt }) => !resolvedAt).length).toBeGreaterThan(25);
    const latest = groupByIncident<IncidentHistory>(
      history.filter(({ action }) => /^(state|reopen|message)$/.test(action)),
    );
    const waiting = world.incidents.filter(({ id, reporterId }) => {
      const last = latest.get(id as string)?.at(-1);
      return reporterId && last?.action === "message" && last.actorId === reporterId;
    });
    expect(waiting.length).toBeGreaterThan(0);
    expect(waiting.length).toBeLessThanOrEqual(10);
  },
);

test("one event runs now, and one is over", () => {
  const isOver = (endDate: unknown) => endDate !== null && (endDate as Date) < now;
  const short = rows.events.filter(({ slug }) => slug.startsWith("northlight-summit"));
  const running = short.filter(({ startDate, endDate }) => (startDate as Date) <= now && !isOver(endDate));
  expect(running.map(({ slug }) => slug)).toEqual(["northlight-summit"]);
  expect(rows.events.filter(({ endDate }) => isOver(endDate)).map(({ slug }) => slug)).toEqual([
    "northlight-summit-last-year",
  ]);
});

test("what it writes fits the shapes of the service", () => {
  for (const { title, description, type, location, parties, severity, contactMethod } of incidents) {
    const given = { title, description, type, location, parties, severity, contactMethod };
    expect(NewIncidentInput.parse(given)).toMatchObject(given);
  }
  for (const { body } of rows.team_notes) {
    expect(NewCommentInput.parse({ body })).toMatchObject({ body });
    expect(IncidentStateChangeInput.safeParse({ state: "resolved", notes: body }).success).toBe(true);
  }
  for (const { body } of rows.messages) expect(NewCommentInput.parse({ body })).toMatchObject({ body });
  for (const { email } of rows.users) expect(emailInput.parse(email)).toBe(email);
  for (const { name, slug, description, contactEmail, startDate, endDate } of rows.events) {
    const dates = {
      startDate: (startDate as Date).toISOString(),
      endDate: (endDate as Date | null)?.toISOString() ?? null,
    };
    expect(NewEventInput.safeParse({ name, slug, description, contactEmail, ...dates }).success).toBe(true);
  }
  expect(rows.event_report_settings).toHaveLength(4);
  for (const { emergencyNumber, emergencyContact, emergencyPhone } of rows.event_report_settings) {
    const change = { emergencyNumber, emergencyContact, emergencyPhone };
    expect(ReportSettingsChangeInput.parse(change)).toMatchObject(change);
  }
});

describe("its texts", () => {
  test("are used once: no title or description appears twice, and nothing is said twice about a report", () => {
    for (const field of ["title", "description"] as const)
      expect(new Set(incidents.map((one) => one[field])).size).toBe(300);
    const said = [
      ...rows.team_notes.map(({ incidentId, body }) => `${incidentId} ${body}`),
      ...rows.messages.map(({ conversationId, body }) => `${conversationId} ${body}`),
    ];
    expect(new Set(said).size).toBe(said.length);
  });

  test("hold no alternatives any more", () => {
    const all = [
      ...incidents.flatMap((one) => [one.title, one.description, one.parties ?? ""]),
      ...[...rows.team_notes, ...rows.messages].map(({ body }) => body ?? ""),
      ...files.map(({ description }) => description ?? ""),
    ];
    expect(all.filter((text) => /[[\]|{}]/.test(text))).toEqual([]);
  });

  test("every title that a story can have is one that the form takes", () => {
    const titles = DEMO_STORIES.flatMap((story) => story.titles.flatMap(expandAllChoices));
    expect(titles.filter((title) => [...title].length < 10 || [...title].length > 70)).toEqual([]);
  });

  test("no note knows an anonymous reporter", () => {
    const anonymous = new Set(incidents.filter(({ reporterId }) => !reporterId).map(({ id }) => id));
    const known = rows.team_notes.filter(
      ({ incidentId, body }) => anonymous.has(incidentId) && /reporter/i.test(body),
    );
    expect(known).toEqual([]);
  });
});

function expandAllChoices(pattern: string): string[] {
  const pieces = pattern.split(/(\[[^\]]*\])/);
  const choices = pieces.map((piece) => (piece.startsWith("[") ? piece.slice(1, -1).split("|") : [piece]));
  return choices.reduce((read, next) => read.flatMap((start) => next.map((end) => start + end)), [""]);
}

test("each course that an event names exists, and one without a share is named by some event", () => {
  const plans = DEMO_ORGANIZATIONS.flatMap(({ events }) => events.flatMap(({ reports }) => reports));
  const named = new Set(plans.flatMap(({ course }) => course ?? []));
  const known = new Set(DEMO_COURSES.map(({ name }) => name));
  expect([...named].filter((name) => !known.has(name))).toEqual([]);
  expect(DEMO_COURSES.filter(({ name, share }) => share === 0 && !named.has(name))).toEqual([]);
});

describe("each report's history", () => {
  test("begins with its submission, goes forward in time, and ends with the record's status, assignee and title", () => {
    for (const one of incidents) {
      const history = historyOf.get(one.id) ?? [];
      const times = history.map(({ createdAt }) => createdAt.getTime());
      expect(history[0]).toMatchObject({
        action: "submitted",
        actorId: one.reporterId,
        createdAt: one.createdAt,
      });
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      const changes = history.filter(({ action }) => action !== "note" && action !== "message");
      expect(changes.at(-1)?.createdAt).toEqual(one.updatedAt);
      const findLast = (...actions: string[]) =>
        history.findLast(({ action }) => actions.includes(action))?.toValue ?? null;
      expect(findLast("submitted", "state", "reopen")).toBe(one.state);
      expect(findLast("assignee")).toBe(one.assignedResponderId);
      expect(findLast("title") ?? one.title).toBe(one.title);
    }
  });

  test("has the timestamps that the rules give it", () => {
    for (const one of incidents) {
      const moves = (historyOf.get(one.id) ?? []).filter(
        ({ action }) => action === "state" || action === "reopen",
      );
      expect(one.firstResponseAt).toEqual(moves[0]?.createdAt ?? null);
      expect(one.resolvedAt !== null).toBe(one.state === "resolved" || one.state === "closed");
      expect(one.reopenedAt).toEqual(moves.findLast(({ action }) => action === "reopen")?.createdAt ?? null);
      const waitedMs = (one.firstResponseAt ?? now).getTime() - one.createdAt.getTime();
      if (waitedMs > 25 * HOUR_MS) expect(one.escalatedAt).not.toBeNull();
    }
  });

  test("is in the hands of the event's team, who never handle what they reported themselves", () => {
    for (const { id, eventId, assignedResponderId, reporterId } of incidents) {
      const team = teamOf(eventId);
      if (assignedResponderId) expect(team).toContain(assignedResponderId);
      const actors = (historyOf.get(id) ?? []).filter(
        ({ action }) => !["submitted", "deadline", "message"].includes(action),
      );
      for (const { actorId } of actors) {
        expect(team).toContain(actorId);
        expect(actorId).not.toBe(reporterId);
      }
    }
  });
});

describe("what team and reporter write to one another", () => {
  test("begins with the team, and is missing for reporters who can't or don't want to be contacted", () => {
    expect(rows.messages.length).toBeGreaterThan(150);
    for (const { id, eventId, reporterId, contactMethod } of incidents) {
      const messages = messagesOf.get(id) ?? [];
      if (!reporterId || contactMethod === "no_contact") expect(messages).toEqual([]);
      if (messages[0]) expect(messages[0].authorId).not.toBe(reporterId);
      for (const { authorId } of messages) expect([reporterId, ...teamOf(eventId)]).toContain(authorId);
    }
  });

  test("is there for the reporter's account that the command prints", () => {
    const maya = rows.users.find(({ email }) => email === "maya@example.org");
    const own = incidents.filter(({ reporterId }) => reporterId === maya?.id);
    expect(own.some(({ id }) => (messagesOf.get(id)?.length ?? 0) > 2)).toBe(true);
  });
});

test("invites were used as often as they say, and no oftener than they allow", () => {
  for (const { id, useCount = 0, maxUses } of rows.invites) {
    expect(rows.invite_uses.filter(({ inviteId }) => inviteId === id)).toHaveLength(useCount);
    expect(useCount).toBeLessThanOrEqual(maxUses ?? Infinity);
  }
});
