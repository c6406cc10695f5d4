import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { ageReport } from "#e2e/support/age-report.ts";
import type { Reply } from "#e2e/support/client.ts";
import { buildForm, createJpeg, createPdf, createPng } from "#e2e/support/evidence.ts";
import { expectRefusal } from "#e2e/support/concurrent-requests.ts";
import { shareService } from "#e2e/support/service.ts";
import { watchStoredFiles } from "#e2e/support/stored-files.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { checkText, expectShape, INCIDENT, STATES } from "#e2e/support/shapes.ts";
import {
  PASSWORD,
  TestWorld,
  type EventRef,
  type TestPerson,
  type ReportRecord,
} from "#e2e/support/world.ts";

/** Incidents (contract 7). Lists have a file of their own. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { event, otherEvent, ada, berta, ines, maya, nora, olga, omar, rita, sam } = world;

const byId = (of: EventRef = event) => `/api/events/${of.id}/incidents`;
const bySlug = (of: EventRef = event) => `/api/events/slug/${of.slug}/incidents`;
const TITLE = "Shouting at the registration desk";

const refusal = ({ status, body }: Reply) => [status, body.code];

describe("create", () => {
  const MINIMUM = { title: TITLE, description: "It went on for a while." };

  test.each([
    ["by id", byId()],
    ["by slug", bySlug()],
  ])("%s, as a form with every field", async (_, to) => {
    const fields = {
      title: TITLE,
      description: "<b>Not</b> markup, [a link](javascript:alert(1)) & =1+1\nsecond line\ttab",
      type: "Harassment",
      parties: "A person with a red badge",
      contactMethod: "phone",
      severity: "high",
      incidentAt: "2026-03-01T10:15:00+02:00",
    };
    const reply = await world.as(maya).post(to, buildForm(fields));
    expect(reply.status, reply.text).toBe(201);
    expectShape(reply.body, { incident: INCIDENT });
    expect(reply.body.incident).toMatchObject({
      ...fields,
      incidentAt: "2026-03-01T08:15:00.000Z",
      state: "submitted",
      eventId: event.id,
      event: { id: event.id, name: event.name, slug: event.slug },
      reporterId: maya.id,
      reporter: maya,
      assignedResponderId: null,
      assignedResponder: null,
      resolution: null,
      firstResponseAt: null,
      resolvedAt: null,
      escalatedAt: null,
      reopenedAt: null,
      relatedFiles: [],
    });
    const shown = await world.as(maya).get(`${to}/${reply.body.incident.id}`);
    expect(shown.body).toEqual(reply.body);
  });

  const EMPTY = { type: "", location: "", parties: "", contactMethod: "", severity: "", incidentAt: "" };
  const OF_SERVICE = {
    state: "closed",
    eventId: otherEvent.id,
    reporterId: rita.id,
    assignedResponderId: omar.id,
    resolution: "done",
    resolvedAt: "2020-01-01T00:00:00Z",
    escalatedAt: "2020-01-01T00:00:00Z",
  };
  test.each([
    ["JSON, with nothing more", MINIMUM],
    ["a form whose other fields are empty", buildForm({ ...MINIMUM, ...EMPTY })],
    ["JSON, with members that only the service sets", { ...MINIMUM, ...OF_SERVICE }],
  ])("takes what must be there as %s", async (_, body) => {
    const reply = await world.as(maya).post(byId(), body);
    expect(reply.status, reply.text).toBe(201);
    expectShape(reply.body, { incident: INCIDENT });
    expect(reply.body.incident).toMatchObject({
      ...MINIMUM,
      type: null,
      location: null,
      parties: null,
      contactMethod: "email",
      severity: null,
      incidentAt: null,
      state: "submitted",
      eventId: event.id,
      reporterId: maya.id,
      assignedResponderId: null,
      resolution: null,
      resolvedAt: null,
      escalatedAt: null,
    });
  });

  test("takes each text up to its length, and refuses one character more", async () => {
    const lengths = { title: 70, description: 20_000, location: 500, parties: 2000, type: 60 };
    const longest = Object.fromEntries(
      Object.entries(lengths).map(([name, length]) => [name, "a".repeat(length)]),
    );
    expect((await world.as(maya).post(byId(), longest)).status).toBe(201);
    const tooLong = Object.entries(longest).map(([name, text]) => [name, `${text}a`] as const);
    for (const [name, text] of [...tooLong, ["title", "a".repeat(9)] as const]) {
      const reply = await world.as(maya).post(byId(), { ...longest, [name]: text });
      expectRefusal(reply, "400 VALIDATION_ERROR", name);
      expect(reply.body.details).toMatch(new RegExp(`^${name}: `));
    }
  });

  test.each([
    { contactMethod: "pigeon" },
    { severity: "urgent" },
    { incidentAt: "2026-02-28T10:00:00" },
    { incidentOn: "2026-02-28T10:00:00Z" },
    { incidentDayPart: "noon", incidentOn: "2026-02-28" },
    { aboutTeam: "maybe" },
    { anonymous: "maybe" },
  ])("refuses %o", async (changes) => {
    const reply = await world.as(maya).post(byId(), { ...MINIMUM, ...changes });
    expectRefusal(reply, "400 VALIDATION_ERROR", reply.text);
    expect(reply.body.details).toMatch(new RegExp(`^${Object.keys(changes)[0]}: `));
  });

  test("is escalated and urgent when it arrives as critical, urgent until it is acknowledged", async () => {
    const high = await world.report(maya, event, { severity: "high" });
    expect(high).toMatchObject({ urgent: false, escalatedAt: null });
    const report = await world.report(maya, event, { severity: "critical", anonymous: true });
    expect(report).toMatchObject({ urgent: true, escalatedAt: report.createdAt });
    expect(await world.move(report, "acknowledged")).toMatchObject({ urgent: false });
  });

  test("draws a number and a code name, longer ones once an event has thousands", async () => {
    const full = await world.newEvent(world.organization);
    await world.grant(maya, full, "Reporter");
    const first = await world.report(maya, full);
    expect(first.number).toBeGreaterThan(999);
    expect(first.number).toBeLessThan(10_000);
    expect(first.codeName).toMatch(/^[a-z]+-[a-z]+$/);
    await heed.sql(
      `insert into incidents (event_id, title, description, number) select $1, 'One of thousands', 'It went on.', n
       from generate_series(1000, 9999) n where n <> $2`,
      [full.id, first.number],
    );
    expect((await world.report(maya, full)).number).toBeGreaterThan(9999);
  });

  test("still works when the event is over", async () => {
    const over = await world.newEvent(world.organization);
    await world.grant(maya, over, "Reporter");
    await heed.sql("update events set is_active = false where id = $1", [over.id]);
    expect((await world.report(maya, over)).eventId).toBe(over.id);
  });

  test("leaves its first history entry and an audit entry by the right it was made with", async () => {
    const report = await world.report(maya, event);
    const history = await heed.sql(
      "select actor_id, action, to_value from incident_history where incident_id = $1",
      [report.id],
    );
    expect(history).toEqual([{ actor_id: maya.id, action: "submitted", to_value: "submitted" }]);
    const audit = await heed.sql(
      "select actor_id, action, by_right, event_id, data from audit_entries where object_id = $1",
      [report.id],
    );
    expect(audit).toEqual([
      {
        actor_id: maya.id,
        action: "incident.create",
        by_right: "event:Reporter",
        event_id: event.id,
        data: { files: 0 },
      },
    ]);
  });
});

describe("an anonymous report", () => {
  test("keeps no trace of who sent it, and isn't shown to them afterwards", async () => {
    const body = buildForm(
      { title: TITLE, description: "Please look.", anonymous: "true" },
      { name: "seen.txt", bytes: "what I saw" },
    );
    const before = await heed.sql("select max(seq) as seq from audit_entries where chain = $1", [
      world.organization.id,
    ]);
    const reply = await world.as(maya).post(byId(), body);
    expect(reply.status, reply.text).toBe(201);
    expectShape(reply.body, { incident: INCIDENT, receipt: checkText });
    const { incident } = reply.body;
    expect(incident).toMatchObject({ reporterId: null, reporter: null });
    const traces = await heed.sql(
      `select row_to_json(i) as row from incidents i where id = $1
       union all select row_to_json(h) from incident_history h where incident_id = $1
       union all select row_to_json(f) from related_files f where incident_id = $1
       union all select row_to_json(a) from audit_entries a where chain = $2 and seq > $3`,
      [incident.id, world.organization.id, before[0]?.seq ?? 0],
    );
    expect(traces.length).toBeGreaterThanOrEqual(3);
    const written = JSON.stringify(traces);
    for (const trace of [maya.id, maya.email, maya.name, reply.headers["x-request-id"]])
      expect(written).not.toContain(trace);
    for (const person of [omar, ada, sam]) {
      const shown = await world.as(person).get(`${byId()}/${incident.id}`);
      for (const trace of [maya.id, maya.email, maya.name]) expect(shown.text).not.toContain(trace);
    }
    expectRefusal(await world.as(maya).get(`${byId()}/${incident.id}`), "404 NOT_FOUND");
  });

  test("leaves no time of its sending with the account, its session or its token", async () => {
    const sender = await world.person("Sending Person", { events: [[event, "Reporter"]] });
    const { body } = await world.as(sender).post("/api/users/me/tokens", {
      name: "Phone",
      scope: "write",
      expiresInDays: 1,
      currentPassword: PASSWORD,
    });
    const report = { title: TITLE, description: "Please look.", anonymous: true };
    const long = "last_used_at = now() - interval '1 hour' where user_id = $1";
    await heed.sql(`update sessions set ${long}`, [sender.id]);
    await heed.sql(`update api_tokens set ${long}`, [sender.id]);
    expect((await world.as(sender).post(byId(), report)).status).toBe(201);
    const headers = { authorization: `Bearer ${body.token}` };
    expect((await heed.visitor().post(byId(), report, { headers })).status).toBe(201);
    const used = await heed.sql(
      `select now() - last_used_at > interval '55 minutes' as "long" from sessions where user_id = $1
       union all select now() - last_used_at > interval '55 minutes' from api_tokens where user_id = $1`,
      [sender.id],
    );
    expect(used).toEqual([{ long: true }, { long: true }]);
    const shown = await world.as(sam).get(`/api/admin/users?search=${encodeURIComponent(sender.email)}`);
    expect(shown.body.users[0].lastActiveAt).toMatch(/T00:00:00\.000Z$/);
  });

  test("stores no contact preference, through the API and the page's form", async () => {
    const word = generateUniqueWord();
    const wish = { description: word, anonymous: "true", contactMethod: "phone" };
    const sent = await world.as(maya).post(byId(), buildForm({ title: "Sent through the API", ...wish }));
    expect(sent.status, sent.text).toBe(201);
    expect(sent.body.incident.contactMethod).toBe("no_contact");
    await world
      .as(maya)
      .post(`/e/${event.slug}/report/send`, buildForm({ title: "Sent by the form", ...wish }), {
        opensMailbox: true,
      });
    const storedRows = await heed.sql(
      "select title, contact_method as wish from incidents where description = $1 order by title",
      [word],
    );
    expect(storedRows).toEqual([
      { title: "Sent by the form", wish: "no_contact" },
      { title: "Sent through the API", wish: "no_contact" },
    ]);
  });
});

describe("files of a report", () => {
  const FIELDS = { title: TITLE, description: "With pictures." };
  const temporary = () => {
    const folder = path.join(heed.dataDir, "tmp");
    return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  };

  test("are kept byte by byte, in their order, under a cleaned name", async () => {
    const files = [
      { name: "photo.png", bytes: await createPng(), field: "relatedFiles" },
      { name: "../../etc/passwd", bytes: await createJpeg(), field: "relatedFiles[]" },
      { name: 'letter "final"\r\n.pdf', bytes: createPdf(), field: "relatedFiles[]" },
      { name: "notes.txt", bytes: "What I wrote down, äöü.", field: "relatedFiles" },
    ];
    const reply = await world.as(maya).post(byId(), buildForm(FIELDS, ...files));
    expect(reply.status, reply.text).toBe(201);
    expectShape(reply.body, { incident: INCIDENT });
    const { relatedFiles, id } = reply.body.incident;
    expect(relatedFiles.map((file: { mimetype: string }) => file.mimetype).sort()).toEqual([
      "application/pdf",
      "image/jpeg",
      "image/png",
      "text/plain",
    ]);
    for (const file of relatedFiles) {
      expect(file.filename).not.toMatch(/[/\\\r\n]/);
      for (const base of [byId(), bySlug()]) {
        const download = await world.as(maya).get(`${base}/${id}/related-files/${file.id}/download`);
        expect(download.status).toBe(200);
        const sent = files.find(({ bytes }) => Buffer.from(bytes as Buffer).equals(download.bytes));
        expect(sent, file.filename).toBeDefined();
        expect(download.bytes.length).toBe(file.size);
        expect(download.headers["content-type"]).toMatch(new RegExp(`^${file.mimetype}`));
        expect(download.headers["content-disposition"]).toMatch(
          /^attachment; filename="[^"\r\n]*"; filename\*=UTF-8''[\w.%~!$&+^`|-]+$/,
        );
        expect(download.headers["content-security-policy"]).toBe("sandbox; default-src 'none'");
        expect(download.headers["cross-origin-resource-policy"]).toBe("same-origin");
      }
    }
  });

  const two = [
    { name: "a.txt", bytes: "first" },
    { name: "b.txt", bytes: "second" },
  ];
  const shown = (reply: Reply) =>
    reply.body.incident.relatedFiles.map((file: Record<string, unknown>) => [
      file.filename,
      file.description,
    ]);

  test.each([
    ["one after the other", " The door. \r\nThe \u{1f511} by it.", ["The door.", "The \u{1f511} by it."]],
    ["the first one alone, by a blank line for the other", "The door.\n", ["The door.", null]],
    ["all in one line", "Both from my phone.", ["Both from my phone.", "Both from my phone."]],
  ])("are described %s", async (_, fileDescriptions, [first, second]) => {
    const reply = await world.as(maya).post(byId(), buildForm({ ...FIELDS, fileDescriptions }, ...two));
    expect(reply.status, reply.text).toBe(201);
    expectShape(reply.body, { incident: INCIDENT });
    expect(shown(reply)).toEqual([
      ["a.txt", first],
      ["b.txt", second],
    ]);
  });

  test.each([
    ["more of them than came", "one\ntwo\nthree", two],
    ["some where none came", "The door.", []],
    ["one of them in too many characters", `fine\n${"x".repeat(501)}`, two],
  ])("are not kept when it describes %s", async (_, fileDescriptions, files) => {
    const newFiles = watchStoredFiles(heed.dataDir);
    const reply = await world.as(maya).post(byId(), buildForm({ ...FIELDS, fileDescriptions }, ...files));
    expectRefusal(reply, "400 VALIDATION_ERROR", reply.text);
    expect(reply.body.details).toMatch(/^fileDescriptions/);
    expect(newFiles()).toEqual([]);
    expect(temporary()).toEqual([]);
  });

  test("are downloaded by everybody who sees the report, and each download is recorded", async () => {
    const reply = await world
      .as(maya)
      .post(byId(), buildForm(FIELDS, { name: "photo.png", bytes: await createPng() }));
    const { id, relatedFiles } = reply.body.incident;
    const file = relatedFiles[0].id;
    for (const person of [maya, omar, ada, sam])
      expect((await world.as(person).get(`${byId()}/${id}/related-files/${file}/download`)).status).toBe(200);
    const entries = await heed.sql(
      "select actor_id, by_right from audit_entries where action = 'file.download' and object_id = $1 order by seq",
      [file],
    );
    expect(entries).toEqual([
      { actor_id: maya.id, by_right: "event:Reporter(own)" },
      { actor_id: omar.id, by_right: "event:Responder" },
      { actor_id: ada.id, by_right: "event:Admin" },
      { actor_id: sam.id, by_right: "SystemAdmin" },
    ]);
  });

  const text = (bytes: number) => Buffer.alloc(bytes, "all quiet here\n");

  // Those below and above the limits of size are in large-bodies.test.ts.
  test("may be ten", async () => {
    const ten = Array.from({ length: 10 }, (_, index) => ({ name: `note-${index}.txt`, bytes: text(100) }));
    expect(
      (await world.as(maya).post(byId(), buildForm(FIELDS, ...ten))).body.incident.relatedFiles,
    ).toHaveLength(10);
  });

  test.each([
    [
      "eleven",
      async () => Array.from({ length: 11 }, () => ({ name: "a.txt", bytes: text(10) })),
      413,
      "PAYLOAD_TOO_LARGE",
    ],
    [
      "a good one and a bad one",
      async () => [
        { name: "a.png", bytes: await createPng() },
        { name: "b.zip", bytes: Buffer.from("504b0506000000000000", "hex") },
      ],
      415,
      "UNSUPPORTED_FILE_TYPE",
    ],
  ])("refuses %s, and keeps nothing", async (_, files, status, code) => {
    const newFiles = watchStoredFiles(heed.dataDir);
    const reply = await world.as(maya).post(byId(), buildForm(FIELDS, ...(await files())));
    expect(refusal(reply), reply.text).toEqual([status, code]);
    expect(newFiles()).toEqual([]);
    expect(temporary()).toEqual([]);
  });

  test("are not kept when the report itself is refused", async () => {
    const newFiles = watchStoredFiles(heed.dataDir);
    const reply = await world
      .as(maya)
      .post(byId(), buildForm({ ...FIELDS, title: "short" }, { name: "a.png", bytes: await createPng() }));
    expectRefusal(reply, "400 VALIDATION_ERROR");
    expect(newFiles()).toEqual([]);
    expect(temporary()).toEqual([]);
  });
});

describe("one report", () => {
  test("shows a Reporter their own, and nobody else's", async () => {
    const report = await world.report(maya, event);
    const absent = await world.as(rita).get(`${byId()}/11111111-1111-4111-8111-111111111111`);
    for (const base of [byId(), bySlug()]) {
      expect((await world.as(maya).get(`${base}/${report.id}`)).status).toBe(200);
      const hidden = await world.as(rita).get(`${base}/${report.id}`);
      expectRefusal(hidden, "404 NOT_FOUND");
      expect(hidden.body).toEqual(absent.body);
    }
  });

  test("shows a Reporter no other addresses, and no team notes", async () => {
    const report = await world.report(maya, event);
    await world.move(report, "investigating", { notes: "A secret of the team." });
    const own = await world.as(maya).get(`${byId()}/${report.id}`);
    expectShape(own.body, { incident: INCIDENT });
    expect(own.body.incident.reporter).toEqual({ ...maya, emailVerified: true });
    expect(own.body.incident.assignedResponder).toEqual({ id: omar.id, name: omar.name, email: null });
    expect(own.text).not.toContain("secret");
    expect(own.text).not.toContain(omar.email);
    const seen = await world.as(ada).get(`${byId()}/${report.id}`);
    expect(seen.body.incident.assignedResponder).toEqual(omar);
  });
});

describe("changing the title", () => {
  const retitle = (person: TestPerson, base: string, report: ReportRecord, title: unknown, headers = {}) =>
    world.as(person).patch(`${base}/${report.id}/title`, { title }, { headers });

  test("keeps the old one in the history, and changes nothing else, whatever else the body has", async () => {
    const report = await world.report(maya, event);
    expectRefusal(await retitle(maya, byId(), report, "Too short"), "400 VALIDATION_ERROR");
    const body = { title: "A better title", state: "closed", severity: "low" };
    const reply = await world.as(maya).patch(`${byId()}/${report.id}/title`, body);
    expectShape(reply.body, { incident: INCIDENT });
    const { incident } = reply.body;
    expect({ ...incident, title: report.title, updatedAt: report.updatedAt }).toEqual(report);
    expect(Date.parse(incident.updatedAt)).toBeGreaterThan(Date.parse(report.updatedAt));
    const [entry] = await heed.sql(
      "select from_value, to_value, actor_id from incident_history where incident_id = $1 and action = 'title'",
      [report.id],
    );
    expect(entry).toEqual({ from_value: report.title, to_value: "A better title", actor_id: maya.id });
  });
  test("changes nothing and leaves no trace where it is the present one", async () => {
    const report = await world.report(maya, event);
    const { incident } = (await retitle(maya, byId(), report, ` ${report.title}`)).body;
    expect(incident).toEqual(report);
    expect(await heed.rows("incident_history", "incident_id = $1 and action = 'title'", [report.id])).toBe(0);
    expect(
      await heed.rows("audit_entries", "object_id = $1 and action = 'incident.retitle'", [report.id]),
    ).toBe(0);
  });
});

const change = (person: TestPerson, report: ReportRecord, body: unknown, base = byId()) =>
  world.as(person).patch(`${base}/${report.id}/state`, body);

describe("changing the state", () => {
  const valid = (state: string) => ({ state, notes: "As we agreed.", assignedToUserId: omar.id });

  test("from each to each, itself included, sets the documented times (contract 7.5)", async () => {
    let before = await world.report(maya, event);
    for (const from of STATES)
      for (const to of STATES) {
        before = (await change(omar, before, valid(from))).body.incident;
        const reply = await change(omar, before, valid(to));
        expect(reply.status, reply.text).toBe(200);
        expectShape(reply.body, { incident: INCIDENT });
        const after = reply.body.incident;
        expect(after).toMatchObject({ state: to, assignedResponderId: omar.id });
        expectTimes(before, after);
        expect(Date.parse(after.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt));
        const [entry] = await heed.sql(
          "select from_value, to_value from incident_history where incident_id = $1 and action = 'state' order by seq desc",
          [before.id],
        );
        if (from !== to) expect(entry).toEqual({ from_value: from, to_value: to });
        before = after;
      }
  });

  const done = (report: ReportRecord) => report.state === "resolved" || report.state === "closed";

  /** Contract 7.5 to 7.7, in so many words. */
  function expectTimes(before: ReportRecord, after: ReportRecord): void {
    if (before.firstResponseAt) expect(after.firstResponseAt).toBe(before.firstResponseAt);
    else if (after.state === "submitted") expect(after.firstResponseAt).toBeNull();
    else expect(after.firstResponseAt).toBe(after.updatedAt);
    if (!done(after)) expect(after.resolvedAt).toBeNull();
    else expect(after.resolvedAt).toBe(done(before) ? before.resolvedAt : after.updatedAt);
    if (done(before) && !done(after)) expect(after.reopenedAt).toBe(after.updatedAt);
    else expect(after.reopenedAt).toBe(before.reopenedAt);
    expect(after.escalatedAt).toBe(before.escalatedAt);
  }

  test.each([
    ["investigating", { assignedToUserId: omar.id }],
    ["investigating", { notes: "n" }],
    ["investigating", { notes: "   ", assignedToUserId: omar.id }],
    ["investigating", { notes: "n", assignedToUserId: null }],
    ["resolved", {}],
    ["resolved", { notes: " \n " }],
    ["acknowledged", { notes: "n".repeat(10_001) }],
    ["Closed", {}],
  ])("%s with %o is refused, and changes nothing", async (state, more) => {
    const report = await world.report(maya, event);
    const reply = await change(omar, report, { state, ...more });
    expectRefusal(reply, "400 VALIDATION_ERROR", reply.text);
    expect((await world.as(omar).get(`${byId()}/${report.id}`)).body.incident).toEqual(report);
  });

  test.each([
    ["submitted", {}],
    ["acknowledged", { notes: "n".repeat(10_000) }],
    ["investigating", { notes: "n", assignedToUserId: omar.id }],
    ["resolved", { notes: "n" }],
    ["closed", {}],
  ])("%s takes no more than it needs", async (state, more) => {
    const reply = await change(omar, await world.report(maya, event), { state, ...more });
    expect(reply.status, reply.text).toBe(200);
  });

  test("keeps the assignee that was there when none is named", async () => {
    const report = await world.move(await world.report(maya, event), "investigating");
    expect((await change(ada, report, { state: "acknowledged" })).body.incident.assignedResponderId).toBe(
      omar.id,
    );
    const reassigned = await change(ada, report, { state: "acknowledged", assignedToUserId: ada.id });
    expect(reassigned.body.incident.assignedResponder).toEqual(ada);
  });

  test("assigns nobody but a Responder or Admin of the event", async () => {
    const report = await world.report(maya, event);
    const gone = await world.person("Gone Responder", { events: [[event, "Responder"]] });
    await heed.sql("update users set disabled_at = now() where id = $1", [gone.id]);
    for (const { id } of [
      maya,
      nora,
      ines,
      berta,
      olga,
      sam,
      gone,
      { id: "11111111-1111-4111-8111-111111111111" },
    ]) {
      const reply = await change(omar, report, { state: "investigating", notes: "n", assignedToUserId: id });
      expectRefusal(reply, "400 INVALID_ASSIGNEE");
      for (const { name, email } of [berta, ines, nora])
        expect(reply.text).not.toMatch(new RegExp(`${name}|${email}`));
    }
    expect(
      (
        await change(omar, report, {
          state: "investigating",
          notes: "n",
          assignedToUserId: ada.id.toUpperCase(),
        })
      ).status,
    ).toBe(200);
  });

  test("stores the notes for the team, and as the record when that is blank; the reporter sees neither", async () => {
    const report = await world.report(maya, event);
    const first = (await change(omar, report, { state: "resolved", notes: " Talked to both. " })).body
      .incident;
    expect(first.resolution).toBe("Talked to both.");
    const read = async () =>
      (await world.as(maya).get(`/api/events/${event.id}/incidents/${report.id}`)).body.incident.resolution;
    // The team's record stays the team's, also where somebody wrote it as `resolution` (contract 7.18).
    expect(await read()).toBeNull();
    const second = (await change(ada, first, { state: "resolved", notes: "Talked again." })).body.incident;
    expect(await read()).toBeNull();
    expect(second).toMatchObject({ resolution: "Talked to both.", resolvedAt: first.resolvedAt });
    const notes = await heed.sql(
      "select author_id, body from team_notes where incident_id = $1 order by created_at",
      [report.id],
    );
    expect(notes).toEqual([
      { author_id: omar.id, body: "Talked to both." },
      { author_id: ada.id, body: "Talked again." },
    ]);
    expect(await heed.rows("messages", "conversation_id = $1", [report.id])).toBe(0);
    const path = `/api/events/slug/${event.slug}/incidents/${report.id}`;
    expect((await world.as(omar).patch(path, { resolution: "Talked to both." })).status).toBe(200);
    expect(await read()).toBeNull();
  });

  test("to the present state records a note or an assignee, and moves no time", async () => {
    const report = await world.move(await world.report(maya, event), "investigating");
    const after = (
      await change(omar, report, { state: "investigating", notes: "Still at it.", assignedToUserId: ada.id })
    ).body.incident;
    for (const time of ["firstResponseAt", "resolvedAt", "escalatedAt", "reopenedAt", "createdAt"])
      expect(after[time]).toBe(report[time]);
    const last = await heed.sql(
      "select action from incident_history where incident_id = $1 and created_at = $2 order by action",
      [report.id, after.updatedAt],
    );
    expect(last).toEqual([{ action: "assignee" }, { action: "note" }]);
  });

  test("is one entry in the audit log, with the right it was changed by", async () => {
    const report = await world.report(maya, event);
    await change(omar, report, { state: "acknowledged" });
    await change(sam, report, { state: "closed" });
    const entries = await heed.sql(
      "select actor_id, by_right, data->>'fromState' as was, data->>'toState' as is from audit_entries where object_id = $1 and action = 'incident.change' order by seq",
      [report.id],
    );
    expect(entries).toEqual([
      { actor_id: omar.id, by_right: "event:Responder", was: "submitted", is: "acknowledged" },
      { actor_id: sam.id, by_right: "SystemAdmin", was: "acknowledged", is: "closed" },
    ]);
  });
});

