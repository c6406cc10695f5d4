import { createHash, createHmac, hkdfSync, randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { sealData } from "iron-session";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { QUARTER_HOUR_MS, waitForPeriodWith } from "#e2e/support/period.ts";
import { Client } from "#e2e/support/client.ts";
import {
  compareRowCounts,
  createDataFolder,
  searchFiles,
  searchHashes,
  searchLog,
  searchTransactions,
  readWalPosition,
  recordTimeWindow,
  type Candidate,
  type Finding,
  type TimeWindow,
} from "#e2e/support/data-folder.ts";
import { buildForm, createPhoto } from "#e2e/support/evidence.ts";
import { findFreePort, startProcess } from "#e2e/support/process.ts";
import { openTestPool } from "#e2e/support/test-pool.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { PASSWORD_HASH } from "#e2e/support/world.ts";
import { hashToken } from "#lib/accounts/sessions.ts";
import { startOrJoinEmbeddedPostgres } from "#lib/database/embedded/server.ts";
import { loadDataKey, loadSessionCookieKeys } from "#lib/crypto/secrets.ts";
import { tryUnsealText } from "#lib/crypto/sealed-text.ts";

/**
 * Ten people are active in the same quarter of an hour, and one of them sends a report without a name. Whoever has the
 * whole data folder afterwards, the secrets in it and the log, finds nothing that tells the ten apart
 * (docs/decisions/028, docs/threat-model.md).
 */

const PHOTO = await createPhoto();
const folder = await createDataFolder();
const port = String(await findFreePort());
const heed = await startProcess({
  HEED_DATA_DIR: folder.dataDir,
  PORT: port,
  BASE_URL: `http://127.0.0.1:${port}`,
  HEED_PROCESSES: "1",
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

type Person = { id: string; email: string; name: string; client: Client };

const texts = { title: "Shouting at the desk", description: "It went on for a while." };
let event: { id: string; slug: string };
/** Where anyone with an account may report; none of the ten holds a role there. */
let openEvent: { id: string; slug: string };
let reportPath: string;
const people: Person[] = [];
let sender: Person;
let candidates: (Candidate & { hashed: string[] })[];
let beginning: string;
let quiet: TimeWindow;

beforeAll(async () => {
  event = await makeEvent("spring");
  openEvent = await makeEvent("open-day");
  reportPath = `/api/events/${event.id}/incidents`;
  const ada = await makePerson("Ada Admin", "Admin");
  await database.query("insert into event_roles (event_id, user_id, role_name) values ($1, $2, 'Admin')", [
    openEvent.id,
    ada.id,
  ]);
  for (let made = 0; made < 10; made += 1)
    people.push(await makePerson(`Candidate Number${made}`, "Reporter"));
  sender = people[6] as Person;
  beginning = await readWalPosition(database);
  await actByName();
  await longAgo();
  // At its end the service writes who was active in a quarter, and the ten are to be active in the same one.
  await waitForPeriodWith(WINDOW_MS, QUARTER_HOUR_MS);
  quiet = await during(async () => {
    // In turn, so that each person's own first call is at another time than that of the others.
    for (const person of people.slice(0, 6)) await viewPages(person);
    await sendWithoutName(sender);
    for (const person of people.slice(6)) await viewPages(person);
    await waitUntil(
      "the team has its mail",
      () => fs.existsSync(path.join(folder.dataDir, "outbox")),
      60_000,
    );
  });
  await actByName();
  // Until then, rows name those whose reports wait.
  await waitForEmptyOutbox();
  candidates = await Promise.all(people.map(candidateOf));
}, 400_000);

const WINDOW_MS = 150_000;

async function makeEvent(slug: string): Promise<{ id: string; slug: string }> {
  const { rows } = await database.query(
    `with o as (insert into organizations (name, slug) values ('Riverside', 'of-' || $1) returning id)
     insert into events (organization_id, name, slug) select id, 'Spring', $1 from o returning id, slug`,
    [slug],
  );
  return rows[0];
}

async function makePerson(name: string, role: string): Promise<Person> {
  const email = `${name.toLowerCase().replaceAll(" ", ".")}@example.org`;
  const { rows } = await database.query(
    "insert into users (email, name, password_hash, email_verified_at) values ($1, $2, $3, now()) returning id",
    [email, name, PASSWORD_HASH],
  );
  const { id } = rows[0];
  await database.query("insert into event_roles (event_id, user_id, role_name) values ($1, $2, $3)", [
    event.id,
    id,
    role,
  ]);
  const token = Buffer.from(
    `${randomUUID()}${randomUUID()}`.replaceAll("-", "").slice(0, 64),
    "hex",
  ).toString("base64url");
  await database.query(
    "insert into sessions (token_hash, user_id, expires_at) values ($1, $2, now() + interval '1 day')",
    [Buffer.from(hashToken(token)), id],
  );
  const [password = ""] = loadSessionCookieKeys({ dataDir: folder.dataDir, SESSION_KEYS: undefined });
  const cookie = `session=${await sealData({ t: token }, { password, ttl: 86_400 })}`;
  return { id, email, name, client: new Client(heed.url, { countRows: async () => ({}) }, cookie) };
}

/** What everybody does with their name, before and after: it stands in the log of what was done. */
async function actByName(): Promise<void> {
  for (const { client, name } of people) {
    const body = buildForm(
      { ...texts, description: `Told by ${name}.` },
      { name: "seen.txt", bytes: "What I saw." },
    );
    expect((await client.post(reportPath, body)).status).toBe(201);
  }
}

const waitForEmptyOutbox = () =>
  waitUntil("an empty outbox", async () => {
    const { rows } = await database.query("select count(*)::int as n from outbox_events");
    return rows[0].n === 0;
  });

/** Everybody's sessions were used an hour ago, and the outbox is empty. */
async function longAgo(): Promise<void> {
  await waitForEmptyOutbox();
  await database.query("update sessions set last_used_at = now() - interval '1 hour'");
  await database.query("delete from notifications");
  await waitUntil("no mail waits", async () => {
    const { rows } = await database.query(
      "select count(*)::int as n from graphile_worker._private_jobs where payload::text like '%userId%'",
    );
    return rows[0].n === 0;
  });
  fs.rmSync(path.join(folder.dataDir, "outbox"), { recursive: true, force: true });
}

async function viewPages({ client }: Person): Promise<void> {
  for (const address of [
    "/api/session",
    `/e/${event.slug}/report`,
    `/e/${openEvent.slug}`,
    `/e/${openEvent.slug}/report`,
    reportPath,
    "/api/users/me/notifications",
    "/api/users/me/incidents?search=desk",
  ])
    expect((await client.get(address)).status, address).toBe(200);
}

/**
 * Once refused, as a browser without script sends it; then taken, with a file. It is the first that they do. Both as a
 * member of an event, and where they hold no role.
 */
async function sendWithoutName(person: Person): Promise<void> {
  await sendOnceWithoutName(person, event.slug, reportPath);
  await sendOnceWithoutName(person, openEvent.slug, `/api/events/${openEvent.id}/reports`);
}

async function sendOnceWithoutName({ client }: Person, slug: string, sendPath: string): Promise<void> {
  const refused = await client.post(
    `/e/${slug}/report/send`,
    buildForm({ title: "No words", anonymous: "true" }),
    { mayWrite: true },
  );
  expect([refused.status, refused.headers.location]).toEqual([303, expect.stringContaining("return=")]);
  const headers = { "idempotency-key": randomUUID() };
  const body = buildForm(
    { ...texts, anonymous: "true" },
    { name: "seen.txt", bytes: "What only I saw." },
    { name: "seen.jpg", bytes: PHOTO },
  );
  const sent = await client.post(sendPath, body, { headers });
  expect([sent.status, sent.body.incident?.reporter], sent.text).toEqual([201, null]);
}

const during = (work: () => Promise<void>): Promise<TimeWindow> => recordTimeWindow(database, work);

/** The ids of a person and of everything that is theirs, and the texts that keyed hashes are made of. */
async function candidateOf({ id, email, name }: Person): Promise<Candidate & { hashed: string[] }> {
  const { rows } = await database.query<{ id: string }>(
    `select id::text from sessions where user_id = $1
     union all select id::text from event_roles where user_id = $1
     union all select id::text from incidents where reporter_id = $1
     union all select id::text from related_files where uploaded_by_id = $1
     union all select storage_key::text from related_files where uploaded_by_id = $1`,
    [id],
  );
  const periods = [3600, 60].flatMap((seconds) => {
    const now = Math.floor(Date.now() / 1000 / seconds);
    return [now - 1, now].flatMap((period) => [0, 1, 2].map((n) => `${period} ${n}`));
  });
  const limits = ["report", "critical-report", "upload", "general", "search"];
  const slots = limits.flatMap((limit) => periods.map((slot) => `${limit} ${id} ${slot}`));
  return {
    name,
    traces: [id, email, name, ...rows.map((row) => row.id)],
    hashed: [
      id,
      email,
      ...[event, openEvent].flatMap((one) => [`${id} ${one.id}`, `${id} ${one.id} `]),
      ...slots,
    ],
  };
}

const linesOf = ({ began, ended }: TimeWindow): Record<string, unknown>[] =>
  heed
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ time }) => Date.parse(String(time)) >= began && Date.parse(String(time)) <= ended);

