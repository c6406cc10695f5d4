import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { ageReport } from "#e2e/support/age-report.ts";
import type { Reply } from "#e2e/support/client.ts";
import { buildForm, createJpeg, createPdf, createPng } from "#e2e/support/evidence.ts";
import { waitBetweenFiveMinuteJobs } from "#e2e/support/period.ts";
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
const { event, otherEvent, ada, berta, ines, maya, nora, olga, omar, rita, sam, viktor } = world;

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
      ...MINIMUM,
      type: "Harassment",
      location: "Registration, hall 2",
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

  test("as JSON, with what must be there alone", async () => {
    const reply = await world.as(maya).post(byId(), MINIMUM);
    expect(reply.status, reply.text).toBe(201);
    expectShape(reply.body, { incident: INCIDENT });
    expect(reply.body.incident).toMatchObject({
      ...MINIMUM,
      type: null,
      location: null,
      parties: null,
      severity: null,
    });
    expect(reply.body.incident).toMatchObject({ incidentAt: null, contactMethod: "email" });
  });

  test("takes empty form fields as not given", async () => {
    const empty = { type: "", location: "", parties: "", contactMethod: "", severity: "", incidentAt: "" };
    const reply = await world.as(maya).post(byId(), buildForm({ ...MINIMUM, ...empty }));
    expect(reply.status, reply.text).toBe(201);
    expect(reply.body.incident).toMatchObject({
      type: null,
      severity: null,
      incidentAt: null,
      contactMethod: "email",
    });
  });

  test("trims, composes, and keeps the rest as it was typed", async () => {
    const description = "<b>Not</b> markup, [a link](javascript:alert(1)) & =1+1\nsecond line\ttab";
    const reply = await world
      .as(maya)
      .post(byId(), { title: "  Cafe\u0301 door was blocked  ", description: `\n${description}  ` });
    expect(reply.body.incident).toMatchObject({ title: "Café door was blocked", description });
  });

  test.each([
    ["title of 9", { title: "a".repeat(9) }, 400],
    ["title of 10", { title: "a".repeat(10) }, 201],
    ["title of 70", { title: "a".repeat(70) }, 201],
    ["title of 71", { title: "a".repeat(71) }, 400],
    ["title of 9 flowers", { title: "🪷".repeat(9) }, 400],
    ["title of 10 flowers", { title: "🪷".repeat(10) }, 201],
    ["title of 70 flowers", { title: "🪷".repeat(70) }, 201],
    ["title of 71 flowers", { title: "🪷".repeat(71) }, 400],
    ["title of 9 with blanks around", { title: `  ${"a".repeat(9)}  ` }, 400],
    ["title of blanks", { title: " ".repeat(20) }, 400],
    ["title missing", { title: undefined }, 400],
    ["description of blanks", { description: "   " }, 400],
    ["description missing", { description: undefined }, 400],
    ["description of 20,000", { description: "d".repeat(20_000) }, 201],
    ["description of 20,001", { description: "d".repeat(20_001) }, 400],
    ["location of 500", { location: "l".repeat(500) }, 201],
    ["location of 501", { location: "l".repeat(501) }, 400],
    ["parties of 2,000", { parties: "p".repeat(2000) }, 201],
    ["parties of 2,001", { parties: "p".repeat(2001) }, 400],
    ["type of 60", { type: "t".repeat(60) }, 201],
    ["type of 61", { type: "t".repeat(61) }, 400],
    ["contactMethod in_person", { contactMethod: "in_person" }, 201],
    ["contactMethod pigeon", { contactMethod: "pigeon" }, 400],
    ["severity urgent", { severity: "urgent" }, 400],
    ["severity null", { severity: null }, 201],
    ["incidentAt a date", { incidentAt: "2026-02-28" }, 201],
    ["incidentAt a day that never was", { incidentAt: "2026-02-30" }, 400],
    ["incidentAt without a zone", { incidentAt: "2026-02-28T10:00:00" }, 400],
    ["incidentAt a number", { incidentAt: 1_700_000_000 }, 400],
    ["incidentAt in 1899", { incidentAt: "1899-12-31T00:00:00Z" }, 400],
    ["incidentAt in 1900", { incidentAt: "1900-01-01T00:00:00Z" }, 201],
    ["incidentAt in 2100", { incidentAt: "2100-12-31T23:59:59Z" }, 201],
    ["incidentAt in 2101", { incidentAt: "2101-01-01T00:00:00Z" }, 400],
    ["incidentAt in 12345", { incidentAt: "12345-01-01T00:00:00Z" }, 400],
    ["incidentOn a day", { incidentOn: "2026-02-28", incidentDayPart: "night" }, 201],
    ["incidentOn a time", { incidentOn: "2026-02-28T10:00:00Z" }, 400],
    ["incidentDayPart noon", { incidentOn: "2026-02-28", incidentDayPart: "noon" }, 400],
    ["aboutTeam maybe", { aboutTeam: "maybe" }, 400],
    ["contactMethod phone", { contactMethod: "phone" }, 201],
    ["anonymous maybe", { anonymous: "maybe" }, 400],
  ])("a body with %s is accepted or refused by the limits", async (name, changes, status) => {
    const reply = await world.as(maya).post(byId(), { ...MINIMUM, ...changes });
    expect(reply.status, reply.text).toBe(status);
    if (status === 400) expect(reply.body.details).toMatch(new RegExp(`^${name.split(" ")[0]}: `));
  });

  test("ignores members of the body that only the service sets", async () => {
    const report = await world.report(maya, event, {
      id: "11111111-1111-4111-8111-111111111111",
      state: "closed",
      reporterId: rita.id,
      eventId: otherEvent.id,
      assignedResponderId: omar.id,
      resolution: "done",
      createdAt: "2020-01-01T00:00:00Z",
      resolvedAt: "2020-01-01T00:00:00Z",
      escalatedAt: "2020-01-01T00:00:00Z",
    });
    expect(report.id).not.toBe("11111111-1111-4111-8111-111111111111");
    expect(report).toMatchObject({
      state: "submitted",
      reporterId: maya.id,
      eventId: event.id,
      resolution: null,
    });
    expect(report).toMatchObject({ assignedResponderId: null, resolvedAt: null, escalatedAt: null });
    expect(Date.now() - Date.parse(report.createdAt)).toBeLessThan(60_000);
  });

  test("is escalated from the start when it is critical", async () => {
    const report = await world.report(maya, event, { severity: "critical" });
    expect(report.escalatedAt).toBe(report.createdAt);
    expect((await world.report(maya, event, { severity: "high" })).escalatedAt).toBeNull();
  });

  test("is urgent when it arrives as critical, until it is acknowledged", async () => {
    expect(await world.report(maya, event, { severity: "high" })).toMatchObject({ urgent: false });
    const report = await world.report(maya, event, { severity: "critical", anonymous: true });
    expect(report).toMatchObject({ urgent: true });
    expect(await world.move(report, "acknowledged")).toMatchObject({ urgent: false });
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

  test("by the SystemAdmin is recorded as that", async () => {
    const report = await world.report(sam, event);
    const [entry] = await heed.sql("select by_right from audit_entries where object_id = $1", [report.id]);
    expect(entry).toEqual({ by_right: "SystemAdmin" });
  });
});

