import { describe, expect, test } from "vitest";
import { emailInput } from "#lib/operation/fields.ts";
import { ReportSettingsChangeInput } from "#lib/events/report-settings.ts";
import { NewEventInput } from "#lib/events/schema.ts";
import {
  NewIncidentInput,
  SEVERITIES,
  INCIDENT_STATES,
  IncidentStateChangeInput,
} from "#lib/incidents/schema.ts";
import { DEMO_EVENTS } from "./places.ts";
import { REPORT_STORIES } from "./stories.ts";
import { generateDemoWorldRows, type DemoWorldRows } from "./world.ts";

const now = new Date("2026-03-14T14:02:00Z");
const settings = { deadlineHours: 24 };
const world = generateDemoWorldRows(now, settings);

const withoutCodes = ({ invites, ...rest }: DemoWorldRows) => ({
  ...rest,
  invites: invites.map((invite) => ({ ...invite, code: "" })),
});
const historyOf = (id: string) => world.history.filter(({ incident_id }) => incident_id === id);

test("the same moment gives the same world, but for the codes of invites", () => {
  expect(withoutCodes(generateDemoWorldRows(now, settings))).toEqual(withoutCodes(world));
});

test.each(["2026-01-01T00:03:00Z", "2028-02-29T23:58:00Z", "2026-07-31T12:00:00Z"])(
  "there is a world at %s",
  (time) => {
    const there = generateDemoWorldRows(new Date(time), settings);
    expect(there.incidents).toHaveLength(300);
    expect(there.incidents.every(({ updated_at }) => updated_at <= new Date(time))).toBe(true);
  },
);

test("it has two organizations, five events and 300 reports of every state and severity, over fourteen months", () => {
  expect([world.organizations.length, world.events.length, world.incidents.length]).toEqual([2, 5, 300]);
  expect(new Set(world.incidents.map(({ state }) => state))).toEqual(new Set(INCIDENT_STATES));
  expect(new Set(world.incidents.map(({ severity }) => severity))).toEqual(new Set([...SEVERITIES, null]));
  const oldest = Math.min(...world.incidents.map(({ created_at }) => created_at.getTime()));
  expect((now.getTime() - oldest) / (30.4 * 24 * 3600_000)).toBeGreaterThan(13);
  expect(world.incidents.filter(({ reporter_id }) => reporter_id === null).length).toBeGreaterThan(30);
});

test("hardly any open report is overdue", () => {
  const open = world.incidents.filter(({ state }) => state !== "resolved" && state !== "closed");
  const overdue = open.filter(({ id, state, created_at, reporter_id }) => {
    const last = world.messages.filter(({ incident_id }) => incident_id === id).at(-1);
    const since = last?.author_id === reporter_id ? last.created_at : created_at;
    const days = (now.getTime() - since.getTime()) / (24 * 3600_000);
    return state === "submitted" ? days > 1 : last?.author_id === reporter_id && reporter_id && days > 7;
  });
  expect(open.length).toBeGreaterThan(20);
  expect(overdue.length).toBeLessThanOrEqual(open.length / 6);
});

test.each(["2026-03-14T14:02:00Z", "2026-11-26T02:00:00Z", "2026-12-18T19:19:18Z", "2027-07-31T12:00:00Z"])(
  "at %s a handful of reporters wait for a reply",
  (at) => {
    const time = new Date(at);
    const { incidents, history, messages } = generateDemoWorldRows(time, settings);
    const waiting = incidents.filter(({ id, reporter_id }) => {
      const last = messages.findLast(({ incident_id }) => incident_id === id);
      const changes = history.filter(
        ({ incident_id, action }) => incident_id === id && (action === "state" || action === "reopen"),
      );
      const isOver = ["resolved", "closed"].includes(changes.at(-1)?.to_value ?? "");
      const isNewest = last && (!isOver || last.created_at > (changes.at(-1)?.created_at ?? time));
      return reporter_id !== null && isNewest && last.author_id === reporter_id;
    });
    expect(waiting.length).toBeGreaterThan(0);
    expect(waiting.length).toBeLessThanOrEqual(10);
  },
);