const searchAll = async (window: TimeWindow): Promise<Finding[]> => [
  ...(await searchTransactions(database, window, candidates)),
  ...(await compareRowCounts(database, candidates)),
  ...(await searchHashes(database, folder.dataDir, candidates)),
  ...searchFiles(folder.dataDir, window, candidates),
  ...(await searchLog(database, linesOf(window), candidates)),
];

const MEMBERS = ["level", "method", "ms", "msg", "requestId", "route", "status", "time"];

describe("a data folder", () => {
  test("distinguishes none of ten people by any transaction, row, file or log line", async () => {
    expect(await searchAll(quiet)).toEqual([]);
  });

  test("was searched in places that name all ten people, each on their own, before and after", async () => {
    const found = await searchTransactions(
      database,
      { ...quiet, from: beginning, to: quiet.from },
      candidates,
    );
    for (const store of ["row versions", "write-ahead log"]) {
      const named = found.filter((one) => one.store === store).flatMap(({ names }) => names);
      expect([...new Set(named)].toSorted(), store).toEqual(people.map(({ name }) => name).toSorted());
    }
  });

  test("has lines in the log that hold kinds of requests, times and ids of requests", () => {
    const requests = linesOf(quiet).filter(({ msg }) => msg === "request");
    expect(requests.length).toBeGreaterThan(40);
    for (const line of requests) expect(Object.keys(line).toSorted()).toEqual(MEMBERS);
    // Sending a report leaves no line (docs/operating.md, "Metrics"): its time is finer than that of the report.
    expect(requests.filter(({ method }) => method === "POST")).toEqual([]);
  });

  test("has the text of a refused form in no row that its keys open, and no name next to it", async () => {
    const { rows } = await database.query("select * from refused_forms");
    const columns = ["created_at", "id", "sealed"];
    expect(rows.map((row) => Object.keys(row).toSorted())).toEqual([columns, columns]);
    const keys = [
      loadDataKey({ dataDir: folder.dataDir }),
      ...loadSessionCookieKeys({ dataDir: folder.dataDir, SESSION_KEYS: undefined }),
    ];
    const opened = keys
      .flatMap((key) => [key, Buffer.from(key, "base64url")])
      .flatMap((key) => [key, new Uint8Array(hkdfSync("sha256", key, "", "heed:memory:refused form", 32))])
      .flatMap((key) =>
        rows.flatMap(({ id, sealed }) =>
          candidates.map(({ traces: [userId] }) =>
            tryUnsealText(`refused form:${id}:${userId}`, sealed, key),
          ),
        ),
      );
    expect(opened.filter((text) => text !== null)).toEqual([]);
  });

  test("holds the hash of a photo's cleaned copy, and none of the photo that was sent", async () => {
    const { rows } = await database.query("select filename, sha256, copy_sha256 from related_files");
    const hash = createHash("sha256").update(PHOTO).digest("hex");
    const photos = rows.filter(({ filename }) => filename.endsWith(".jpg"));
    const photo = { filename: "photo-2.jpg", sha256: expect.any(String), copy_sha256: null };
    expect(photos).toEqual([photo, photo]);
    expect(photos.map(({ sha256 }) => sha256)).not.toContain(hash);
    const tmp = path.join(folder.dataDir, "tmp");
    expect(fs.existsSync(tmp) ? fs.readdirSync(tmp) : []).toEqual([]);
  });

  test("dates the report no finer than a quarter of an hour, as one without an account", async () => {
    const { rows } = await database.query<{ store: string; at: Date }>(
      `with report as (select * from incidents where reporter_id is null)
       select 'incident' as store, unnest(array[created_at, updated_at, escalated_at, due_since]) as at from report
       union all select 'history', h.created_at from incident_history h join report r on r.id = h.incident_id
       union all select 'file', f.created_at from related_files f join report r on r.id = f.incident_id
       union all select 'notification', n.created_at from notifications n join report r on r.id = n.incident_id
       union all select 'audit log', a.at from audit_entries a join report r on r.id = a.object_id where a.actor_id is null`,
    );
    const dated = rows.filter(({ at }) => at !== null);
    expect(new Set(dated.map(({ store }) => store))).toEqual(
      new Set(["incident", "history", "file", "notification", "audit log"]),
    );
    for (const { store, at } of dated) expect(at.getTime() % (15 * 60_000), store).toBeLessThan(50);
  });

  test("has times of last use that are written together, when the quarter of an hour or the service ends", async () => {
    const invited = await makePerson("Invited Person", "Reporter");
    await database.query("update event_roles set pending = true where user_id = $1", [invited.id]);
    const window = await during(async () => sendWithoutName(invited));
    const found = await searchTransactions(database, window, [await candidateOf(invited), ...candidates]);
    // An invitation that is accepted by it would say who, and when.
    expect(found).toEqual([]);
    const stopping = await during(async () => void (await heed.stop()));
    expect(await searchTransactions(database, stopping, candidates)).toEqual([]);
    const { rows } = await database.query(
      `select count(distinct xmin::text)::int as transactions, count(*)::int as sessions,
         bool_and(last_used_at > now() - interval '31 minutes') as written
       from sessions where user_id = any($1)`,
      [people.map(({ id }) => id)],
    );
    expect(rows).toEqual([{ transactions: 1, sessions: 10, written: true }]);
  });
});

