import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Request } from "autocannon";
import pg from "pg";
import { findFreePort } from "#e2e/support/process.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import type { Side } from "../measures.ts";
import { COMMON_WORD } from "../text.ts";

/**
 * Request Tracker 5 from Debian's packages as a side of a comparison: under Starman, with a database of its own on the
 * server of Heed's, and the same reports. Outside CI; as root it installs the packages itself.
 */

const PACKAGES = ["request-tracker5", "rt5-db-postgresql", "rt5-standalone", "dbconfig-no-thanks", "starman"];
const SERVER = "/usr/share/request-tracker5/libexec/rt-server";
const INITIAL_DATA = "/usr/share/request-tracker5/etc/initialdata";
const DATABASE = "request_tracker";
const WORKERS = 4;
/** The account that comes with it, and its password. It may do everything, so nothing of its rights is looked up. */
const ROOT = { user: "root", pass: "password" };
const PAGE_SIZE = 20;

/** @param serverUrl the database server @param heedUrl the database with the reports @param closers get what ends it */
export async function openRequestTracker(
  serverUrl: string,
  heedUrl: string,
  closers: (() => unknown)[],
): Promise<Side> {
  if (!fs.existsSync(SERVER)) install();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-peer-"));
  closers.push(() => fs.rmSync(folder, { recursive: true, force: true }));
  const port = await findFreePort();
  const env = configure(folder, { server: new URL(serverUrl), port });
  createDatabase(env);
  const url = `http://127.0.0.1:${port}`;
  const databaseUrl = new URL(serverUrl);
  databaseUrl.pathname = `/${DATABASE}`;
  let server = await start(env, url);
  closers.push(() => server.end());
  const cookie = await signIn(url);
  const reports = await readReports(heedUrl);
  const queues = await createQueues(url, { cookie, slugs: [...new Set(reports.map(({ slug }) => slug))] });
  await copyReports(databaseUrl.href, reports, queues);
  const requests = buildRequests(url, { cookie, count: reports.length, queues: [...queues.keys()] });
  return {
    title: "Request Tracker",
    url,
    get pid() {
      return server.pid;
    },
    databaseUrl: databaseUrl.href,
    find: (measure) => requests[measure],
    restart: async () => {
      await server.end();
      server = await start(env, url);
    },
  };
}