test("one event runs now, and one is over", () => {
  const short = world.events.filter(({ slug }) => slug.startsWith("northlight-summit"));
  const runs = short.filter(
    ({ start_date, end_date }) => start_date <= now && end_date !== null && end_date >= now,
  );
  const over = world.events.filter(({ end_date }) => end_date !== null && end_date < now);
  expect(runs.map(({ slug }) => slug)).toEqual(["northlight-summit"]);
  expect(over.map(({ slug }) => slug)).toEqual(["northlight-summit-last-year"]);
});

describe("the stories", () => {
  test("fits the shapes of the service", () => {
    for (const one of world.incidents) {
      const { title, description, type, location, parties, severity } = one;
      const given = {
        title,
        description,
        type,
        location,
        parties,
        severity,
        contactMethod: one.contact_method,
      };
      expect(NewIncidentInput.parse(given)).toMatchObject(given);
    }
    for (const { body } of world.notes)
      expect(IncidentStateChangeInput.safeParse({ state: "resolved", notes: body }).success).toBe(true);
    for (const user of world.users) expect(emailInput.parse(user.email)).toBe(user.email);
    for (const event of world.events) {
      const { name, slug, description } = event;
      const dates = {
        startDate: event.start_date.toISOString(),
        endDate: event.end_date?.toISOString() ?? null,
      };
      expect(
        NewEventInput.safeParse({ name, slug, description, ...dates, contactEmail: event.contact_email })
          .success,
      ).toBe(true);
    }
  });

  test("names whom to call in danger as an event can, where people are in one place", () => {
    for (const { setting, emergency } of DEMO_EVENTS) {
      expect(emergency === null).toBe(setting === "online");
      if (!emergency) continue;
      const { number, contact, phone } = emergency;
      const change = { emergencyNumber: number, emergencyContact: contact, emergencyPhone: phone };
      expect(ReportSettingsChangeInput.parse(change)).toMatchObject(change);
    }
  });

  test("are used once: no title or text appears twice, and no bracket is left", () => {
    for (const field of ["title", "description"] as const) {
      const texts = world.incidents.map((one) => one[field]);
      expect(new Set(texts).size).toBe(300);
    }
    const all = [
      ...world.incidents.flatMap((one) => [one.title, one.description, one.parties ?? ""]),
      ...world.notes.map(({ body }) => body),
      ...world.messages.map(({ body }) => body),
      ...world.files.map(({ shows }) => shows ?? ""),
    ];
    expect(all.filter((text) => /[[\]|{}]/.test(text))).toEqual([]);
  });

  test("every title that a story could have is one that the form takes", () => {
    const titles = REPORT_STORIES.flatMap((story) => story.titles.flatMap(expandAllChoices));
    expect(titles.filter((title) => [...title].length < 10 || [...title].length > 70)).toEqual([]);
  });
});

function expandAllChoices(pattern: string): string[] {
  const pieces = pattern.split(/(\[[^\]]*\])/);
  const choices = pieces.map((piece) => (piece.startsWith("[") ? piece.slice(1, -1).split("|") : [piece]));
  return choices.reduce((read, next) => read.flatMap((start) => next.map((end) => start + end)), [""]);
}

