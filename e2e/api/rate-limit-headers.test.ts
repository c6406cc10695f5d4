import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Client, Reply } from "#e2e/support/client.ts";
import { buildForm, createPng } from "#e2e/support/evidence.ts";
import { startProductionService } from "#e2e/support/service.ts";
import { TestWorld, type TestPerson } from "#e2e/support/world.ts";

/** What responses say of rate limits, and what they don't (contract 3.19, docs/decisions/056). */

const settings = { TRUSTED_PROXIES: "127.0.0.1, ::1", HEED_PROCESSES: "1" };
const heed = await startProductionService({ ...settings, RATE_REPORT_USER_PER_HOUR: "2" });
const unlimited = await startProductionService({ ...settings, RATE_LIMITS: "off" });
const world = await TestWorld.build(heed);
const { event, maya, nora } = world;

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

const GENERAL = '"general";q=600;w=60';
const report = { title: "Shouting at the door", description: "It went on for a while." };
const incidents = `/api/events/${event.id}/incidents`;
const file = (session: Client, body: object, ask = {}) =>
  session.post(incidents, body, { mayWrite: true, ...ask });

describe("a call of a person", () => {
  test("says what is left of the general limit, each time one less, and also when it is refused", async () => {
    const client = await world.device(await world.person("Counting Person"));
    const first = await client.get("/api/users/me");
    expect(first.headers["ratelimit-policy"]).toBe(GENERAL);
    expect(first.headers.ratelimit).toMatch(/^"general";r=599;t=([1-5]?\d|60|61)$/);
    const refused = await client.get(incidents);
    expect([refused.status, restOf(refused)]).toEqual([403, 598]);
    const missing = await client.get(`/api/events/${maya.id}`);
    expect([missing.status, restOf(missing)]).toEqual([404, 597]);
    // Through Next as well: a body that nothing reads keeps a request there (decision 026).
    expect(restOf(await client.get("/api/users/me", { raw: "{}" }))).toBe(596);
  });

  test("with a token counts apart from what the person does in a session", async () => {
    const person = await world.person("Watched Person");
    const [client, token] = [await world.device(person), await tokenOf(person)];
    expect(restOf(await heed.visitor().get("/api/users/me", token))).toBe(599);
    for (let count = 0; count < 3; count += 1) await client.get("/api/users/me");
    expect(restOf(await heed.visitor().get("/api/users/me", token))).toBe(598);
    expect(restOf(await client.get("/api/users/me"))).toBe(596);
  });

  test("that reports or uploads doesn't say how many reports or uploads are left", async () => {
    const person = await world.person("Quiet Reporter", { events: [[event, "Reporter"]] });
    const client = await world.device(person);
    const reply = await file(client, { ...report, anonymous: true });
    expect([reply.status, reply.headers["ratelimit-policy"], reply.headers.ratelimit]).toEqual([
      201,
      `${GENERAL}, "report";q=2;w=3600`,
      expect.stringMatching(/^"general";r=599;t=\d+$/),
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
    expect(limitsOf(check)).toEqual(['"lookup";q=60;w=60', expect.stringMatching(/^"lookup";r=59;t=\d+$/)]);
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

  test("comes where there are no limits", async () => {
    const reply = await unlimited.visitor().get("/api/auth/check-email?email=a@example.org");
    expect([reply.status, ...limitsOf(reply)]).toEqual([200, undefined, undefined]);
  });
});
