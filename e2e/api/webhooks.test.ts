import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { waitForMails } from "#e2e/support/outbox.ts";
import { startWebhookReceiver } from "#e2e/support/receiver.ts";
import { ApiDescription, type Json } from "#e2e/support/api-description.ts";
import { startService } from "#e2e/support/service.ts";
import {
  checkCount,
  checkExactly,
  expectShape,
  checkList,
  checkNullable,
  PAGINATION,
  checkRecord,
  checkText,
  checkTime,
  checkUrl,
  checkUuid,
  checkBoolean,
} from "#e2e/support/shapes.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { PASSWORD, TestWorld, type TestPerson } from "#e2e/support/world.ts";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";

/** Webhooks of an organization, delivered to a server that this test runs. */

const heed = await startService({ WEBHOOK_PRIVATE_TARGETS: "on" });
const receiver = await startWebhookReceiver();
const world = await TestWorld.build(heed);
const { ada, bruno, event, foreignOrganization, maya, olga, omar, organization } = world;

const WEBHOOK = checkRecord({
  id: checkUuid,
  organizationId: checkUuid,
  url: checkUrl,
  kinds: checkList(checkText),
  description: checkNullable(checkText),
  enabled: checkBoolean,
  disabledAt: checkNullable(checkTime),
  disabledReason: checkNullable(checkExactly("person", "failures")),
  failingSince: checkNullable(checkTime),
  createdAt: checkTime,
  updatedAt: checkTime,
});
const DELIVERY = checkRecord({
  id: checkUuid,
  kind: checkText,
  payload: checkRecord({
    kind: checkText,
    at: checkTime,
    organizationId: checkUuid,
    eventId: checkNullable(checkUuid),
    incidentId: checkNullable(checkUuid),
    state: checkNullable(checkText),
  }),
  state: checkExactly("waiting", "delivered", "failed"),
  attempts: checkCount,
  responseStatus: checkNullable(checkCount),
  failure: checkNullable(checkText),
  durationMs: checkNullable(checkCount),
  createdAt: checkTime,
  attemptedAt: checkNullable(checkTime),
  deliveredAt: checkNullable(checkTime),
});

const PATH = `/api/organizations/${organization.id}/webhooks`;
const wanted = { url: `${receiver.url}/heed?token=t-1`, kinds: ["incident.created", "incident.state"] };
const create = (changes: object = {}, who: TestPerson = olga) =>
  world.as(who).post(PATH, { ...wanted, ...changes });
const made = async (changes: object = {}): Promise<{ id: string; secret: string }> => {
  const { body } = await create(changes);
  return { id: body.webhook.id, secret: body.secret };
};
const show = async (id: string) => (await world.as(olga).get(`${PATH}/${id}`)).body.webhook;
const deliveries = async (id: string): Promise<any[]> =>
  (await world.as(olga).get(`${PATH}/${id}/deliveries`)).body.deliveries;
const firstDelivery = (id: string, fits: (delivery: any) => boolean) =>
  waitUntil("a delivery", async () => (await deliveries(id)).find(fits), 60_000);
/** What waits to be tried again is tried now. */
const hurry = () => heed.sql("update graphile_worker._private_jobs set run_at = now() where attempts > 0");

const answer = (status: number, headers: Record<string, string> = {}, body = "") =>
  receiver.answers.push((response) => void response.writeHead(status, headers).end(body));
/** Fails three times: what was refused is tried again after two seconds, before or after it has been looked at. */
const fail = (body = "") => {
  for (let count = 0; count < 3; count += 1) answer(500, {}, body);
};

beforeEach(async () => {
  await heed.sql("delete from webhooks");
  receiver.letters.length = 0;
  receiver.answers.length = 0;
});