describe("reopening", () => {
  const reopen = (person: TestPerson, report: ReportRecord, body: unknown) =>
    world.as(person).patch(`${byId()}/${report.id}/reopen`, body);

  test.each([
    ["resolved", { assignedToUserId: ada.id }, "investigating"],
    ["closed", {}, "acknowledged"],
    ["closed", { assignedToUserId: null }, "acknowledged"],
  ])("from %s with %o leads to %s", async (state, more, next) => {
    const report = await world.move(await world.report(maya, event), state);
    const reply = await reopen(omar, report, { notes: "There is more.", ...more });
    expect(reply.status, reply.text).toBe(200);
    expectShape(reply.body, { incident: INCIDENT });
    const { incident } = reply.body;
    expect(incident).toMatchObject({
      state: next,
      resolvedAt: null,
      firstResponseAt: report.firstResponseAt,
      assignedResponderId: next === "investigating" ? ada.id : omar.id,
    });
    expect(incident.reopenedAt).toBe(incident.updatedAt);
    const [entry] = await heed.sql(
      "select from_value, to_value from incident_history where incident_id = $1 and action = 'reopen'",
      [report.id],
    );
    expect(entry).toEqual({ from_value: state, to_value: next });
  });

  test("is for finished reports", async () => {
    const report = await world.move(await world.report(maya, event), "investigating");
    expectRefusal(await reopen(omar, report, { notes: "There is more." }), "409 INVALID_STATE_TRANSITION");
    expect((await world.as(omar).get(`${byId()}/${report.id}`)).body.incident).toEqual(report);
  });

  test("needs notes, and assigns nobody but the team", async () => {
    const report = await world.move(await world.report(maya, event), "closed");
    for (const body of [{}, { notes: "  " }, { notes: null }, { assignedToUserId: ada.id }])
      expectRefusal(await reopen(omar, report, body), "400 VALIDATION_ERROR");
    expectRefusal(
      await reopen(omar, report, { notes: "n", assignedToUserId: maya.id }),
      "400 INVALID_ASSIGNEE",
    );
  });
});

