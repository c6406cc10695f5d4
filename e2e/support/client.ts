import assert from "node:assert/strict";
import http from "node:http";
import type { ErrorCatalog } from "./documented-errors.ts";
import { assertHeaderInvariants } from "./header-invariants.ts";
import type { RowCount } from "./row-count.ts";

/**
 * A client as plain as curl: it sends only the given headers, keeps the session cookie of one person, and checks the
 * invariants of every response.
 */

export type Reply = {
  status: number;
  headers: http.IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
  // Tests check the body themselves; its type is unknown.
  body: any;
};

export type RequestOptions = {
  headers?: Record<string, string | undefined>;
  /** The raw body, instead of a value that is sent as JSON. */
  raw?: string | Buffer;
  /** The test expects a status of 500 or more. */
  failing?: true;
  /** The response may set the session cookie. */
  mayRenew?: true;
  /** The report requests the cookie of its mailbox. */
  opensMailbox?: true;
  /** Rows may change although the status is 4xx. */
  mayWrite?: true;
};

export type ClientHooks = {
  /** Begins to count the rows of every table to which no job writes. An empty object counts none. */
  countRows: () => Promise<Partial<RowCount>>;
  /** The errors in the OpenAPI document; without them, responses aren't compared with it. */
  errors?: ErrorCatalog;
};

export class Client {
  readonly base: string;
  cookie: string | undefined;
  /** The device cookie from the last sign-in. */
  device: string | undefined;
  /** The cookie of the mailbox that this client has opened. */
  mailbox: string | undefined;
  /** The cookie of a browser to which a refused form comes back. */
  returned: string | undefined;
  readonly #hooks: ClientHooks;

  constructor(base: string, hooks: ClientHooks, cookie?: string) {
    this.base = base;
    this.#hooks = hooks;
    this.cookie = cookie;
  }

  get(path: string, ask?: RequestOptions): Promise<Reply> {
    return this.send("GET", path, undefined, ask);
  }
  post(path: string, body?: unknown, ask?: RequestOptions): Promise<Reply> {
    return this.send("POST", path, body, ask);
  }
  put(path: string, body?: unknown, ask?: RequestOptions): Promise<Reply> {
    return this.send("PUT", path, body, ask);
  }
  patch(path: string, body?: unknown, ask?: RequestOptions): Promise<Reply> {
    return this.send("PATCH", path, body, ask);
  }
  delete(path: string, body?: unknown, ask?: RequestOptions): Promise<Reply> {
    return this.send("DELETE", path, body, ask);
  }

  /** Sends a request of any method. A FormData body is sent as multipart, any other value as JSON. */
  async send(method: string, path: string, body?: unknown, ask: RequestOptions = {}): Promise<Reply> {
    const encoded = await encodeBody(body, ask);
    const headers = { ...encoded.headers, ...this.#cookies(), ...ask.headers };
    const isWatched = !ask.mayWrite && !SAFE_METHODS.includes(method) && !RowCountWatch.isPaused;
    const watch = isWatched ? await RowCountWatch.begin(this.#hooks) : undefined;
    try {
      const reply = await sendRawRequest(this.base, { method, path, headers, bytes: encoded.bytes }).finally(
        () => watch?.stop(),
      );
      assertReplyInvariants(`${method} ${path}`, reply, ask);
      this.#assertDocumentedError(method, path, reply);
      if (watch && reply.status >= 400)
        await watch.assertNothingWritten(`${method} ${path} → ${reply.status}`);
      this.#keepCookies(reply);
      return reply;
    } finally {
      await watch?.end();
    }
  }

  /**
   * Sends requests that must all be refused, and checks once that no rows changed, instead of around each of them.
   * @param what begins the message
   */
  async expectNothingWritten(what: string, sendAll: () => Promise<void>): Promise<void> {
    const count = await this.#hooks.countRows();
    RowCountWatch.isPaused = true;
    try {
      await sendAll().finally(() => (RowCountWatch.isPaused = false));
      await assertSameRows(count, what);
    } finally {
      await count.end?.();
    }
  }

  /** Checks that the OpenAPI document lists the refusal, with the key of its text (contract 13.3). */
  #assertDocumentedError(method: string, path: string, { status, headers, body, text }: Reply): void {
    if (status < 400 || !headers["x-error-key"] || body?.code === "METHOD_NOT_ALLOWED") return;
    const isDocumented = this.#hooks.errors?.has(method, path, `${status} ${body?.code}`) ?? true;
    assert.ok(isDocumented || !body, `${method} ${path} → ${status} ${text.slice(0, 300)} isn't documented`);
  }

  #cookies(): { cookie?: string } {
    const all = [this.cookie, this.device, this.mailbox, this.returned].filter((pair) => pair !== undefined);
    return all.length > 0 ? { cookie: all.join("; ") } : {};
  }