describe("setting up", () => {
  test("shows the secret once, and keeps it sealed", async () => {
    const reply = await create({ description: " For the desk. " });
    expect(reply.status).toBe(201);
    expectShape(reply.body, { message: checkText, webhook: WEBHOOK, secret: checkText });
    const { webhook, secret } = reply.body;
    expect(secret).toMatch(/^whsec_[\w-]{43}$/);
    expect(webhook).toMatchObject({
      ...wanted,
      description: "For the desk.",
      enabled: true,
      disabledAt: null,
    });
    const one = await world.as(olga).get(`${PATH}/${webhook.id}`);
    expectShape(one.body, { webhook: WEBHOOK });
    // A page beyond what the database client can skip.
    for (const list of [PATH, `${PATH}/${webhook.id}/deliveries`])
      expect((await world.as(olga).get(`${list}?page=999999999&limit=100`)).status, list).toBe(200);
    const all = await world.as(olga).get(PATH);
    expectShape(all.body, { webhooks: checkList(WEBHOOK), pagination: PAGINATION });
    expect(all.body.webhooks).toEqual([webhook]);
    expect(one.text + all.text).not.toContain(secret);
    const [row] = await heed.sql(
      "select secret, (select json_agg(a)::text from audit_entries a) as log from webhooks",
    );
    expect(Buffer.from(row?.secret).includes(secret)).toBe(false);
    expect(row?.log).toContain("webhook.create");
    expect(row?.log).not.toContain("token=t-1");
  });

  test.each([
    { url: "ftp://127.0.0.1/x" },
    { kinds: ["incident.deleted"] },
    { description: "d".repeat(201) },
  ])("refuses %j", async (changes) => {
    const reply = await create(changes);
    expect([reply.status, reply.body.code]).toEqual([400, "VALIDATION_ERROR"]);
    expect(await heed.rows("webhooks")).toBe(0);
  });

  test("is of one organization: to its neighbour it doesn't exist", async () => {
    const { id } = await made();
    const foreign = `/api/organizations/${foreignOrganization.id}/webhooks/${id}`;
    const ask = world.as(bruno);
    const replies = [
      await ask.get(foreign),
      await ask.patch(foreign, { enabled: false }),
      await ask.delete(foreign),
      await ask.post(`${foreign}/test`),
      await ask.post(`${foreign}/secret`),
      await ask.get(`${foreign}/deliveries`),
    ];
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
    expect((await show(id)).enabled).toBe(true);
  });

  test("ends at twenty, however many come at once", async () => {
    await Promise.all(Array.from({ length: 17 }, () => create()));
    const replies = await Promise.all(Array.from({ length: 8 }, () => create()));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(replies.filter(({ body }) => body.code === "CONFLICT")).toHaveLength(5);
    expect(await heed.rows("webhooks")).toBe(20);
  });

  test("is changed, turned off and on, and removed", async () => {
    const { id } = await made();
    const change = async (body: object) => (await world.as(olga).patch(`${PATH}/${id}`, body)).body.webhook;
    expect(await change({ kinds: ["note.created", "note.created"] })).toMatchObject({
      kinds: ["note.created"],
    });
    expect(await change({ enabled: false })).toMatchObject({ enabled: false, disabledReason: "person" });
    expect(await change({ enabled: true })).toMatchObject({
      enabled: true,
      disabledAt: null,
      disabledReason: null,
    });
    expect((await world.as(olga).patch(`${PATH}/${id}`, {})).status).toBe(400);
    const removed = await world.as(olga).delete(`${PATH}/${id}`);
    expect(removed.status).toBe(200);
    expect((await world.as(olga).get(`${PATH}/${id}`)).status).toBe(404);
    expect((await world.as(olga).delete(`${PATH}/${id}`)).status).toBe(404);
  });

  test("goes with its organization", async () => {
    const place = await world.newOrganization();
    await world.join(olga, place, "org_admin");
    const path = `/api/organizations/${place.id}/webhooks`;
    const { webhook } = (await world.as(olga).post(path, wanted)).body;
    await world.as(world.sam).delete(`/api/organizations/${place.id}`);
    expect(await heed.rows("webhooks", "id = $1", [webhook.id])).toBe(0);
  });
});

