import assert from "node:assert/strict";
import http from "node:http";
import type { ErrorCatalog } from "./documented-errors.ts";

/**
 * A client as plain as curl: it sends what it is told and no browser's headers, keeps the session cookie of one
 * person, and looks at every answer for what must hold for all of them.
 */

export type Reply = {
  status: number;
  headers: http.IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
  // What came is looked at by the tests; nothing is known about it before.
  body: any;
};

export type RequestOptions = {
  headers?: Record<string, string | undefined>;
  /** The body as it goes over the wire, instead of a value that becomes JSON. */
  raw?: string | Buffer;
  /** An answer of 500 or more is what the test is about. */
  failing?: true;
  /** A session cookie may come with this answer. */
  mayRenew?: true;
  /** The report asks for the cookie of its mailbox. */
  opensMailbox?: true;
  /** Rows may change although the answer is 4xx. */
  mayWrite?: true;
};

export type ClientHooks = {
  /** How many rows there are in every table that no job writes to. */
  countRows: () => Promise<Record<string, number>>;
  /** What the OpenAPI document says about errors; without it, they aren't compared with it. */
  errors?: ErrorCatalog;
};

export class Client {
  readonly base: string;
  cookie: string | undefined;
  /** The cookie by which an account knows this device again, from the last sign-in. */
  device: string | undefined;
  /** The cookie of the mailbox that this client has opened. */
  mailbox: string | undefined;
  /** The cookie of the letterbox that this client has opened. */
  letterbox: string | undefined;
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

  /** Any method. FormData goes as multipart, anything else but undefined as JSON. */
  async send(method: string, path: string, body?: unknown, ask: RequestOptions = {}): Promise<Reply> {
    const encoded = await encodeBody(body, ask);
    const headers = { ...encoded.headers, ...this.#cookies(), ...ask.headers };
    const watch =
      ask.mayWrite || SAFE_METHODS.includes(method) ? undefined : await RowCountWatch.begin(this.#hooks);
    const reply = await sendRawRequest(this.base, { method, path, headers, bytes: encoded.bytes }).finally(
      () => watch?.end(),
    );
    assertReplyInvariants(`${method} ${path}`, reply, ask);
    this.#assertDocumentedError(method, path, reply);
    if (watch && reply.status >= 400) await watch.assertNothingWritten(`${method} ${path} → ${reply.status}`);
    this.#keepCookies(reply);
    return reply;
  }

  /** What an operation refuses, with the name of its text, is in the OpenAPI document (contract 13.3). */
  #assertDocumentedError(method: string, path: string, { status, headers, body, text }: Reply): void {
    if (status < 400 || !headers["x-error-key"] || body?.code === "METHOD_NOT_ALLOWED") return;
    const isDocumented = this.#hooks.errors?.has(method, path, `${status} ${body?.code}`) ?? true;
    assert.ok(isDocumented || !body, `${method} ${path} → ${status} ${text.slice(0, 300)} isn't documented`);
  }

  #cookies(): { cookie?: string } {
    const all = [this.cookie, this.device, this.mailbox, this.letterbox].filter((pair) => pair !== undefined);
    return all.length > 0 ? { cookie: all.join("; ") } : {};
  }

  #keepCookies(reply: Reply): void {
    for (const line of reply.headers["set-cookie"] ?? []) {
      const pair = line.split(";")[0] ?? "";
      const [, name] = /^(?:__Host-)?(device|mailbox|letterbox)=/.exec(pair) ?? [];
      const kind = (name as "device" | "mailbox" | "letterbox" | undefined) ?? "cookie";
      this[kind] = /max-age=0(;|$)/i.test(line) ? undefined : pair;
    }
  }
}

/** The mailbox's own routes set its cookie; a report does only when it asks for it. */
const isNoMailboxCookie =
  (what: string, { opensMailbox }: RequestOptions) =>
  (line: string) =>
    !/^(__Host-)?(mailbox|letterbox)=/.test(line) ||
    !(opensMailbox || /^(POST|DELETE) \/api\/(mailbox|letterbox)\b/.test(what));

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

/** One request and its answer, without a look at either. */
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
    // A body that is refused while it streams breaks the connection; what counts then is the answer.
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

/** What holds for every answer of the service. */
function assertReplyInvariants(what: string, reply: Reply, ask: RequestOptions): void {
  const { status, headers, text } = reply;
  const summary = `${what} → ${status} ${text.slice(0, 300)}`;
  assert.ok(status < 500 || ask.failing, summary);
  assert.match(String(headers["x-request-id"]), /^[0-9a-f-]{36}$/, `${summary}: X-Request-Id`);
  assert.equal(headers["x-content-type-options"], "nosniff", `${summary}: nosniff`);
  if (!(isPublicImage(what) && status < 400))
    assert.match(String(headers["cache-control"]), /no-store/, `${summary}: Cache-Control`);
  assert.equal(headers["x-powered-by"], undefined, `${summary}: X-Powered-By`);
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

/** Every time is ISO 8601 in UTC with milliseconds, and every id a lower-case UUID (contract 3.6). */
function assertTimesInOneForm(what: string, text: string): void {
  const times = text.match(/"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}[^"\\]{0,30}"/g) ?? [];
  const odd = times.find((time) => !/^"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z"$/.test(time));
  assert.equal(odd, undefined, `${what}: a time in another form`);
  const ids = text.match(/"id": ?(?:"[^"]*"|\d+)/g) ?? [];
  const oddId = ids.find((id) => !/^"id": ?"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"$/.test(id));
  assert.equal(oddId, undefined, `${what}: an id that is no UUID`);
}

const JSON_TYPE = /^application\/json; ?charset=utf-8$/i;
const isPublicImage = (what: string) => /^(GET|HEAD) \S+\/(logo|avatar)(\?|$)/.test(what);

function assertErrorShape(summary: string, what: string, { headers, body }: Reply): void {
  if (what.startsWith("HEAD ")) return;
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

/** Rows before and after a request; of no worth when others were under way at the same time. */
class RowCountWatch {
  static #underWay = 0;
  static #begun = 0;
  readonly #hooks: ClientHooks;
  readonly #before: Record<string, number>;
  readonly #serial: number;
  #alone: boolean;

  private constructor(hooks: ClientHooks, before: Record<string, number>, alone: boolean) {
    this.#hooks = hooks;
    this.#before = before;
    this.#alone = alone;
    this.#serial = RowCountWatch.#begun;
  }

  static async begin(hooks: ClientHooks): Promise<RowCountWatch> {
    RowCountWatch.#begun += 1;
    RowCountWatch.#underWay += 1;
    if (RowCountWatch.#underWay > 1) return new RowCountWatch(hooks, {}, false);
    const serial = RowCountWatch.#begun;
    const before = await hooks.countRows();
    return new RowCountWatch(hooks, before, serial === RowCountWatch.#begun);
  }

  end(): void {
    RowCountWatch.#underWay -= 1;
    if (this.#serial !== RowCountWatch.#begun) this.#alone = false;
  }

  async assertNothingWritten(summary: string): Promise<void> {
    if (this.#alone && RowCountWatch.#underWay === 0)
      assert.deepEqual(await this.#hooks.countRows(), this.#before, `${summary}: rows changed`);
  }
}
