import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Client, type Reply } from "#e2e/support/client.ts";
import {
  createDataFolder,
  recordTimeWindow,
  searchFiles,
  searchHashes,
  searchLog,
  searchTransactions,
  type Candidate,
  type Finding,
  type TimeWindow,
} from "#e2e/support/data-folder.ts";
import { buildForm, createPhoto } from "#e2e/support/evidence.ts";
import { findFreePort, startProcess } from "#e2e/support/process.ts";
import { openTestPool } from "#e2e/support/test-pool.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { PASSWORD, PASSWORD_HASH } from "#e2e/support/world.ts";
import { startOrJoinEmbeddedPostgres } from "#lib/database/embedded/server.ts";

/**
 * Somebody reports without an account and comes back to the mailbox, while somebody else signs in. Whoever has the
 * whole data folder and the log finds the address and the browser of the second, and nothing of the first
 * (docs/decisions/050, docs/threat-model.md).
 */

const REPORTER = { address: "203.0.113.77", browser: "Lanternbrowser/7.7 (a phone in the hallway)" };
const MEMBER = { address: "198.51.100.9", browser: "Harborbrowser/1.0 (a laptop at the desk)" };
const SLUG = "spring";
/** The beginning of the keys under which the reporter sends. */
const KEY = "quiet-lantern-key-7f3a9c21";

const folder = await createDataFolder();
const port = String(await findFreePort());
const heed = await startProcess({
  HEED_DATA_DIR: folder.dataDir,
  PORT: port,
  BASE_URL: `http://127.0.0.1:${port}`,
  HEED_PROCESSES: "1",
  TRUSTED_PROXIES: "127.0.0.1,::1",
});
// Keeps it running when the service has ended.
const postgres = await startOrJoinEmbeddedPostgres({ dataDir: folder.dataDir }, () => {});
const database = openTestPool(postgres.url);
afterAll(async () => {
  await database.end();
  await heed.stop();
  await postgres.close();
  folder.remove();
});

type Visitor = { send: (method: string, path: string, body?: unknown) => Promise<Reply>; client: Client };

function visit({ address, browser }: { address: string; browser: string }): Visitor {
  const client = new Client(heed.url, { countRows: async () => ({}) });
  const headers = { "x-forwarded-for": address, "user-agent": browser };
  const ask = (path: string) =>
    ({
      headers: { ...headers, "idempotency-key": `${KEY} ${path}` },
      opensMailbox: true,
      mayRenew: true,
    }) as const;
  return { client, send: (method, path, body) => client.send(method, path, body, ask(path)) };
}

let window: TimeWindow;
let receipt = "";
let candidates: (Candidate & { hashed: string[] })[];

beforeAll(async () => {
  await database.query(
    `with o as (insert into organizations (name, slug) values ('Riverside', 'riverside') returning id)
     insert into events (organization_id, name, slug) select id, 'Spring', $1 from o`,
    [SLUG],
  );
  await database.query(
    "insert into users (email, name, password_hash, email_verified_at) values ('ada@example.org', 'Ada', $1, now())",
    [PASSWORD_HASH],
  );
  await database.query(
    `with u as (insert into users (email, name, password_hash, email_verified_at)
       values ('tess@example.org', 'Tess', $1, now()) returning id)
     insert into event_roles (event_id, user_id, role_name) select e.id, u.id, 'Responder' from events e, u`,
    [PASSWORD_HASH],
  );
  window = await recordTimeWindow(database, async () => {
    const signedIn = await visit(MEMBER).send("POST", "/api/auth/login", {
      email: "ada@example.org",
      password: PASSWORD,
    });
    expect(signedIn.status, signedIn.text).toBe(200);
    await reportAndComeBack();
  });
  candidates = [
    { name: "reporter", traces: [...Object.values(REPORTER), receipt, KEY], hashed: [REPORTER.address] },
    { name: "member", traces: Object.values(MEMBER), hashed: [MEMBER.address] },
  ];
});

/** Stands for a form with the tag of the opened mailbox. */
const OPENED_TAG = Symbol("opened tag");