describe("a delivery", () => {
  test("is signed, and holds ids and states only", async () => {
    const { id, secret } = await made();
    const marked = { title: "Marker-7781 in a title", description: "Marker-7781", location: "Marker-7781" };
    const report = await world.report(maya, event, marked);
    const delivery = await firstDelivery(id, ({ state }) => state === "delivered");
    expect(delivery).toMatchObject({
      kind: "incident.created",
      attempts: 1,
      responseStatus: 204,
      failure: null,
    });
    expectShape((await world.as(olga).get(`${PATH}/${id}/deliveries`)).body, {
      deliveries: checkList(DELIVERY),
      pagination: PAGINATION,
    });
    const [letter, ...others] = receiver.letters;
    expect(others).toEqual([]);
    expect(letter?.path).toBe("/heed?token=t-1");
    const { headers, body = "" } = letter ?? {};
    expect(headers?.["heed-webhook-id"]).toBe(delivery.id);
    expect(headers?.["content-type"]).toBe("application/json");
    const timestamp = headers?.["heed-timestamp"];
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(30);
    const mac = createHmac("sha256", secret).update(`${delivery.id}.${timestamp}.${body}`).digest("hex");
    expect(headers?.["heed-signature"]).toBe(`v1=${mac}`);
    expectShape(JSON.parse(body), {
      id: checkExactly(delivery.id),
      kind: checkExactly("incident.created"),
      at: checkTime,
      organizationId: checkExactly(organization.id),
      eventId: checkExactly(event.id),
      incidentId: checkExactly(report.id),
      state: checkNullable(checkText),
    });
    for (const word of ["Marker-7781", maya.id, maya.name, maya.email]) expect(body).not.toContain(word);
  });

  test("is what the OpenAPI document describes, headers and body", async () => {
    const { secret } = await made({ kinds: ["incident.created", "role.changed", "invite.changed"] });
    await world.report(maya, event);
    await world.as(ada).post(`/api/events/${event.id}/invites`, { role: "Reporter" });
    await world.as(olga).post(`/api/organizations/${organization.id}/invites`, { role: "org_viewer" });
    await waitUntil("three deliveries", () => receiver.letters.length === 3);

    const { document } = new ApiDescription((await world.nobody.get("/api/openapi.json")).body);
    const { post } = document.webhooks.delivery;
    const ajv = new Ajv2020({ strict: true, strictTypes: false });
    addFormats.default(ajv);
    const body = ajv.compile(post.requestBody.content["application/json"].schema);
    expect(post.parameters.map(({ name }: { name: string }) => name)).toEqual([
      "Heed-Webhook-Id",
      "Heed-Timestamp",
      "Heed-Signature",
    ]);
    for (const letter of receiver.letters) {
      expect(body(JSON.parse(letter.body)) ? [] : body.errors).toEqual([]);
      const [id, timestamp, signature] = post.parameters.map(({ name, in: place, required, schema }: any) => {
        expect([place, required]).toEqual(["header", true]);
        const value = letter.headers[name.toLowerCase()];
        expect(ajv.validate(schema, value), `${name}: ${value}`).toBe(true);
        return value;
      });
      const mac = createHmac("sha256", secret).update(`${id}.${timestamp}.${letter.body}`).digest("hex");
      expect(signature).toBe(`v1=${mac}`);
    }
    for (const wrong of [{ ...JSON.parse(receiver.letters[0]?.body ?? ""), title: "x" }, { kind: "x" }, []])
      expect(body(wrong)).toBe(false);
  });

  test("is sent for the chosen kinds, of this organization, without people", async () => {
    const { id } = await made();
    const report = await world.report(omar, event, { anonymous: true });
    await world.report(world.boris, world.foreignEvent);
    await world.move(report, "acknowledged", { notes: "Marker-7781" });
    await firstDelivery(id, ({ kind, state }) => kind === "incident.state" && state === "delivered");
    const bodies = receiver.letters.map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ kind, incidentId, state }) => [kind, incidentId, state]).toSorted()).toEqual([
      ["incident.created", report.id, bodies.find(({ kind }) => kind === "incident.created").state],
      ["incident.state", report.id, "acknowledged"],
    ]);
    for (const { body } of receiver.letters)
      for (const word of ["Marker-7781", omar.id, world.sam.id]) expect(body).not.toContain(word);
  });

  test("is sent for an edited note and a new title, without their text or that a change is the team's own", async () => {
    await made({ kinds: ["incident.changed"] });
    const { id } = await world.report(maya, event);
    const [as, incident] = [world.as(omar), `/api/events/${event.id}/incidents/${id}`];
    const { comment } = (await as.post(`${incident}/comments`, { body: "Marker-7781" })).body;
    const edited = await as.patch(`${incident}/comments/${comment.id}`, { body: "Marker-7781, edited" });
    expect(edited.status, edited.text).toBe(200);
    const titled = await as.patch(`/api/events/slug/${event.slug}/incidents/${id}/title`, {
      title: "Marker-7781 in a title",
    });
    expect(titled.status, titled.text).toBe(200);
    await waitUntil("two deliveries", () => receiver.letters.length === 2);
    const sent = receiver.letters.map(({ body }) => JSON.parse(body));
    for (const { kind, incidentId } of sent) expect([kind, incidentId]).toEqual(["incident.changed", id]);
    expect(JSON.stringify(receiver.letters)).not.toMatch(/Marker|Inside/);
  });

  test("waits for the one before it, and not for longer", async () => {
    await made();
    const reports = [];
    for (let filed = 0; filed < 16; filed += 1) reports.push(await world.report(maya, event));
    // If each waited until the queue polls again, two seconds later, it would take longer than this.
    await waitUntil("all of them", () => receiver.letters.length === reports.length, 30_000);
    const delivered = receiver.letters.map(({ body }) => JSON.parse(body).incidentId);
    expect(delivered).toEqual(reports.map(({ id }) => id));
  });

  test("is tried again until it is taken", async () => {
    const { id } = await made();
    fail("x".repeat(100_000));
    await world.report(maya, event);
    const failed = await firstDelivery(id, ({ attempts }) => attempts > 0);
    expect(failed).toMatchObject({ state: "waiting", responseStatus: 500, failure: null, deliveredAt: null });
    expect((await show(id)).failingSince).not.toBeNull();
    receiver.answers.length = 0;
    await hurry();
    const taken = await firstDelivery(id, ({ state }) => state === "delivered");
    expect(taken).toMatchObject({ id: failed.id, responseStatus: 204 });
    expect(taken.attempts).toBeGreaterThan(failed.attempts);
    expect((await show(id)).failingSince).toBeNull();
    const ids = receiver.letters.map(({ headers }) => headers["heed-webhook-id"]);
    expect(ids).toEqual(Array.from({ length: taken.attempts }, () => failed.id));
  });

  test("follows no redirect", async () => {
    const { id } = await made();
    answer(302, { location: `${receiver.url}/elsewhere` });
    await world.as(olga).post(`${PATH}/${id}/test`);
    const delivery = await firstDelivery(id, ({ state }) => state !== "waiting");
    expect(delivery).toMatchObject({
      kind: "webhook.test",
      state: "failed",
      responseStatus: 302,
      failure: "redirect",
    });
    expect(receiver.letters.map(({ path }) => path)).toEqual(["/heed?token=t-1"]);
  });

  test("gives up a receiver that doesn't respond, while others are served", async () => {
    const { id } = await made();
    const other = await made({ url: `${receiver.url}/other` });
    receiver.answers.push(() => {});
    await world.as(olga).post(`${PATH}/${id}/test`);
    await waitUntil("the silent request", () => receiver.letters.length === 1);
    await world.as(olga).post(`${PATH}/${other.id}/test`);
    const served = await firstDelivery(other.id, ({ state }) => state === "delivered");
    const delivery = await firstDelivery(id, ({ state }) => state === "failed");
    expect(delivery).toMatchObject({ responseStatus: null, failure: "timeout" });
    expect(delivery.durationMs).toBeGreaterThan(9000);
    // `attemptedAt` is when the attempt has ended.
    expect(Date.parse(served.deliveredAt)).toBeLessThan(Date.parse(delivery.attemptedAt));
  });

  test("to a closed port says so", async () => {
    const { id } = await made({ url: "http://127.0.0.1:1/heed" });
    await world.as(olga).post(`${PATH}/${id}/test`);
    expect(await firstDelivery(id, ({ state }) => state === "failed")).toMatchObject({ failure: "refused" });
  });

  test("is sent again as a new one", async () => {
    const { id } = await made();
    await world.report(maya, event);
    const first = await firstDelivery(id, ({ state }) => state === "delivered");
    const reply = await world.as(olga).post(`${PATH}/${id}/deliveries/${first.id}/redeliver`);
    expect(reply.status).toBe(201);
    expectShape(reply.body, { message: checkText, delivery: DELIVERY });
    const { delivery } = reply.body;
    expect(delivery.id).not.toBe(first.id);
    await firstDelivery(id, (one) => one.id === delivery.id && one.state === "delivered");
    const [before, after] = receiver.letters.map(({ body }) => JSON.parse(body));
    expect(after).toEqual({ ...before, id: delivery.id });
    const other = await made();
    const stray = await world.as(olga).post(`${PATH}/${other.id}/deliveries/${first.id}/redeliver`);
    expect(stray.status).toBe(404);
  });

  test("is signed with the new secret after a change of it", async () => {
    const { id, secret } = await made();
    const reply = await world.as(olga).post(`${PATH}/${id}/secret`);
    expectShape(reply.body, { message: checkText, secret: checkText });
    expect(reply.body.secret).not.toBe(secret);
    await world.as(olga).post(`${PATH}/${id}/test`);
    await firstDelivery(id, ({ state }) => state === "delivered");
    const { headers, body = "" } = receiver.letters[0] ?? {};
    const signed = `${headers?.["heed-webhook-id"]}.${headers?.["heed-timestamp"]}.${body}`;
    const mac = createHmac("sha256", reply.body.secret).update(signed).digest("hex");
    expect(headers?.["heed-signature"]).toBe(`v1=${mac}`);
  });

  test("is swept after thirty days", async () => {
    const { id } = await made();
    for (let sent = 0; sent < 2; sent += 1) await world.as(olga).post(`${PATH}/${id}/test`);
    await waitUntil("both", async () => (await deliveries(id)).every(({ state }) => state === "delivered"));
    await heed.sql(
      "update webhook_deliveries set created_at = now() - interval '31 days' where id = (select id from webhook_deliveries where webhook_id = $1 limit 1)",
      [id],
    );
    await heed.sql("select graphile_worker.add_job('sweepNotifications', '{}'::json)");
    await waitUntil("the sweep", async () => (await deliveries(id)).length === 1);
  });
});

