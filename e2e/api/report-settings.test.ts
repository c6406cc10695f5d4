import { describe, expect, test } from "vitest";
import { shareService } from "#e2e/support/service.ts";
import { countOutcomes, runConcurrently, expectRefusal } from "#e2e/support/concurrent-requests.ts";
import { TestWorld, type EventRef, type TestPerson } from "#e2e/support/world.ts";

/** What an event says to those who report: its team, whom to call, where quick exit leads, how soon it answers. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { event, nobody, organization } = world;
const { ada, maya, nora, sam } = world;

const byId = (of: { id: string } = event) => `/api/events/${of.id}/report-settings`;
const bySlug = (of: { slug: string } = event) => `/api/events/slug/${of.slug}/report-settings`;

const NOTHING_SET = {
  whoCanReport: "account",
  searchEngines: true,
  withoutAccount: true,
  showTeam: false,
  emergencyContact: null,
  emergencyPhone: null,
  emergencyNumber: null,
  exitUrl: "https://www.wikipedia.org/",
  answerWithinHours: null,
  nextUpdateWithinDays: 7,
  team: [],
  hasReader: true,
  outsidePerson: null,
  conflictCheck: false,
  updatedAt: expect.any(String),
};

const ALL = {
  whoCanReport: "invite",
  searchEngines: false,
  withoutAccount: false,
  showTeam: true,
  emergencyContact: "Venue security: 555 0100.\nAmbulance: 112.",
  emergencyPhone: "+1 (555) 0100",
  emergencyNumber: "112",
  exitUrl: "https://weather.example.org/today",
  answerWithinHours: 24,
  nextUpdateWithinDays: 3,
};

/** An event that ada is Admin of. */
async function ours(): Promise<EventRef> {
  const made = await world.newEvent(organization);
  await world.grant(ada, made, "Admin");
  return made;
}

const change = (of: EventRef, body: unknown, actor: TestPerson = ada) =>
  world.as(actor).patch(bySlug(of), body);
const shown = async (of: { slug: string }) => (await nobody.get(bySlug(of))).body.reportSettings;

describe("view", () => {
  test("is for anybody, by slug and by id, and shows the defaults where nothing is set", async () => {
    const of = await ours();
    for (const client of [nobody, world.as(nora), world.as(maya), world.as(sam)])
      for (const address of [byId(of), bySlug(of)]) {
        const reply = await client.get(address);
        expect([reply.status, reply.body]).toEqual([200, { reportSettings: NOTHING_SET }]);
      }
  });

  test("names the team by id, name and role only, and only where the event shows it", async () => {
    const of = await ours();
    const both = await world.person("Two Roles", {
      events: [
        [of, "Responder"],
        [of, "Admin"],
      ],
    });
    const away = await world.person("Away Responder", { events: [[of, "Responder"]] });
    await world.person("Only Reporter", { events: [[of, "Reporter"]] });
    await heed.sql("update users set disabled_at = now() where id = $1", [away.id]);
    expect((await nobody.get(bySlug(of))).text).not.toContain(both.name);
    await change(of, { showTeam: true });
    const reply = await nobody.get(bySlug(of));
    expect(reply.body.reportSettings.team).toEqual(
      [
        { id: ada.id, name: ada.name, role: "Admin" },
        { id: both.id, name: both.name, role: "Admin" },
      ].toSorted((a, b) => a.name.localeCompare(b.name)),
    );
    for (const hidden of [both.email, "Away Responder", "Only Reporter"])
      expect(reply.text).not.toContain(hidden);
    await change(of, { showTeam: false });
    expect((await shown(of)).team).toEqual([]);
  });
});