describe("an anonymous report", () => {
  test.each([
    [
      "a form",
      buildForm(
        { title: TITLE, description: "Please look.", anonymous: "true" },
        { name: "seen.txt", bytes: "what I saw" },
      ),
    ],
    ["JSON", { title: TITLE, description: "Please look.", anonymous: true }],
  ])("sent as %s keeps no trace of who sent it", async (_, body) => {
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

  test("isn't visible to its sender afterwards, only to the team", async () => {
    const report = await world.report(omar, event, { anonymous: true });
    const sent = await world.as(maya).post(byId(), { title: TITLE, description: "x", anonymous: true });
    for (const id of [report.id, sent.body.incident.id]) {
      expect(refusal(await world.as(maya).get(`${byId()}/${id}`))).toEqual([404, "NOT_FOUND"]);
      expect(
        refusal(await world.as(maya).patch(`${byId()}/${id}/title`, { title: "Another title" })),
      ).toEqual([404, "NOT_FOUND"]);
    }
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
    ["the second one alone", "\nThe key.", [null, "The key."]],
    ["the first one alone, by a blank line for the other", "The door.\n", ["The door.", null]],
    ["all in one line", "Both from my phone.", ["Both from my phone.", "Both from my phone."]],
    ["not at all", "", [null, null]],
    ["not at all, in blank lines", " \n\n \n", [null, null]],
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
    expect(refusal(reply), reply.text).toEqual([400, "VALIDATION_ERROR"]);
    expect(reply.body.details).toMatch(/^fileDescriptions/);
    expect(newFiles()).toEqual([]);
    expect(temporary()).toEqual([]);
  });

  test("can be opened by everybody who sees the report, and each download is recorded", async () => {
    const reply = await world
      .as(maya)
      .post(byId(), buildForm(FIELDS, { name: "photo.png", bytes: await createPng() }));
    const { id, relatedFiles } = reply.body.incident;
    const other = await world.report(maya, event);
    const file = relatedFiles[0].id;
    const at = (incident: string, fileId: string) => `${byId()}/${incident}/related-files/${fileId}/download`;
    for (const person of [maya, omar, ada, sam])
      expect((await world.as(person).get(at(id, file))).status).toBe(200);
    expect((await world.as(rita).get(at(id, file))).status).toBe(404);
    for (const person of [nora, olga, viktor, ines, berta])
      expect((await world.as(person).get(at(id, file))).status).toBe(403);
    expect((await world.as(omar).get(at(other.id, file))).status).toBe(404);
    expect((await world.as(omar).get(at(id, "11111111-1111-4111-8111-111111111111"))).status).toBe(404);
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

  test("come in a form; anything but a form and JSON is refused by naming both", async () => {
    const headers = { "content-type": "text/plain" };
    const reply = await world.as(maya).send("POST", byId(), undefined, { raw: "A title", headers });
    expect([reply.status, reply.body.error]).toEqual([
      415,
      "Send this as multipart/form-data, or as application/json without files.",
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

  const web = "<!doctype html><script>alert(1)</script>";
  test.each([
    [
      "eleven",
      async () => Array.from({ length: 11 }, () => ({ name: "a.txt", bytes: text(10) })),
      413,
      "PAYLOAD_TOO_LARGE",
    ],
    [
      "a web page called a picture",
      async () => [{ name: "a.png", bytes: web, type: "image/png" }],
      415,
      "UNSUPPORTED_FILE_TYPE",
    ],
    [
      "a drawing with script",
      async () => [{ name: "a.svg", bytes: `<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>` }],
      415,
      "UNSUPPORTED_FILE_TYPE",
    ],
    [
      "a program",
      async () => [{ name: "a.pdf", bytes: Buffer.from("4d5a90000300000004000000ffff0000", "hex") }],
      415,
      "UNSUPPORTED_FILE_TYPE",
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
    ["an empty one", async () => [{ name: "a.txt", bytes: "" }], 400, "VALIDATION_ERROR"],
    [
      "one under another name",
      async () => [{ name: "a.txt", bytes: "x", field: "attachment" }],
      400,
      "VALIDATION_ERROR",
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
    expect(refusal(reply)).toEqual([400, "VALIDATION_ERROR"]);
    expect(newFiles()).toEqual([]);
    expect(temporary()).toEqual([]);
  });

  test.each([
    ["no boundary", "multipart/form-data"],
    ["a boundary of 5 kB", `multipart/form-data; boundary=${"b".repeat(5000)}`],
  ])("refuses a form with %s", async (_, type) => {
    const reply = await world
      .as(maya)
      .post(byId(), undefined, { raw: "--b--\r\n", headers: { "content-type": type } });
    expect([400, 415]).toContain(reply.status);
  });

  test("refuses a form that breaks off", async () => {
    const raw = `--b\r\nContent-Disposition: form-data; name="title"\r\n\r\n${TITLE}`;
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    expect(refusal(await world.as(maya).post(byId(), undefined, { raw, headers }))).toEqual([
      400,
      "VALIDATION_ERROR",
    ]);
    expect(temporary()).toEqual([]);
  });

  test("don't let a form repeat a field", async () => {
    const body = buildForm(FIELDS);
    body.append("title", "Another title for it");
    expect(refusal(await world.as(maya).post(byId(), body))).toEqual([400, "VALIDATION_ERROR"]);
  });
});

describe("one report", () => {
  test("shows a Reporter their own, and nobody else's", async () => {
    const report = await world.report(maya, event);
    const absent = await world.as(rita).get(`${byId()}/11111111-1111-4111-8111-111111111111`);
    for (const base of [byId(), bySlug()]) {
      expect((await world.as(maya).get(`${base}/${report.id}`)).status).toBe(200);
      const hidden = await world.as(rita).get(`${base}/${report.id}`);
      expect(refusal(hidden)).toEqual([404, "NOT_FOUND"]);
      expect(hidden.body).toEqual(absent.body);
    }
  });

  test("is found in its own event only, also by those with roles in both", async () => {
    const report = await world.report(maya, event);
    const both = await world.person("Both Events", {
      events: [
        [event, "Admin"],
        [otherEvent, "Admin"],
      ],
    });
    for (const person of [both, sam]) {
      for (const base of [byId(otherEvent), bySlug(otherEvent)]) {
        expect(refusal(await world.as(person).get(`${base}/${report.id}`))).toEqual([404, "NOT_FOUND"]);
        expect(
          refusal(await world.as(person).patch(`${base}/${report.id}/title`, { title: "Another title" })),
        ).toEqual([404, "NOT_FOUND"]);
      }
    }
  });

  test("needs the role still, also for one's own", async () => {
    const person = await world.person("Former Reporter", { events: [[event, "Reporter"]] });
    const report = await world.report(person, event);
    await world.revoke(person, event);
    expect(refusal(await world.as(person).get(`${byId()}/${report.id}`))).toEqual([403, "FORBIDDEN"]);
    expect(
      refusal(await world.as(person).patch(`${byId()}/${report.id}/title`, { title: "Another title" })),
    ).toEqual([403, "FORBIDDEN"]);
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

  test("is decided by the strongest of several roles", async () => {
    const person = await world.person("Two Roles", { events: [[event, "Reporter", "Responder"]] });
    const report = await world.report(maya, event);
    expect((await world.as(person).get(`${byId()}/${report.id}`)).status).toBe(200);
    await world.revoke(person, event, "Responder");
    expect((await world.as(person).get(`${byId()}/${report.id}`)).status).toBe(404);
  });
});

describe("changing the title", () => {
  const retitle = (person: TestPerson, base: string, report: ReportRecord, title: unknown, headers = {}) =>
    world.as(person).patch(`${base}/${report.id}/title`, { title }, { headers });

  test.each([
    ["by id", byId(), [maya, ada, sam], [omar]],
    ["by slug", bySlug(), [maya, omar, ada, sam], []],
  ] as const)("%s is changed by those who may", async (_, base, may, mayNot) => {
    const report = await world.report(maya, event);
    for (const person of may) {
      const title = `Title by ${person.name}`;
      const reply = await retitle(person, base, report, title);
      expect(reply.status, reply.text).toBe(200);
      expectShape(reply.body, { incident: INCIDENT });
      expect(reply.body.incident.title).toBe(title);
    }
    for (const person of mayNot)
      expect(refusal(await retitle(person, base, report, "A title by others"))).toEqual([403, "FORBIDDEN"]);
    expect(refusal(await retitle(rita, base, report, "A title by others"))).toEqual([404, "NOT_FOUND"]);
  });

  test("of their own report is changed by a Responder by id, too", async () => {
    const report = await world.report(omar, event);
    const reply = await retitle(omar, byId(), report, "A title of my own");
    expect([reply.status, reply.body.incident?.title]).toEqual([200, "A title of my own"]);
    await world.revoke(omar, event, "Responder");
    const refused = await retitle(omar, byId(), report, "A title by nobody");
    await world.grant(omar, event, "Responder");
    expect(refusal(refused)).toEqual([403, "FORBIDDEN"]);
  });

  test.each([
    ["9 characters", "a".repeat(9), 400],
    ["10 characters", "a".repeat(10), 200],
    ["70 flowers", "🪷".repeat(70), 200],
    ["71 characters", "a".repeat(71), 400],
    ["blanks", " ".repeat(12), 400],
    ["nothing that can be seen", "\u2800\u3164\u200b".repeat(4), 400],
    ["two lines", "The first line\nand another", 400],
    ["nothing", undefined, 400],
    ["null", null, 400],
  ])("of %s is accepted or refused by the limits", async (_, title, status) => {
    const report = await world.report(maya, event);
    for (const base of [byId(), bySlug()])
      expect((await retitle(maya, base, report, title)).status).toBe(status);
  });

  test("keeps the old one in the history, and changes nothing else", async () => {
    const report = await world.report(maya, event);
    const { incident } = (await retitle(maya, byId(), report, "A better title")).body;
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

  test("needs and accepts no other member", async () => {
    const report = await world.report(maya, event);
    const reply = await world
      .as(maya)
      .patch(`${byId()}/${report.id}/title`, { title: "A better title", state: "closed", severity: "low" });
    expect(reply.body.incident).toMatchObject({ state: "submitted", severity: null });
  });
});

const change = (person: TestPerson, report: ReportRecord, body: unknown, base = byId()) =>
  world.as(person).patch(`${base}/${report.id}/state`, body);

describe("changing the state", () => {
  const valid = (state: string) => ({ state, notes: "As we agreed.", assignedToUserId: omar.id });

  // Every state may follow every other, itself included (contract 7.5).
  const moves = STATES.flatMap((from) => STATES.map((to) => [from, to] as const));
  test.each(moves)("from %s to %s sets the documented times", async (from, to) => {
    const filed = await world.report(maya, event);
    const before = from === "submitted" ? filed : await world.move(filed, from);
    const reply = await change(omar, before, valid(to));
    expect(reply.status, reply.text).toBe(200);
    expectShape(reply.body, { incident: INCIDENT });
    const after = reply.body.incident;
    expect(after).toMatchObject({ state: to, assignedResponderId: omar.id });
    expectTimes(before, after);
    expect(Date.parse(after.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt));
    const entries = await heed.sql(
      "select action, from_value, to_value from incident_history where incident_id = $1 and action in ('state', 'reopen') order by created_at, id",
      [filed.id],
    );
    if (from === to) expect(entries.at(-1)?.to_value ?? "submitted").toBe(to);
    else expect(entries.at(-1)).toEqual({ action: "state", from_value: from, to_value: to });
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
    ["submitted", {}, 200],
    ["acknowledged", {}, 200],
    ["closed", {}, 200],
    ["investigating", { notes: "n", assignedToUserId: omar.id }, 200],
    ["investigating", { assignedToUserId: omar.id }, 400],
    ["investigating", { notes: "n" }, 400],
    ["investigating", {}, 400],
    ["investigating", { notes: "   ", assignedToUserId: omar.id }, 400],
    ["investigating", { notes: "n", assignedToUserId: "" }, 400],
    ["investigating", { notes: "n", assignedToUserId: null }, 400],
    ["resolved", { notes: "n" }, 200],
    ["resolved", {}, 400],
    ["resolved", { notes: " \n " }, 400],
    ["resolved", { notes: null }, 400],
    ["acknowledged", { notes: "n".repeat(10_000) }, 200],
    ["acknowledged", { notes: "n".repeat(10_001) }, 400],
    ["finished", { notes: "n" }, 400],
    ["Closed", {}, 400],
    ["", {}, 400],
  ])("%s with %o is %i", async (state, more, status) => {
    const report = await world.report(maya, event);
    const reply = await change(omar, report, { state, ...more });
    expect(reply.status, reply.text).toBe(status);
    if (status !== 400) return;
    expect(reply.body.code).toBe("VALIDATION_ERROR");
    expect((await world.as(omar).get(`${byId()}/${report.id}`)).body.incident).toEqual(report);
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
      expect(refusal(reply)).toEqual([400, "INVALID_ASSIGNEE"]);
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

  test("can't be changed by a Reporter, not even of their own report", async () => {
    const report = await world.report(maya, event);
    expect(refusal(await change(maya, report, { state: "closed" }))).toEqual([403, "FORBIDDEN"]);
    expect(refusal(await change(rita, report, { state: "closed" }))).toEqual([404, "NOT_FOUND"]);
  });

  test("by slug sets the same times as by id", async () => {
    const report = await world.report(maya, event);
    const reply = await change(omar, report, valid("investigating"), bySlug());
    expect(reply.status).toBe(200);
    expectTimes(report, reply.body.incident);
  });
});

describe("reopening", () => {
  const reopen = (person: TestPerson, report: ReportRecord, body: unknown) =>
    world.as(person).patch(`${byId()}/${report.id}/reopen`, body);

  test.each(["resolved", "closed"])(
    "from %s leads to investigating with an assignee, else to acknowledged",
    async (state) => {
      for (const [more, next] of [
        [{ assignedToUserId: ada.id }, "investigating"],
        [{}, "acknowledged"],
        [{ assignedToUserId: null }, "acknowledged"],
      ] as const) {
        const report = await world.move(await world.report(maya, event), state);
        const reply = await reopen(omar, report, { notes: "There is more.", ...more });
        expect(reply.status, reply.text).toBe(200);
        expectShape(reply.body, { incident: INCIDENT });
        const { incident } = reply.body;
        expect(incident).toMatchObject({
          state: next,
          resolvedAt: null,
          firstResponseAt: report.firstResponseAt,
        });
        expect(incident.reopenedAt).toBe(incident.updatedAt);
        expect(incident.assignedResponderId).toBe(
          "assignedToUserId" in more && more.assignedToUserId ? ada.id : omar.id,
        );
        const [entry] = await heed.sql(
          "select from_value, to_value from incident_history where incident_id = $1 and action = 'reopen'",
          [report.id],
        );
        expect(entry).toEqual({ from_value: state, to_value: next });
      }
    },
  );

  test.each(["submitted", "acknowledged", "investigating"])("from %s is 409", async (state) => {
    const filed = await world.report(maya, event);
    const report = state === "submitted" ? filed : await world.move(filed, state);
    expect(refusal(await reopen(omar, report, { notes: "There is more." }))).toEqual([
      409,
      "INVALID_STATE_TRANSITION",
    ]);
    expect((await world.as(omar).get(`${byId()}/${report.id}`)).body.incident).toEqual(report);
  });

  test("needs notes", async () => {
    const report = await world.move(await world.report(maya, event), "closed");
    for (const body of [{}, { notes: "" }, { notes: "  " }, { notes: null }, { assignedToUserId: ada.id }])
      expect(refusal(await reopen(omar, report, body))).toEqual([400, "VALIDATION_ERROR"]);
  });

  test("assigns nobody but the team", async () => {
    const report = await world.move(await world.report(maya, event), "closed");
    expect(refusal(await reopen(omar, report, { notes: "n", assignedToUserId: maya.id }))).toEqual([
      400,
      "INVALID_ASSIGNEE",
    ]);
  });

  test("is refused to a Reporter", async () => {
    const report = await world.move(await world.report(maya, event), "closed");
    expect(refusal(await reopen(maya, report, { notes: "n" }))).toEqual([403, "FORBIDDEN"]);
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

  test("moves the state without notes, with the same times", async () => {
    const report = await world.report(maya, event);
    for (const state of ["investigating", "resolved", "closed", "acknowledged"]) {
      const reply = await update(omar, report, { state });
      expect(reply.status, reply.text).toBe(200);
      expect(reply.body.incident.state).toBe(state);
    }
    const { incident } = (await world.as(omar).get(`${bySlug()}/${report.id}`)).body;
    expect(incident.resolvedAt).toBeNull();
    expect(incident.reopenedAt).toBe(incident.updatedAt);
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

  test("sets escalatedAt when it first becomes critical", async () => {
    const report = await world.report(maya, event, { severity: "low" });
    const escalated = (await update(omar, report, { severity: "critical" })).body.incident;
    expect(escalated.escalatedAt).toBe(escalated.updatedAt);
    await update(omar, report, { severity: "low" });
    const again = (await update(omar, report, { severity: "critical" })).body.incident;
    expect(again.escalatedAt).toBe(escalated.escalatedAt);
  });

  test("escalates a report whose first response comes after its deadline, as the job would have", async () => {
    const file = async (age: string) => {
      const report = await world.report(maya, event);
      await ageReport(heed, report.id, age);
      return report;
    };
    // The job that escalates has to come neither before the response nor between the two changes.
    await waitBetweenFiveMinuteJobs();
    const late = await file("25 hours");
    const assigned = (await update(omar, late, { assignedResponderId: omar.id })).body.incident;
    expect([assigned.state, assigned.escalatedAt]).toEqual(["submitted", null]);
    const answered = (await update(omar, late, { state: "acknowledged" })).body.incident;
    expect(answered.escalatedAt).toBe(answered.firstResponseAt);
    const entries = await heed.sql(
      "select action, actor_id, to_value from incident_history where incident_id = $1 order by created_at, id",
      [late.id],
    );
    expect(entries.slice(-2)).toEqual([
      { action: "deadline", actor_id: null, to_value: "24 h" },
      { action: "state", actor_id: omar.id, to_value: "acknowledged" },
    ]);
    const inTime = await file("23 hours");
    expect((await update(omar, inTime, { state: "closed" })).body.incident.escalatedAt).toBeNull();
    const reopened = (await update(omar, inTime, { state: "acknowledged" })).body.incident;
    expect(reopened.escalatedAt).toBeNull();
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

  test.each([
    ["nothing", {}],
    ["nothing that it knows", { title: "Another title for it" }],
    ["an unknown state", { state: "done" }],
    ["an unknown severity", { severity: "urgent" }],
    ["an assignee that is no id", { assignedResponderId: "omar" }],
    ["a resolution that is too long", { resolution: "r".repeat(10_001) }],
    ["a good and a bad member", { severity: "low", state: "done" }],
  ])("refuses %s", async (_, body) => {
    const report = await world.report(maya, event);
    expect(refusal(await update(omar, report, body))).toEqual([400, "VALIDATION_ERROR"]);
    expect((await world.as(omar).get(`${bySlug()}/${report.id}`)).body.incident).toEqual(report);
  });

  test("assigns nobody but the team, and changes nothing then", async () => {
    const report = await world.report(maya, event);
    for (const { id } of [maya, berta, nora])
      expect(refusal(await update(omar, report, { assignedResponderId: id, severity: "low" }))).toEqual([
        400,
        "INVALID_ASSIGNEE",
      ]);
    expect((await world.as(omar).get(`${bySlug()}/${report.id}`)).body.incident).toEqual(report);
  });

  test("ignores members that only the service sets", async () => {
    const report = await world.report(maya, event);
    const more = {
      id: generateUniqueWord(),
      reporterId: rita.id,
      eventId: otherEvent.id,
      createdAt: "2020-01-01",
      resolvedAt: "2020-01-01T00:00:00Z",
      title: "Another title for it",
    };
    const { incident } = (await update(omar, report, { severity: "low", ...more })).body;
    expect({ ...incident, severity: null, updatedAt: report.updatedAt }).toEqual(report);
  });

  test("is for the team only", async () => {
    const report = await world.report(maya, event);
    expect(refusal(await update(maya, report, { severity: "low" }))).toEqual([403, "FORBIDDEN"]);
    expect(refusal(await update(rita, report, { severity: "low" }))).toEqual([404, "NOT_FOUND"]);
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
    expect(refusal(stale)).toEqual([409, "CONFLICT"]);
    const { incident } = (await world.as(ada).get(`${byId()}/${report.id}`)).body;
    expect(incident).toEqual(fresh.body.incident);
  });

  test("is optional", async () => {
    const report = await world.report(maya, event);
    for (const headers of [{}, { "if-match": "*" }])
      expect(
        (await world.as(ada).patch(`${byId()}/${report.id}/title`, { title: "Another title" }, { headers }))
          .status,
      ).toBe(200);
  });
});