/** Everything that a reporter does, through the pages as without script, and through the API. */
async function reportAndComeBack(): Promise<void> {
  const first = visit(REPORTER);
  const form = `/e/${SLUG}/report`;
  for (const page of [`/e/${SLUG}`, `${form}?without=account`])
    expect((await first.send("GET", page)).status, page).toBe(200);
  const refused = await first.send("POST", `${form}/send?without=account`, buildForm({ title: "No words" }));
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("No words")]);
  const photo = { name: "seen.jpg", bytes: await createPhoto(), type: "image/jpeg" };
  const texts = { title: "Shouting at the desk", description: "It went on for a while." };
  const path = `/api/events/slug/${SLUG}/anonymous-reports`;
  const sent = await first.send("POST", path, buildForm({ ...texts, openMailbox: "true" }, photo));
  expect(sent.status, sent.text).toBe(201);
  receipt = sent.body.receipt;
  await takeSteps(first, [
    ["GET", "/mailbox", undefined, 200],
    ["POST", "/mailbox/receipt", OPENED_TAG, 200],
    ["POST", "/api/mailbox/receipt/confirmation", { entered: {} }, 204],
  ]);
  await takeSteps(visit(REPORTER), [
    ["GET", "/mailbox", undefined, 200],
    ["POST", "/api/mailbox/session", { words: receipt.split(" ").reverse().join(" ") }, 404],
    ["POST", "/api/mailbox/session", { words: receipt }, 204],
    ["GET", "/mailbox", undefined, 200],
    ["POST", "/api/mailbox/messages", { body: "One more thing." }, 204],
    ["POST", "/api/mailbox/files", buildForm({}, photo), 204],
    ["POST", "/api/mailbox/withdrawal", undefined, 204],
    ["GET", "/mailbox", undefined, 200],
    ["DELETE", "/api/mailbox", undefined, 204],
  ]);
}

type Step = [method: string, path: string, body: unknown, status: number];

async function takeSteps(visitor: ReturnType<typeof visit>, steps: Step[]): Promise<void> {
  for (const [method, at, body, status] of steps) {
    const opened = body === OPENED_TAG && (await visitor.send("GET", "/mailbox/opened")).text;
    const sentBody = opened ? buildForm({ opened }) : body;
    expect((await visitor.send(method, at, sentBody)).status, `${method} ${at}`).toBe(status);
  }
}

const readLog = (): Record<string, unknown>[] =>
  heed
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("a data folder", () => {
  test("holds the address and the browser of who signed in, and nothing of who reported without an account", async () => {
    const findings: Finding[] = [
      ...(await searchTransactions(database, window, candidates)),
      ...(await searchHashes(database, folder.dataDir, candidates)),
      ...searchFiles(folder.dataDir, window, candidates),
      ...(await searchLog(database, readLog(), candidates)),
    ];
    expect(findings.filter(({ names }) => names.includes("reporter"))).toEqual([]);
    const stores = new Set(findings.map(({ store }) => store));
    for (const store of ["row versions", "write-ahead log", "keyed hashes"])
      expect(stores, "the search finds what stands there").toContain(store);
  });

  test("dates the report, its files and what its reporter did no finer than a quarter of an hour", async () => {
    await waitUntil("the team is notified", async () => {
      const { rows: waiting } = await database.query("select 1 from outbox_events");
      return waiting.length === 0;
    });
    const { rows } = await database.query<{ store: string; at: Date }>(
      `select 'incident' as store, created_at as at from incidents
       union all select 'history', created_at from incident_history
       union all select 'message', created_at from messages
       union all select 'file', created_at from related_files
       union all select 'key', expires_at from idempotency_keys where user_id is null
       union all select 'notification', created_at from notifications where incident_id is not null
       union all select 'audit log', at from audit_entries where actor_id is null and object_type <> 'user'`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(8);
    // The report's own, and two of its mailbox.
    expect(rows.filter(({ store }) => store === "key")).toHaveLength(3);
    expect(rows.map(({ store }) => store)).toContain("notification");
    // The report, its message, its file, its withdrawal and its end.
    expect(rows.filter(({ store }) => store === "audit log").length).toBeGreaterThanOrEqual(5);
    const QUARTER_MS = 15 * 60_000;
    // Steps and files of one quarter are a few milliseconds apart, in their order.
    for (const { store, at } of rows) expect(at.getTime() % QUARTER_MS, store).toBeLessThan(50);
  });

  test("has no line in the log of when somebody reported without an account or came back", () => {
    const lines = readLog();
    expect(lines.map(({ route }) => route)).toContain("/api/auth/login");
    const revealing = lines.filter((line) => /mailbox|without|\/report/i.test(JSON.stringify(line)));
    expect(revealing).toEqual([]);
  });
});