describe("lasting failure", () => {
  test("of three days turns a webhook off, with a mail to the org_admins", async () => {
    const { id } = await made();
    await heed.sql("update webhooks set failing_since = now() - interval '71 hours' where id = $1", [id]);
    fail();
    await world.report(maya, event);
    await firstDelivery(id, ({ attempts }) => attempts > 0);
    expect((await show(id)).enabled).toBe(true);
    await heed.sql("update webhooks set failing_since = now() - interval '73 hours' where id = $1", [id]);
    await hurry();
    const off = await waitUntil("the end of it", async () => {
      const webhook = await show(id);
      return !webhook.enabled && webhook;
    });
    expect(off).toMatchObject({ enabled: false, disabledReason: "failures" });
    const [mail, ...others] = (await waitForMails(heed, olga.email)).filter(
      ({ subject }) => subject === "A webhook was turned off",
    );
    expect(others).toEqual([]);
    expect(mail?.text).toContain(organization.name);
    expect(mail?.text).not.toContain(receiver.url);
    expect(await heed.rows("audit_entries", "action = 'webhook.disable' and object_id = $1", [id])).toBe(1);

    // Nothing more is made for it, and nothing sent, until it is turned on again.
    const sent = receiver.letters.length;
    await world.report(maya, event);
    const probe = await made({ url: `${receiver.url}/probe` });
    await world.report(ada, event);
    await firstDelivery(probe.id, ({ attempts }) => attempts > 0);
    // Nothing more comes of it, now or during the next test.
    await world.as(olga).delete(`${PATH}/${probe.id}`);
    expect((await deliveries(id)).length).toBe(1);
    expect(receiver.letters.slice(sent).map(({ path }) => path)).not.toContain("/heed?token=t-1");
    const [only] = await deliveries(id);
    expect(only.state).toBe("failed");
    const again = await world.as(olga).post(`${PATH}/${id}/deliveries/${only.id}/redeliver`);
    expect([again.status, again.body.code]).toEqual([409, "CONFLICT"]);
    receiver.answers.length = 0;
    await world.as(olga).patch(`${PATH}/${id}`, { enabled: true });
    expect(await show(id)).toMatchObject({ enabled: true, failingSince: null });
    const report = await world.report(maya, event);
    await firstDelivery(
      id,
      ({ state, payload }) => state === "delivered" && payload.incidentId === report.id,
    );
  });

  test("ends what waits when the webhook is turned off by a person", async () => {
    const { id } = await made();
    fail();
    await world.report(maya, event);
    await firstDelivery(id, ({ attempts }) => attempts > 0);
    await world.as(olga).patch(`${PATH}/${id}`, { enabled: false });
    const sent = receiver.letters.length;
    await hurry();
    expect(await firstDelivery(id, ({ state }) => state === "failed")).toMatchObject({ failure: "disabled" });
    expect(receiver.letters).toHaveLength(sent);
  });
});