describe("each report's history", () => {
  test("begins with its submission, goes forward in time, and ends with the record's status, assignee and title", () => {
    for (const one of world.incidents) {
      const history = historyOf(one.id);
      const times = history.map(({ created_at }) => created_at.getTime());
      expect(history[0]).toMatchObject({
        action: "submitted",
        actor_id: one.reporter_id,
        created_at: one.created_at,
      });
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(times.at(-1)).toBe(one.updated_at.getTime());
      const last = (...actions: string[]) =>
        history.findLast(({ action }) => actions.includes(action))?.to_value ?? null;
      expect(last("submitted", "state", "reopen")).toBe(one.state);
      expect(last("assignee")).toBe(one.assigned_responder_id);
      expect(last("title") ?? one.title).toBe(one.title);
    }
  });

  test("has the timestamps that the rules give it", () => {
    for (const one of world.incidents) {
      const moves = historyOf(one.id).filter(({ action }) => action === "state" || action === "reopen");
      expect(one.first_response_at).toEqual(moves[0]?.created_at ?? null);
      expect(one.resolved_at !== null).toBe(one.state === "resolved" || one.state === "closed");
      expect(one.reopened_at).toEqual(
        moves.findLast(({ action }) => action === "reopen")?.created_at ?? null,
      );
      const waited = (one.first_response_at ?? now).getTime() - one.created_at.getTime();
      if (waited > 25 * 3600_000) expect(one.escalated_at).not.toBeNull();
    }
  });

  test("is in the hands of people who hold the roles for it, and no note knows an anonymous reporter", () => {
    const holds = (userId: string | null, eventId: string, roles: string[]) =>
      world.eventRoles.some(
        (role) => role.user_id === userId && role.event_id === eventId && roles.includes(role.role_name),
      );
    const incidents = new Map(world.incidents.map((one) => [one.id, one]));
    for (const { assigned_responder_id: assignee, reporter_id: reporter, event_id } of world.incidents) {
      if (assignee) expect(holds(assignee, event_id, ["Responder", "Admin"])).toBe(true);
      if (reporter) expect(holds(reporter, event_id, ["Reporter", "Responder", "Admin"])).toBe(true);
    }
    for (const note of world.notes) {
      const incident = incidents.get(note.incident_id);
      expect(holds(note.author_id, incident?.event_id ?? "", ["Responder", "Admin"])).toBe(true);
      if (incident?.reporter_id === null) expect(note.body).not.toMatch(/reporter/i);
    }
  });
});

describe("what team and reporter write to one another", () => {
  const incidents = new Map(world.incidents.map((one) => [one.id, one]));

  test("is between team and reporter, after the report and before now", () => {
    expect(world.messages.length).toBeGreaterThan(150);
    for (const { incident_id, author_id, created_at } of world.messages) {
      const incident = incidents.get(incident_id);
      const team = world.eventRoles.some(
        (role) =>
          role.event_id === incident?.event_id && role.user_id === author_id && role.role_name !== "Reporter",
      );
      expect(team || author_id === incident?.reporter_id).toBe(true);
      expect(created_at > (incident?.created_at ?? now) && created_at < now).toBe(true);
    }
  });

  test("is missing for reporters who can't or don't want to be contacted", () => {
    for (const { incident_id } of world.messages) {
      const incident = incidents.get(incident_id);
      expect(incident?.reporter_id).not.toBeNull();
      expect(incident?.contact_method).not.toBe("no_contact");
    }
  });

  test("begins with the team, and the demo account has such a conversation", () => {
    const first = new Map(world.messages.toReversed().map((message) => [message.incident_id, message]));
    for (const [id, { author_id }] of first) expect(author_id).not.toBe(incidents.get(id)?.reporter_id);
    const maya = world.users.find(({ email: address }) => address === "maya@example.org");
    const own = world.incidents.filter(({ reporter_id }) => reporter_id === maya?.id);
    expect(
      own.some(({ id }) => world.messages.filter(({ incident_id }) => incident_id === id).length > 2),
    ).toBe(true);
  });
});

test("invites were used as often as they say, and no oftener than they allow", () => {
  for (const { id, use_count, max_uses } of world.invites) {
    expect(world.inviteUses.filter(({ invite_id }) => invite_id === id)).toHaveLength(use_count);
    expect(use_count).toBeLessThanOrEqual(max_uses ?? Infinity);
  }
});