function install(): void {
  const args = ["install", "--yes", "--no-install-recommends", ...PACKAGES];
  execFileSync("apt-get", args, {
    stdio: "inherit",
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
}

/** Writes its configuration to a folder. @returns the environment in which its programs use it */
function configure(folder: string, { server, port }: { server: URL; port: number }): NodeJS.ProcessEnv {
  const settings: Record<string, string | number> = {
    rtname: "bench",
    WebDomain: "127.0.0.1",
    WebPort: port,
    DatabaseType: "Pg",
    DatabaseHost: server.searchParams.get("host") ?? server.hostname,
    DatabasePort: server.port || 5432,
    DatabaseName: DATABASE,
    DatabaseUser: server.username,
    DatabasePassword: server.password,
    DatabaseAdmin: server.username,
    MailCommand: "sendmailpipe",
    SendmailPath: "/bin/true",
    LogToSyslog: "",
    LogToSTDERR: "error",
  };
  const lines = Object.entries(settings).map(([name, value]) => `Set($${name}, '${value}');\n`);
  const file = path.join(folder, "site.pm");
  fs.writeFileSync(file, `${lines.join("")}1;\n`, { mode: 0o600 });
  fs.mkdirSync(path.join(folder, "parts"));
  return { ...process.env, RT_SITE_CONFIG: file, RT_SITE_CONFIG_DIR: path.join(folder, "parts") };
}

/** Its tables belong to Heed's role, which can't create others. */
function createDatabase(env: NodeJS.ProcessEnv): void {
  for (const action of [["create,schema,coredata"], ["insert", "--datafile", INITIAL_DATA]])
    execFileSync("rt-setup-database-5", ["--skip-create", "--action", ...action], { env, stdio: "pipe" });
}

type Server = { pid: number; end(): Promise<void> };

async function start(env: NodeJS.ProcessEnv, url: string): Promise<Server> {
  const args = ["--server", "Starman", "--listen", new URL(url).host, "--workers", String(WORKERS)];
  const child = spawn(SERVER, args, { env, stdio: "ignore" });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const isUp = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  await waitUntil("Request Tracker", isUp);
  return {
    pid: child.pid ?? 0,
    end: async () => {
      child.kill();
      await ended;
    },
  };
}

/** @returns the Cookie header of a session, with which pages and API are served without hashing a password */
async function signIn(url: string): Promise<string> {
  const first = await fetch(url);
  const cookie = first.headers.get("set-cookie")?.split(";")[0] ?? "";
  const body = new URLSearchParams(ROOT);
  const login = await fetch(`${url}/NoAuth/Login.html`, { method: "POST", headers: { cookie }, body });
  await login.text();
  return login.headers.get("set-cookie")?.split(";")[0] ?? cookie;
}

const buildHeaders = (url: string, cookie: string) => ({
  cookie,
  "content-type": "application/json",
  // It refuses writes that come from elsewhere.
  referer: `${url}/`,
});

type Report = { n: number; slug: string; title: string; description: string; status: string; created: Date };

async function readReports(heedUrl: string): Promise<Report[]> {
  const client = new pg.Client({ connectionString: heedUrl });
  await client.connect();
  const { rows } = await client.query<Report>(
    `select row_number() over (order by i.created_at)::int as n, e.slug, i.title, i.description, i.created_at as created,
       case i.state when 'submitted' then 'new' when 'resolved' then 'resolved' when 'closed' then 'resolved' else 'open' end as status
     from incidents i join events e on e.id = i.event_id order by n`,
  );
  await client.end();
  return rows;
}

/** Creates a queue for each event, over the API. @returns their ids by the slug of the event */
async function createQueues(
  url: string,
  { cookie, slugs }: { cookie: string; slugs: string[] },
): Promise<Map<string, number>> {
  const queues = new Map<string, number>();
  for (const slug of slugs) {
    const request = {
      method: "POST",
      headers: buildHeaders(url, cookie),
      body: JSON.stringify({ Name: slug }),
    };
    const response = await fetch(`${url}/REST/2.0/queue`, request);
    if (!response.ok) throw new Error(`A queue got status ${response.status}: ${await response.text()}`);
    queues.set(slug, Number(((await response.json()) as { id: string }).id));
  }
  return queues;
}

/**
 * Writes the rows that creating a ticket leaves: the ticket, its four groups with their members, the transaction and its
 * text. Over the API, 10,000 would take a quarter of an hour.
 */
async function copyReports(
  url: string,
  reports: readonly Report[],
  queues: Map<string, number>,
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `create temp table report as select * from unnest($1::int[], $2::int[], $3::text[], $4::text[], $5::text[], $6::timestamp[])
       as t(n, queue, title, description, status, created)`,
    [
      reports.map(({ n }) => n),
      reports.map(({ slug }) => queues.get(slug)),
      reports.map(({ title }) => title),
      reports.map(({ description }) => description),
      reports.map(({ status }) => status),
      reports.map(({ created }) => created.toISOString().slice(0, 19)),
    ],
  );
  for (const statement of COPY) await client.query(statement);
  await client.query("vacuum analyze");
  await client.end();
}

const ROOT_ID = "(select id from users where name = 'root')";
const NOBODY_ID = "(select id from users where name = 'Nobody')";

const COPY = [
  `create temp table made as
     select r.*, k, role, nextval('principals_id_seq')::int as id
     from report r, unnest(array['AdminCc', 'Cc', 'Owner', 'Requestor']) with ordinality roles(role, k)`,
  `insert into tickets (id, effectiveid, queue, type, owner, subject, status, creator, created, lastupdatedby, lastupdated,
       starts, due, started, resolved)
     select n, n, queue, 'ticket', ${NOBODY_ID}, left(title, 200), status, ${ROOT_ID}, created, ${ROOT_ID}, created,
       'epoch', 'epoch', case when status = 'new' then 'epoch' else created end,
       case when status = 'resolved' then created else 'epoch' end
     from report`,
  "select setval('tickets_id_seq', (select max(id) from tickets))",
  "insert into principals (id, principaltype) select id, 'Group' from made",
  `insert into groups (id, name, domain, instance, creator, created, lastupdatedby, lastupdated)
     select id, role, 'RT::Ticket-Role', n, ${ROOT_ID}, created, ${ROOT_ID}, created from made`,
  `insert into groupmembers (groupid, memberid, creator, created)
     select id, case role when 'Owner' then ${NOBODY_ID} else ${ROOT_ID} end, ${ROOT_ID}, created
     from made where role in ('Owner', 'Requestor')`,
  `insert into cachedgroupmembers (id, groupid, memberid, via, immediateparentid)
     select c.id, c.groupid, c.memberid, c.id, c.groupid
     from (select nextval('cachedgroupmembers_id_seq') as id, groupid, memberid
       from (select id as groupid, id as memberid from made
         union all select groupid, memberid from groupmembers where groupid in (select id from made)) members) c`,
  `with created as (insert into transactions (objecttype, objectid, type, creator, created)
       select 'RT::Ticket', n, 'Create', ${ROOT_ID}, created from report returning id, objectid)
     insert into attachments (transactionid, subject, contenttype, contentencoding, content, headers, creator, created)
     select created.id, left(title, 200), 'text/plain', 'none', description,
       'Content-Type: text/plain; charset="utf-8"', ${ROOT_ID}, report.created
     from created join report on report.n = created.objectid`,
];

/** Builds the requests of each measure that it has something like. */
function buildRequests(
  url: string,
  { cookie, count, queues }: { cookie: string; count: number; queues: string[] },
): Record<string, Request[]> {
  const get = (at: string): Request => ({ method: "GET", path: at, headers: { cookie } });
  const write = { method: "POST", headers: buildHeaders(url, cookie) } as const;
  // As much as Heed's lists say of each report.
  const columns = { fields: "Subject,Status,Queue,Owner,Requestor,Created,LastUpdated", per_page: PAGE_SIZE };
  const names = "&fields[Queue]=Name&fields[Owner]=RealName&fields[Requestor]=RealName";
  const search = (query: string) => {
    const order = { query, orderby: "Created", order: "DESC" };
    const parameters = Object.entries({ ...order, ...columns }).map(([name, value]) => [name, String(value)]);
    return get(`/REST/2.0/tickets?${new URLSearchParams(parameters)}${names}`);
  };
  const some = Array.from({ length: 500 }, (_, index) => 1 + ((index * 17) % count));
  const post = (at: string, content: object): Request => ({
    ...write,
    path: `/REST/2.0${at}`,
    body: JSON.stringify(content),
  });
  const newest = new URLSearchParams({
    Query: "id > 0",
    Rows: String(PAGE_SIZE),
    OrderBy: "Created",
    Order: "DESC",
  });
  const text = "During the break a person filmed our table with a phone. We asked twice to stop. ".repeat(8);
  const subject = "Somebody kept filming after being asked to stop";
  const requests: Record<string, Request[]> = {
    list: queues.map((queue) => search(`Queue = '${queue}'`)),
    detail: some.map((id) => get(`/REST/2.0/ticket/${id}`)),
    // In subjects, as its own search does unless it is told otherwise; Heed searches the texts, too.
    search: [search(`Subject LIKE '${COMMON_WORD}'`)],
    inbox: [get(`/Search/Results.html?${newest}`)],
    incident: some.map((id) => get(`/Ticket/Display.html?id=${id}`)),
    create: queues.map((Queue) =>
      post("/ticket", { Queue, Subject: subject, Content: text, ContentType: "text/plain" }),
    ),
    // A note with each, so that the same ticket may be changed again.
    state: ["open", "stalled"].flatMap((Status) =>
      some.map((id) =>
        post(`/ticket/${id}/comment`, { Content: "We look into it.", ContentType: "text/plain", Status }),
      ),
    ),
  };
  const { list = [], detail = [], inbox = [], incident = [] } = requests;
  return { ...requests, memory: [list, detail, detail, inbox, incident].flatMap((one) => one.slice(0, 20)) };
}
