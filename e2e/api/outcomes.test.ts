import { describe, expect, test } from "vitest";
import { readMails, waitForMails } from "#e2e/support/outbox.ts";
import { shareService } from "#e2e/support/service.ts";
import { expectRefusal } from "#e2e/support/concurrent-requests.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld, type ReportRecord, type TestPerson } from "#e2e/support/world.ts";

/** What a reporter is told at the end (contract 7.18), what they write after it (8.4), and where to call them (7.17). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, maya, olga, omar, organization, rita, viktor } = world;

const at = (report: ReportRecord, rest = "") => `/api/events/${event.id}/incidents/${report.id}${rest}`;
const end = (report: ReportRecord, body: object, actor: TestPerson = omar) =>
  world.as(actor).patch(at(report, "/state"), { notes: "Talked to both. Marker-note.", ...body });
const messagesOf = async (report: ReportRecord, actor: TestPerson = maya) =>
  (await world.as(actor).get(at(report, "/comments?visibility=public"))).body.comments;
const kindsOf = async (person: TestPerson): Promise<string[]> =>
  (await world.as(person).get("/api/users/me/notifications")).body.notifications.map(
    ({ kind }: { kind: string }) => kind,
  );
const settled = () =>
  waitUntil("nothing waits", async () => (await heed.sql("select 1 from outbox_events")).length === 0);

describe("a message on the outcome", () => {
  test.each(["resolved", "closed"])(
    "goes to the reporter with %s, beside note and resolution",
    async (state) => {
      const report = await world.report(maya, event);
      const reply = await end(report, { state, outcome: "We spoke with them. **Thank you.**" });
      expect([reply.status, reply.body.incident.state]).toEqual([200, state]);
      const [message, ...others] = await messagesOf(report);
      expect(others).toEqual([]);
      expect(message).toMatchObject({
        body: "We spoke with them. **Thank you.**",
        visibility: "public",
        outcome: true,
        author: { id: omar.id },
      });
      const shown = (await world.as(maya).get(at(report))).body.incident;
      expect(shown.resolution).toBeNull();
      const history = (await world.as(maya).get(at(report, "/history"))).body.history;
      expect(history.map(({ action }: { action: string }) => action).toSorted()).toEqual([
        "message",
        "state",
        "submitted",
      ]);
      expect(JSON.stringify([shown, history])).not.toContain("Marker-note");
      const team = (await world.as(ada).get(at(report, "/history"))).body.history;
      const entry = team.find(({ action }: { action: string }) => action === "message");
      expect(entry).toMatchObject({ comment: { outcome: true, id: message.id } });
    },
  );

  test("isn't sent with a gap in it, and nothing else is changed", async () => {
    const report = await world.report(maya, event);
    const gap = "We’ve looked into it, and [what we did].";
    const replies = [
      await end(report, { state: "resolved", outcome: gap }),
      await world
        .as(omar)
        .patch(`/api/events/slug/${event.slug}/incidents/${report.id}`, { state: "closed", outcome: gap }),
    ];
    for (const reply of replies) {
      expectRefusal(reply, "400 VALIDATION_ERROR");
      expect(reply.body.details).toContain("outcome: still has a gap");
    }
    expect(await messagesOf(report)).toEqual([]);
    expect((await world.as(omar).get(at(report))).body.incident.state).toBe("submitted");
  });

  test("is also sent when it comes with a change of several fields", async () => {
    const report = await world.report(maya, event);
    const path = `/api/events/slug/${event.slug}/incidents/${report.id}`;
    const reply = await world.as(omar).patch(path, { state: "closed", outcome: "All done." });
    expect(reply.status).toBe(200);
    expect(await messagesOf(report)).toMatchObject([{ body: "All done.", outcome: true }]);
  });

  test("is optional; without one, and with a blank one, the reporter gets none", async () => {
    const report = await world.report(maya, event);
    expect((await end(report, { state: "resolved" })).status).toBe(200);
    expect((await end(report, { state: "closed", outcome: "  " })).status).toBe(200);
    expect(await messagesOf(report)).toEqual([]);
  });

  test.each(["investigating"])("is 400 with %s, and nothing is changed", async (state) => {
    const report = await world.report(maya, event);
    const reply = await end(report, { state, assignedToUserId: omar.id, outcome: "Early." });
    expectRefusal(reply, "400 VALIDATION_ERROR");
    expect(reply.body.details).toContain("outcome: ");
    const path = `/api/events/slug/${event.slug}/incidents/${report.id}`;
    for (const body of [
      { state, outcome: "Early." },
      { severity: "low", outcome: "Early." },
      { outcome: "Alone." },
    ])
      expectRefusal(await world.as(omar).patch(path, body), "400 VALIDATION_ERROR");
    expect((await world.as(omar).get(at(report))).body.incident.updatedAt).toBe(report.updatedAt);
    expect(await messagesOf(report)).toEqual([]);
  });

  test("isn't sent by a reporter, nor kept when the change is refused", async () => {
    const report = await world.report(maya, event);
    expect((await end(report, { state: "closed", outcome: "Mine." }, maya)).status).toBe(403);
    const stale = await world
      .as(omar)
      .patch(
        at(report, "/state"),
        { state: "closed", outcome: "Stale." },
        { headers: { "If-Match": "2020-01-01T00:00:00.000Z" } },
      );
    expectRefusal(stale, "409 CONFLICT");
    expect(await messagesOf(report)).toEqual([]);
  });

  test("is announced to the reporter as a status and a message, in mails without its text", async () => {
    const report = await world.report(rita, event);
    await settled();
    await heed.sql("delete from notifications");
    await end(report, { state: "resolved", outcome: "Marker-outcome for you." });
    await settled();
    expect((await kindsOf(rita)).toSorted()).toEqual(["incident.state", "message.created"]);
    await heed.sql("update notifications set mail_due = now() where mail_due is not null");
    await waitForMails(heed, rita.email);
    expect(JSON.stringify(readMails(heed))).not.toMatch(/Marker-(?:note|outcome|late)/);
    const audit = await heed.sql(
      "select data from audit_entries where object_id = $1 and action = 'incident.change'",
      [report.id],
    );
    expect(JSON.stringify(audit)).not.toMatch(/Marker-(?:note|outcome|late)/);
    expect(audit).toMatchObject([{ data: { outcome: true } }]);
  });
});

describe("templates of messages on the outcome", () => {
  const path = `/api/organizations/${organization.id}/outcome-templates`;

  test("are the organization's own: written by its admins, and blank again by them", async () => {
    expect((await world.as(viktor).get(path)).body).toEqual({ templates: [] });
    const templates = [
      { locale: "en", state: "closed", body: "We [what we did]." },
      { locale: "fr", state: "resolved", body: "Merci [de quoi]." },
    ];
    expect((await world.as(olga).put(path, { templates })).body).toEqual({ templates });
    const bySlug = `/api/organizations/slug/${organization.slug}/outcome-templates`;
    expect((await world.as(viktor).get(bySlug)).body).toEqual({ templates });
    const blank = { templates: [{ locale: "en", state: "closed", body: " " }] };
    expect((await world.as(olga).put(bySlug, blank)).body).toEqual({ templates: [templates[1]] });
  });

  test.each([
    ["another status", { locale: "en", state: "submitted", body: "x" }],
    [
      "a text that could be sent unread",
      { locale: "en", state: "closed", body: "We did what we think is right." },
    ],
  ])("refuse %s", async (_, template) => {
    expectRefusal(await world.as(olga).put(path, { templates: [template] }), "400 VALIDATION_ERROR");
  });
});

describe("a phone number", () => {
  test("is shown to the team only, and kept only where the reporter wants to be called", async () => {
    const report = await world.report(maya, event, { contactMethod: "phone", contactPhone: " +1 555 0100 " });
    expect(report.contactPhone).toBeNull();
    const seen = async (actor: TestPerson) =>
      (await world.as(actor).get(at(report))).body.incident.contactPhone;
    expect([await seen(omar), await seen(ada), await seen(maya)]).toEqual([
      "+1 555 0100",
      "+1 555 0100",
      null,
    ]);
    const list = async (actor: TestPerson) =>
      JSON.stringify((await world.as(actor).get(`/api/events/${event.id}/incidents?limit=100`)).body);
    expect(await list(omar)).toContain("+1 555 0100");
    expect(await list(maya)).not.toContain("+1 555 0100");
    const mailed = await world.report(maya, event, { contactMethod: "email", contactPhone: "+1 555 0111" });
    const nameless = await world.report(maya, event, {
      anonymous: true,
      contactMethod: "phone",
      contactPhone: "+1 555 0112",
    });
    for (const { id } of [mailed, nameless])
      expect(await heed.sql("select contact_phone from incidents where id = $1", [id])).toEqual([
        { contact_phone: null },
      ]);
  });
});
