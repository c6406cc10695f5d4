import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Client, Reply } from "#e2e/support/client.ts";
import { buildForm, createPng } from "#e2e/support/evidence.ts";
import { summarizeResponse } from "#e2e/support/concurrent-requests.ts";
import { startProductionService } from "#e2e/support/service.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { PASSWORD, TestWorld, type EventRef, type TestPerson } from "#e2e/support/world.ts";

/** Rate limits lower than the usual ones: whom they refuse, and what responses say of them (contract 3.19, docs/decisions/056). */

const heed = await startProductionService({
  TRUSTED_PROXIES: "127.0.0.1, ::1",
  HEED_PROCESSES: "1",
  RATE_GENERAL_USER_PER_MINUTE: "10",
  RATE_JOIN_USER_PER_HOUR: "2",
  RATE_LOOKUP_ADDRESS_PER_MINUTE: "2",
  RATE_REPORT_USER_PER_HOUR: "2",
});
const world = await TestWorld.build(heed);
const { event, maya, nora, organization } = world;

const limitsOf = ({ headers }: Reply) => [headers["ratelimit-policy"], headers.ratelimit];
/** What is left of a limit. */
const restOf = ({ headers }: Reply, limit = "general") =>
  Number(new RegExp(`"${limit}";r=(\\d+);t=\\d+`).exec(String(headers.ratelimit))?.[1]);

async function tokenOf(person: TestPerson): Promise<{ headers: Record<string, string> }> {
  const token = `heed_${randomBytes(32).toString("base64url")}`;
  await heed.sql(
    `insert into api_tokens (user_id, name, token_hash, scope, expires_at)
     values ($1, 'Script', sha256($2::bytea), 'write', now() + interval '1 day')`,
    [person.id, token],
  );
  return { headers: { authorization: `Bearer ${token}` } };
}

const GENERAL = '"general";q=10;w=60';
const report = { title: "Shouting at the door", description: "It went on for a while." };
const incidents = `/api/events/${event.id}/incidents`;
const file = (session: Client, body: object, ask = {}) =>
  session.post(incidents, body, { mayWrite: true, ...ask });

describe("a call of a person", () => {
  test("says what is left of the general limit, each time one less, and also when it is refused", async () => {
    const client = await world.device(await world.person("Counting Person"));
    const first = await client.get("/api/users/me");
    expect(first.headers["ratelimit-policy"]).toBe(GENERAL);
    expect(first.headers.ratelimit).toMatch(/^"general";r=9;t=([1-5]?\d|60|61)$/);
    const refused = await client.get(incidents);
    expect([refused.status, restOf(refused)]).toEqual([403, 8]);
    const missing = await client.get(`/api/events/${maya.id}`);
    expect([missing.status, restOf(missing)]).toEqual([404, 7]);
    // Through Next as well: a body that nothing reads keeps a request there (decision 026).
    expect(restOf(await client.get("/api/users/me", { raw: "{}" }))).toBe(6);
  });

  test("with a token counts apart from what the person does in a session", async () => {
    const person = await world.person("Watched Person");
    const [client, token] = [await world.device(person), await tokenOf(person)];
    expect(restOf(await heed.visitor().get("/api/users/me", token))).toBe(9);
    for (let count = 0; count < 3; count += 1) await client.get("/api/users/me");
    expect(restOf(await heed.visitor().get("/api/users/me", token))).toBe(8);
    expect(restOf(await client.get("/api/users/me"))).toBe(6);
  });

  test("that reports or uploads doesn't say how many reports or uploads are left", async () => {
    const person = await world.person("Quiet Reporter", { events: [[event, "Reporter"]] });
    const client = await world.device(person);
    const reply = await file(client, { ...report, anonymous: true });
    expect([reply.status, reply.headers["ratelimit-policy"], reply.headers.ratelimit]).toEqual([
      201,
      `${GENERAL}, "report";q=2;w=3600`,
      expect.stringMatching(/^"general";r=9;t=\d+$/),
    ]);
    const { id } = (await file(client, report)).body.incident;
    const refused = await file(client, report);
    expect(limitsOf(refused)).toEqual([
      '"report";q=2;w=3600',
      `"report";r=0;t=${refused.headers["retry-after"]}`,
    ]);
    const png = { field: "relatedFiles", name: "a.png", bytes: await createPng(), type: "image/png" };
    const added = await client.post(`${incidents}/${id}/related-files`, buildForm({}, png));
    expect([added.status, ...limitsOf(added)]).toEqual([201, '"upload";q=60;w=3600', undefined]);
  });
});

describe("a call without a person", () => {
  test("says what is left for its address", async () => {
    const at = { headers: { "x-forwarded-for": "198.51.100.7" } };
    const check = await heed.visitor().get("/api/auth/check-email?email=a@example.org", at);
    expect(limitsOf(check)).toEqual(['"lookup";q=2;w=60', expect.stringMatching(/^"lookup";r=1;t=\d+$/)]);
    const other = await heed.visitor().get("/api/users/me", at);
    expect([other.status, other.headers["ratelimit-policy"]]).toEqual([401, '"anonymous";q=600;w=60']);
    expect(restOf(other, "anonymous")).toBe(599);
  });

  test("to the mailbox never says what others at its address did", async () => {
    const reply = await heed.visitor().get("/api/mailbox");
    expect([reply.status, ...limitsOf(reply)]).toEqual([401, '"anonymous";q=600;w=60', undefined]);
  });

  test("for a reset link says the same whether or not there is an account", async () => {
    const ask = async (email: string, address: string) => {
      const headers = { "x-forwarded-for": address };
      return heed.visitor().post("/api/auth/forgot-password", { email }, { headers, mayWrite: true });
    };
    const replies = [await ask(nora.email, "198.51.100.8"), await ask("nobody@example.org", "198.51.100.9")];
    for (const reply of replies)
      expect(limitsOf(reply)).toEqual([
        '"forgot";q=60;w=3600',
        expect.stringMatching(/^"forgot";r=59;t=\d+$/),
      ]);
  });
});