describe("the search for traces", () => {
  /** The stores in which this names the sender alone. */
  const storesNaming = async (
    statement: string,
    values: unknown[],
    search = (window: TimeWindow) => searchTransactions(database, window, candidates),
  ) => {
    const window = await during(async () => void (await database.query(statement, values)));
    const found = (await search(window)).filter(({ names }) => names.every((name) => name === sender.name));
    return found.map(({ store }) => store);
  };

  test("finds a counter that is keyed with a secret of the folder", async () => {
    const key = hkdfSync(
      "sha256",
      Buffer.from(
        loadSessionCookieKeys({ dataDir: folder.dataDir, SESSION_KEYS: undefined })[0] ?? "",
        "base64url",
      ),
      "",
      "heed:shared:rate-limit",
      32,
    );
    const hash = createHmac("sha256", Buffer.from(key)).update(sender.id).digest("base64url").slice(0, 32);
    const insert = "insert into rate_limits (key, points, expire) values ($1, 1, 0)";
    const search = () => searchHashes(database, folder.dataDir, candidates);
    expect(await storesNaming(insert, [`upload:${hash}`], search)).toContain("keyed hashes");
    await database.query("delete from rate_limits where key = $1", [`upload:${hash}`]);
  });

  const INSERT_ENTRY = `insert into audit_entries (chain, seq, at, actor_id, action, object_type, object_id, event_id, by_right,
      request_id, key_id, mac) select 'planted', 1 + count(*), now(),`;
  const FROM_PLANTED = "from audit_entries where chain = 'planted'";

  test("finds an audit entry with the actor", async () => {
    const append = `${INSERT_ENTRY} $1::uuid, 'incident.create', 'incident', $2::uuid, $3::uuid, 'anonymous', null, '', '' ${FROM_PLANTED}`;
    expect(await storesNaming(append, [sender.id, randomUUID(), event.id])).toEqual(
      expect.arrayContaining(["row versions", "write-ahead log"]),
    );
    expect(await compareRowCounts(database, candidates)).toMatchObject([
      { where: "audit_entries", names: [sender.name] },
    ]);
  });

  test("finds a row that is only locked, and an audit entry with the id of the request", async () => {
    const lock = "select 1 from users where id = $1 for key share";
    expect(await storesNaming(lock, [sender.id])).toContain("write-ahead log");
    const { requestId } = linesOf(quiet).find(({ method }) => method === "GET") ?? {};
    const append = `${INSERT_ENTRY} $1::uuid, 'eventUser.acceptInvitation', 'eventUser', $1::uuid, $2::uuid, 'self', $3, '', '' ${FROM_PLANTED}`;
    await database.query(append, [sender.id, event.id, requestId]);
    const found = await searchLog(database, linesOf(quiet), candidates);
    expect(found).toMatchObject([{ store: "request ids", names: [sender.name] }]);
  });

  test("finds a file and a log line with a name", async () => {
    const window = await during(async () =>
      fs.writeFileSync(path.join(folder.dataDir, "note.txt"), `sent by ${sender.email}`),
    );
    expect(searchFiles(folder.dataDir, window, candidates)).toMatchObject([{ names: [sender.name] }]);
    const found = await searchLog(database, [{ msg: "report", actorId: sender.id }], candidates);
    expect(found).toMatchObject([{ store: "log", names: [sender.name] }]);
  });
});