  #keepCookies(reply: Reply): void {
    for (const line of reply.headers["set-cookie"] ?? []) {
      const pair = line.split(";")[0] ?? "";
      const [, name] = /^(?:__Host-)?(device|mailbox|returned)=/.exec(pair) ?? [];
      const kind = (name as "device" | "mailbox" | "returned" | undefined) ?? "cookie";
      this[kind] = /max-age=0(;|$)/i.test(line) ? undefined : pair;
    }
  }
}

/** The mailbox's own routes set its cookie; a report sets it only on request. A refused form sets one of its own. */
const isNoMailboxCookie =
  (what: string, { opensMailbox }: RequestOptions) =>
  (line: string) =>
    !(/^(__Host-)?returned=[\w-]{22};/.test(line) && isPostedPage(what)) &&
    (!/^(__Host-)?mailbox=/.test(line) || !(opensMailbox || /^(POST|DELETE) \/api\/mailbox\b/.test(what)));

const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];

type EncodedBody = { headers: Record<string, string>; bytes: Buffer | undefined };

async function encodeBody(body: unknown, ask: RequestOptions): Promise<EncodedBody> {
  if (ask.raw !== undefined) return { headers: {}, bytes: Buffer.from(ask.raw) };
  if (body === undefined) return { headers: {}, bytes: undefined };
  if (body instanceof FormData) {
    const response = new Response(body);
    const type = response.headers.get("content-type") ?? "";
    return { headers: { "content-type": type }, bytes: Buffer.from(await response.arrayBuffer()) };
  }
  return { headers: { "content-type": "application/json" }, bytes: Buffer.from(JSON.stringify(body)) };
}

const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity });

export type RawRequest = {
  method: string;
  path: string;
  headers: Record<string, string | undefined>;
  bytes?: Buffer | undefined;
};

/** Sends one request and returns its response, without any checks. */
export function sendRawRequest(base: string, { method, path, headers, bytes }: RawRequest): Promise<Reply> {
  const { hostname, port } = new URL(base);
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  if (bytes && !Object.keys(given).some((name) => /^(content-length|transfer-encoding)$/i.test(name)))
    given["content-length"] = String(bytes.length);
  return new Promise((resolve, reject) => {
    const request = http.request({
      agent,
      hostname,
      port,
      method,
      path,
      headers: given as http.OutgoingHttpHeaders,
    });
    let answered = false;
    // A body that is refused while it streams breaks the connection; the response counts.
    request.on("error", (error) => (answered ? undefined : reject(error)));
    request.on("response", (response) => {
      answered = true;
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => resolve(readReply(response, Buffer.concat(chunks))));
    });
    request.end(bytes);
  });
}

function readReply(response: http.IncomingMessage, bytes: Buffer): Reply {
  const { statusCode = 0, headers } = response;
  const json = /^application\/json\b/.test(headers["content-type"] ?? "") && bytes.length > 0;
  const text = bytes.toString("utf8");
  return { status: statusCode, headers, bytes, text, body: json ? JSON.parse(text) : undefined };
}