describe("no header of limits", () => {
  test("comes with what is never refused", async () => {
    const client = await world.device(await world.person("Leaving Person"));
    const reply = await client.post("/api/auth/logout", {});
    expect([reply.status, ...limitsOf(reply)]).toEqual([200, undefined, undefined]);
  });

  test("comes with a response that others may get from a cache", async () => {
    const admin = world.as(world.ada);
    const logo = { field: "logo", name: "logo.png", bytes: await createPng(), type: "image/png" };
    expect((await admin.post(`/api/events/slug/${event.slug}/logo`, buildForm({}, logo))).status).toBe(200);
    const read = (headers = {}) => admin.get(`/api/events/slug/${event.slug}/logo`, { headers });
    const shown = await read();
    expect([shown.status, shown.headers["cache-control"]]).toEqual([200, expect.stringMatching(/^public/)]);
    expect(limitsOf(shown)).toEqual([undefined, undefined]);
    const known = await read({ "if-none-match": String(shown.headers.etag) });
    expect([known.status, ...limitsOf(known)]).toEqual([304, undefined, undefined]);
  });
});

/** Sends a request until it is refused. @returns how often it was accepted, and the response that refuses it */
async function sendUntilRefused(
  request: () => Promise<Reply>,
): Promise<{ accepted: number; refused: Reply }> {
  for (let accepted = 0; accepted <= 20; accepted += 1) {
    const reply = await request();
    if (reply.status >= 400) return { accepted, refused: reply };
  }
  throw new Error("No request was refused.");
}

describe("a limit", () => {
  test("counts the requests of all personal tokens of a person together, and not those of others", async () => {
    const person = await world.person("Counted Person");
    const tokens = [await tokenOf(person), await tokenOf(person)];
    let sent = 0;
    const { accepted, refused } = await sendUntilRefused(() =>
      heed.visitor().get("/api/users/me", tokens[(sent += 1) % 2]),
    );
    expect([accepted, ...summarizeResponse(refused)]).toEqual([10, 429, "RATE_LIMITED"]);
    expect((await heed.visitor().get("/api/users/me", await tokenOf(nora))).status).toBe(200);
  });

  test("counts the requests of each service token", async () => {
    const place = await world.newOrganization("Counted Guild");
    const admin = await world.person("Admin of the Guild", {
      organization: [place, "org_admin"],
      events: [[await world.newEvent(place), "Admin"]],
    });
    const make = async () => {
      const wanted = { name: "Script", scope: "read", currentPassword: PASSWORD };
      const { body } = await world.as(admin).post(`/api/organizations/${place.id}/tokens`, wanted);
      return { headers: { authorization: `Bearer ${body.token}` } };
    };
    const [first, second] = [await make(), await make()];
    const ask = (token: typeof first) => heed.visitor().get(`/api/organizations/${place.id}/events`, token);
    const { accepted, refused } = await sendUntilRefused(() => ask(first));
    expect([accepted, refused.status]).toEqual([10, 429]);
    expect((await ask(second)).status).toBe(200);
  });

  test("lets a person join only so many events an hour, and send only so many reports without a role", async () => {
    const events: EventRef[] = [];
    for (let made = 0; made < 3; made += 1) events.push(await world.newEvent(organization));
    const person = await world.person("Tireless Person");
    const outcomes = [];
    for (const { slug } of events)
      outcomes.push(summarizeResponse(await world.as(person).post(`/api/events/slug/${slug}/join`)));
    expect(outcomes).toEqual([[200], [200], [429, "RATE_LIMITED"]]);
    const sender = await world.person("Tireless Sender");
    const sent = [];
    for (const { slug } of events) {
      const reply = await world
        .as(sender)
        .post(`/api/events/slug/${slug}/reports`, { ...report, anonymous: true });
      sent.push(summarizeResponse(reply));
    }
    expect(sent).toEqual([[201], [201], [429, "RATE_LIMITED"]]);
  });

  test("writes a line to the log when it refuses", async () => {
    const at = { headers: { "x-forwarded-for": "198.51.100.10" } };
    const { accepted, refused } = await sendUntilRefused(() =>
      heed.visitor().get("/api/auth/check-email?email=a@example.org", at),
    );
    expect([accepted, refused.status]).toEqual([2, 429]);
    const line = await waitUntil("the refusal in the log", () =>
      heed.process
        .output()
        .split("\n")
        .filter((text) => text.startsWith("{"))
        .map((text) => JSON.parse(text))
        .find(({ code, requestId }) => code && requestId === refused.headers["x-request-id"]),
    );
    expect(line).toMatchObject({ level: "info", msg: "request refused", code: "RATE_LIMITED" });
  });
});