describe("changing several fields by slug", () => {
  const update = (person: TestPerson, report: ReportRecord, body: unknown) =>
    world.as(person).patch(`${bySlug()}/${report.id}`, body);

  test("sets assignee, severity, resolution and state, together or each alone", async () => {
    const report = await world.report(maya, event);
    const all = await update(omar, report, {
      assignedResponderId: ada.id,
      severity: "medium",
      resolution: "Sorted out.",
      state: "resolved",
    });
    expect(all.status, all.text).toBe(200);
    expectShape(all.body, { incident: INCIDENT });
    const { incident } = all.body;
    expect(incident).toMatchObject({
      assignedResponderId: ada.id,
      severity: "medium",
      resolution: "Sorted out.",
      state: "resolved",
    });
    expect(incident.firstResponseAt).toBe(incident.updatedAt);
    expect(incident.resolvedAt).toBe(incident.updatedAt);
    const alone: [string, unknown][] = [
      ["severity", "low"],
      ["resolution", "Otherwise."],
      ["assignedResponderId", omar.id],
      ["state", "closed"],
    ];
    for (const [name, value] of alone)
      expect((await update(omar, report, { [name]: value })).body.incident[name]).toBe(value);
  });

  test("clears members that are null", async () => {
    const report = await world.report(maya, event, { severity: "high" });
    await update(omar, report, { assignedResponderId: omar.id, resolution: "Something." });
    const reply = await update(omar, report, { assignedResponderId: null, severity: null, resolution: null });
    expect(reply.body.incident).toMatchObject({
      assignedResponderId: null,
      assignedResponder: null,
      severity: null,
      resolution: null,
    });
  });

  test("changes type, time, place and the team's summary; the history keeps what was there, and the report its words", async () => {
    const sent = { type: "Harassment", location: "Hall 2", incidentAt: "2026-03-01T08:15:00.000Z" };
    const report = await world.report(maya, event, sent);
    const details = {
      type: "Threats",
      location: "The bar",
      summary: "Threatened at the bar.",
      incidentOn: "2026-02-28",
      incidentDayPart: "evening",
    };
    const changed = (await update(omar, report, details)).body.incident;
    expect(changed).toMatchObject({
      ...details,
      incidentAt: "2026-02-28T12:00:00.000Z",
      description: report.description,
    });
    const { body } = await world.as(omar).get(`${byId()}/${report.id}/history?kind=changes`);
    expect(
      body.history.slice(1).map(({ action, from, to }: Record<string, unknown>) => [action, from, to]),
    ).toEqual([
      ["kind", "Harassment", "Threats"],
      ["where", "Hall 2", "The bar"],
      ["summary", null, "Threatened at the bar."],
      ["when", "2026-03-01T08:15:00.000Z", "2026-02-28 evening"],
    ]);
    const seen = (await world.as(maya).get(`${byId()}/${report.id}`)).body.incident;
    expect(seen).toMatchObject({ ...details, summary: null });
    const { text } = await world.as(maya).get(`${byId()}/${report.id}/history`);
    expect(text).not.toContain("bar");
    const cleared = { type: null, location: null, summary: null, incidentOn: null };
    expect((await update(omar, report, cleared)).body.incident).toMatchObject({
      ...cleared,
      incidentAt: null,
      incidentDayPart: null,
    });
  });

  test("refuses a summary that is too long, and a part of no day, losing nothing", async () => {
    const report = await world.report(maya, event, { location: "Hall 2" });
    for (const body of [
      { summary: "x".repeat(501) },
      { incidentDayPart: "noon" },
      { location: "The bar", incidentOn: "2026-02-30" },
    ])
      expect(refusal(await update(omar, report, body)), JSON.stringify(body)).toEqual([
        400,
        "VALIDATION_ERROR",
      ]);
    expect((await world.as(omar).get(`${byId()}/${report.id}`)).body.incident).toMatchObject({
      summary: null,
      location: "Hall 2",
    });
  });

  test("records that an urgent report's minutes had passed when its first response came", async () => {
    const report = await world.report(maya, event, { severity: "critical" });
    await ageReport(heed, report.id, "16 minutes");
    const answered = (await update(omar, report, { state: "acknowledged" })).body.incident;
    expect(answered.escalatedAt).toBe(report.escalatedAt);
    const entries = await heed.sql(
      "select action, actor_id, to_value from incident_history where incident_id = $1 and action <> 'submitted' order by seq",
      [report.id],
    );
    expect(entries).toEqual([
      { action: "deadline", actor_id: null, to_value: "15 min" },
      { action: "state", actor_id: omar.id, to_value: "acknowledged" },
    ]);
  });

  test("refuses nothing to change, a bad member beside a good one, and an assignee beyond the team", async () => {
    const report = await world.report(maya, event);
    for (const body of [
      {},
      { title: "Another title for it" },
      { assignedResponderId: "omar" },
      { resolution: "r".repeat(10_001) },
      { severity: "low", state: "done" },
    ])
      expectRefusal(await update(omar, report, body), "400 VALIDATION_ERROR");
    for (const { id } of [maya, berta, nora])
      expectRefusal(
        await update(omar, report, { assignedResponderId: id, severity: "low" }),
        "400 INVALID_ASSIGNEE",
      );
    expect((await world.as(omar).get(`${bySlug()}/${report.id}`)).body.incident).toEqual(report);
  });
});