describe("change", () => {
  test("of one field after the other leaves the rest", async () => {
    const of = await ours();
    let before: Record<string, unknown> = NOTHING_SET;
    for (const [field, value] of Object.entries(ALL)) {
      const reply = await change(of, { [field]: value });
      expect(reply.status, reply.text).toBe(200);
      before = { ...before, [field]: value };
      expect({ ...reply.body.reportSettings, team: [] }).toEqual(before);
      expect(await shown(of)).toEqual(reply.body.reportSettings);
    }
  });

  test("with null or blank goes back to nothing, or to the default", async () => {
    const of = await ours();
    for (const nothing of [null, "  "]) {
      expect((await change(of, ALL)).status).toBe(200);
      const { showTeam: _, whoCanReport: __, searchEngines: ___, withoutAccount: ____, ...rest } = ALL;
      const emptied = Object.fromEntries(Object.keys(rest).map((field) => [field, nothing]));
      const reset = { showTeam: false, whoCanReport: "account", searchEngines: true, withoutAccount: true };
      const reply = await change(of, { ...emptied, ...reset });
      expect(reply.body.reportSettings).toEqual(NOTHING_SET);
    }
  });

  test("is refused where If-Match holds an older version than the present one, the first one included", async () => {
    const of = await ours();
    const seenAs = (updatedAt: string) => ({ headers: { "if-match": `"${updatedAt}"` } });
    const save = (answerWithinHours: number, updatedAt: string) =>
      world.as(ada).patch(bySlug(of), { answerWithinHours }, seenAs(updatedAt));
    const { updatedAt } = await shown(of);
    const both = await Promise.all([save(1, updatedAt), save(2, updatedAt)]);
    expect(countOutcomes(both)).toEqual({ 200: 1, "409 CONFLICT": 1 });
    expectRefusal(await save(3, updatedAt), "409 CONFLICT");
    expect((await save(4, (await shown(of)).updatedAt)).body.reportSettings.answerWithinHours).toBe(4);
    expect((await change(of, { answerWithinHours: 5 })).status).toBe(200);
  });

  test("takes what is just within the limits", async () => {
    const of = await ours();
    for (const body of [
      { emergencyContact: "🪷".repeat(300), answerWithinHours: 1, nextUpdateWithinDays: 90 },
      { exitUrl: `https://example.org/${"p".repeat(480)}`, answerWithinHours: 720 },
    ])
      expect((await change(of, body)).body.reportSettings).toMatchObject(body);
  });

  test.each([
    ["nothing", {}, ""],
    ["what it doesn't know", { color: "red" }, "color"],
    ["null for whether the team is shown", { showTeam: null }, "showTeam"],
    ["words of 301 characters", { emergencyContact: "c".repeat(301) }, "emergencyContact"],
    ["an address that isn't https", { exitUrl: "http://example.org/" }, "exitUrl"],
    ["a path of ours", { exitUrl: "/login" }, "exitUrl"],
    ["more than a month", { answerWithinHours: 721 }, "answerWithinHours"],
    ["more than ninety days", { nextUpdateWithinDays: 91 }, "nextUpdateWithinDays"],
  ])("refuses %s, and stores nothing of it", async (_, body, field) => {
    const of = await ours();
    const good = field === "" ? {} : field === "showTeam" ? { answerWithinHours: 5 } : { showTeam: true };
    const reply = await change(of, { ...good, ...body });
    expectRefusal(reply, "400 VALIDATION_ERROR");
    expect(reply.body.details).toMatch(
      field === ""
        ? /^needs /
        : new RegExp(`^${field}: (must be|is not a field or parameter of this request)`),
    );
    expect(await shown(of)).toEqual(NOTHING_SET);
  });

  test("is in the audit log by the names of its fields, without what they hold", async () => {
    const of = await ours();
    await change(of, ALL);
    await change(of, { answerWithinHours: null }, sam);
    const entries = await heed.sql<{ data: unknown }>(
      "select actor_id, by_right, data from audit_entries where object_id = $1 and action = 'event.changeReportSettings' order by seq",
      [of.id],
    );
    expect(entries).toEqual([
      {
        actor_id: ada.id,
        by_right: "event:Admin",
        data: { fields: Object.keys(ALL), showTeam: true, whoCanReport: "invite" },
      },
      {
        actor_id: sam.id,
        by_right: "SystemAdmin",
        data: { fields: ["answerWithinHours"], showTeam: null, whoCanReport: null },
      },
    ]);
  });

  test("by several at once makes one record, in which each change is", async () => {
    const of = await ours();
    const fields = Object.entries(ALL);
    const replies = await runConcurrently(20, (index) => {
      const [field, value] = fields[index % fields.length] ?? [];
      return change(of, { [String(field)]: value });
    });
    expect(countOutcomes(replies)).toEqual({ 200: 20 });
    expect(await shown(of)).toMatchObject(ALL);
    expect(await heed.rows("event_report_settings", "event_id = $1", [of.id])).toBe(1);
  });
});