/** docs/clients.md, whose snippets are run as they stand there. */
describe("the guide for programs", async () => {
  const guide = fs.readFileSync(path.join(PROJECT_ROOT, "docs/clients.md"), "utf8");
  const listSnippets = (language: string): string =>
    [...guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
      .filter(([, kind]) => kind === language)
      .map(([, , code]) => code)
      .join("\n");
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-guide-"));
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
  const run = (file: string, args: string[], env: object) =>
    promisify(execFile)(file, args, { cwd: folder, env: { ...process.env, BASE: heed.url, ...env } });
  const apart = await world.newEvent(organization, "Apart from the others");
  const integrator = await world.person("Integrating Person", {
    organization: [organization, "org_admin"],
    events: [[apart, "Admin"]],
  });

  test("does what it says, from a session to a webhook", async () => {
    for (let count = 0; count < 3; count += 1) await world.report(integrator, apart);
    fs.writeFileSync(path.join(folder, "guide.mjs"), listSnippets("js"));
    const env = { EMAIL: integrator.email, PASSWORD, EVENT: apart.slug };
    const { stdout } = await run(process.execPath, ["guide.mjs"], env);
    // Two files and the replay, four reports on two pages, the first event, and the delivery.
    expect(stdout.split("\n")).toEqual(["2 true", "4", "notification", "webhook.test", ""]);
  });

  test("sends files with curl", async () => {
    const made = await world.as(integrator).post("/api/users/me/tokens", {
      name: "curl",
      scope: "write",
      currentPassword: PASSWORD,
    });
    for (const name of ["heard.txt", "seen.txt"]) fs.writeFileSync(path.join(folder, name), name);
    const env = { TOKEN: made.body.token, EVENT: apart.slug };
    const { stdout } = await run("sh", ["-euc", listSnippets("sh")], env);
    expect(JSON.parse(stdout).incident.relatedFiles.map(({ filename }: Json) => filename)).toEqual([
      "heard.txt",
      "seen.txt",
    ]);
  });

  test("is what the reference links to", async () => {
    expect((await world.nobody.get("/reference")).text).toContain('href="/reference/docs/clients.md"');
    expect((await world.nobody.get("/reference/docs/clients.md")).text).toBe(guide);
  });

  test("links to documents that the service has, and to no others", async () => {
    const links = [...guide.matchAll(/\]\(([^):]*)\)/g)].map(([, link]) => link);
    expect(links).toContain("contract.md");
    for (const link of links) expect((await world.nobody.get(`/reference/docs/${link}`)).text).toMatch(/^# /);
    expect((await fetch(`${heed.url}/reference/docs/operating.md`)).status).toBe(404);
  });
});