/** Checks the invariants of every response. */
function assertReplyInvariants(what: string, reply: Reply, ask: RequestOptions): void {
  const { status, headers, text } = reply;
  const summary = `${what} → ${status} ${text.slice(0, 300)}`;
  assert.ok(status < 500 || ask.failing, summary);
  assertHeaderInvariants(what, summary, reply);
  if (!ask.headers?.["origin"])
    assert.equal(headers["access-control-allow-origin"], undefined, `${summary}: another origin`);
  if (!/^POST \/api\/auth\/(login|logout)\b/.test(what) && !ask.mayRenew)
    assert.deepEqual(
      (headers["set-cookie"] ?? []).filter(isNoMailboxCookie(what, ask)),
      [],
      `${summary}: Set-Cookie`,
    );
  if (status >= 400) assertErrorShape(summary, what, reply);
  else if (reply.body !== undefined) assert.match(String(headers["content-type"]), JSON_TYPE, summary);
  if (status === 401)
    assert.match(String(headers["www-authenticate"]), /^Bearer realm="Heed"/, `${summary}: WWW-Authenticate`);
  if (status === 204) assert.equal(reply.bytes.length, 0, summary);
  if (reply.body !== undefined) assertTimesInOneForm(what, text);
}

/** Checks that every time is ISO 8601 in UTC with milliseconds, and every id a lower-case UUID (contract 3.6). */
function assertTimesInOneForm(what: string, text: string): void {
  const times = text.match(/"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}[^"\\]{0,30}"/g) ?? [];
  const odd = times.find((time) => !/^"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z"$/.test(time));
  assert.equal(odd, undefined, `${what}: a time in another form`);
  const ids = text.match(/"id": ?(?:"[^"]*"|\d+)/g) ?? [];
  const oddId = ids.find((id) => !/^"id": ?"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"$/.test(id));
  assert.equal(oddId, undefined, `${what}: an id that is no UUID`);
}

const JSON_TYPE = /^application\/json; ?charset=utf-8$/i;

/** Routes of pages that take a form without script, and respond with a page. */
const isPostedPage = (what: string) => /^POST \/(e|mailbox)\//.test(what);

function assertErrorShape(summary: string, what: string, { headers, body }: Reply): void {
  if (what.startsWith("HEAD ") || isPostedPage(what)) return;
  assert.match(String(headers["content-type"]), JSON_TYPE, summary);
  assert.deepEqual(Object.keys(body).sort(), ["code", "details", "error"], summary);
  for (const value of Object.values(body)) assert.equal(typeof value, "string", summary);
  assert.match(body.code, /^[A-Z_]+$/, summary);
  const errorText = `${body.error} ${body.details}`;
  assert.doesNotMatch(
    errorText,
    /prisma|postgres|sqlstate|\bselect\b.*\bfrom\b|\.tsx?\b|node_modules|\n\s*at /i,
    summary,
  );
}

/** Compares row counts before and after a request. The result is unusable when other requests ran at the same time. */
class RowCountWatch {
  /** While rows are counted around several requests. */
  static isPaused = false;
  static #underWay = 0;
  static #begun = 0;
  readonly #count: Partial<RowCount>;
  readonly #serial: number;
  #alone: boolean;

  private constructor(count: Partial<RowCount>, alone: boolean) {
    this.#count = count;
    this.#alone = alone;
    this.#serial = RowCountWatch.#begun;
  }

  static async begin(hooks: ClientHooks): Promise<RowCountWatch> {
    RowCountWatch.#begun += 1;
    RowCountWatch.#underWay += 1;
    if (RowCountWatch.#underWay > 1) return new RowCountWatch({}, false);
    const serial = RowCountWatch.#begun;
    const count = await hooks.countRows();
    return new RowCountWatch(count, serial === RowCountWatch.#begun);
  }

  /** The response has come: later requests don't disturb. */
  stop(): void {
    RowCountWatch.#underWay -= 1;
    if (this.#serial !== RowCountWatch.#begun) this.#alone = false;
  }

  async assertNothingWritten(summary: string): Promise<void> {
    if (this.#alone && RowCountWatch.#underWay === 0) await assertSameRows(this.#count, summary);
  }

  async end(): Promise<void> {
    await this.#count.end?.();
  }
}

async function assertSameRows(count: Partial<RowCount>, what: string): Promise<void> {
  const counts = await count.countBoth?.();
  assert.deepEqual(counts?.after, counts?.before, `${what}: rows changed`);
}