describe("If-Match", () => {
  const WRITES: [string, (report: ReportRecord, headers: Record<string, string>) => Promise<Reply>][] = [
    [
      "title",
      (report, headers) =>
        world.as(ada).patch(`${byId()}/${report.id}/title`, { title: "Another title" }, { headers }),
    ],
    [
      "state",
      (report, headers) =>
        world.as(ada).patch(`${byId()}/${report.id}/state`, { state: "closed" }, { headers }),
    ],
    [
      "reopen",
      (report, headers) => world.as(ada).patch(`${byId()}/${report.id}/reopen`, { notes: "n" }, { headers }),
    ],
    [
      "change",
      (report, headers) => world.as(ada).patch(`${bySlug()}/${report.id}`, { severity: "low" }, { headers }),
    ],
  ];

  test.each(WRITES)("on %s accepts the current version and refuses a stale one", async (_, write) => {
    const report = await world.move(await world.report(maya, event), "resolved");
    const fresh = await write(report, { "if-match": `"${report.updatedAt}"` });
    expect(fresh.status, fresh.text).toBe(200);
    const stale = await write(report, { "if-match": report.updatedAt });
    expectRefusal(stale, "409 CONFLICT");
    const { incident } = (await world.as(ada).get(`${byId()}/${report.id}`)).body;
    expect(incident).toEqual(fresh.body.incident);
  });
});
