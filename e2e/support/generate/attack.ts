import assert from "node:assert/strict";
import { fillPath, type Row } from "#e2e/api/routes.ts";
import type { RequestOptions, Client, Reply } from "#e2e/support/client.ts";
import type { DescribedOperation, ApiDescription, Json } from "#e2e/support/api-description.ts";
import { buildForm, createJpeg, createPdf, createPng } from "#e2e/support/evidence.ts";
import type { SharedService } from "#e2e/support/service.ts";
import { TestFixture, getAskerRole } from "./test-fixture.ts";
import { listPlaceholderNames, fillPlaceholders } from "./placeholders.ts";
import type { Asker, Change, Plan } from "./plans.ts";
import type { FileValue } from "./values.ts";

/** Sends the requests of plans, and checks the invariants of each response. */

type Request = { path: string; headers: Record<string, string>; body?: unknown; raw?: string };

export class RequestFuzzer {
  readonly responseCounts = new ResponseCounts();
  readonly #service: SharedService;
  readonly #description: ApiDescription;
  readonly #watched: number;
  #ground: TestFixture | undefined;

  /** @param watched one of this many refused requests is checked for changed rows, since counting is slow */
  constructor(service: SharedService, description: ApiDescription, watched: number) {
    this.#service = service;
    this.#description = description;
    this.#watched = watched;
  }

  /**
   * Sends one request and checks its response against the document, the client's invariants and the secrets. @throws
   * Error with the request as it was sent and the problem of the response
   */
  async send(described: DescribedOperation, row: Row, plan: Plan): Promise<Reply> {
    const ground = (this.#ground ??= await TestFixture.make(this.#service));
    const { request, client } = await this.#prepared(ground, row, plan);
    const summary = `${plan.asker}: ${row.method} ${formatRequest(request)}`;
    const reply = await this.#exchange(client, row, request).catch((error: Error) => {
      throw new Error(`${summary}\n${error.message}`, { cause: error });
    });
    this.responseCounts.count(described.title, plan.asker, reply.status);
    const objections = isNotModified(reply) ? [] : this.#description.objections(described, reply);
    assert.deepEqual(objections, [], `${summary}\n${reply.status} ${reply.text.slice(0, 600)}`);
    // A client that signs in as another person is that person from then on.
    const secrets = row.path.endsWith("/login") && reply.status === 200 ? [] : ground.secretsFrom(plan.asker);
    assert.deepEqual(
      findLeaks(secrets, request, reply),
      [],
      `${summary}\n${reply.text.slice(0, 600)}\nholds what it must not`,
    );
    const written = row.method !== "GET" && reply.status < 400;
    // A download writes the request to the audit log.
    if (reply.status < 400) ground.addDisclosed(listPlaceholderNames(plan.changes));
    if (!(await ground.isUsable(written))) this.#ground = undefined;
    return reply;
  }

  async #prepared(ground: TestFixture, row: Row, plan: Plan): Promise<{ request: Request; client: Client }> {
    const role = getAskerRole(plan.asker);
    const example = await ground.example(row, role);
    const request: RequestDraft = {
      params: { ...ground.caller.params, ...example.params },
      query: example.query ? example.query.split("&") : [],
      headers: {
        ...buildAuthorization(ground, plan.asker),
        ...(example.cookie !== undefined && { cookie: example.cookie }),
      },
      body: example.body,
    };
    for (const change of plan.changes) await applyChange(request, resolveChange(change, ground));
    const { params, query, ...rest } = request;
    const path = fillPath(plan.path, params, query.join("&"));
    const client = plan.asker in ground.tokens ? ground.world.nobody : await ground.caller.client(row, role);
    return { request: { path, ...rest }, client };
  }

  /** A server may refuse a header before it reads the body; the connection then ends early. */
  async #exchange(client: Client, row: Row, { path, headers, body, raw }: Request): Promise<Reply> {
    const sent = raw === undefined ? body : undefined;
    const type = raw === undefined ? {} : { "content-type": "application/json" };
    const ask: RequestOptions = {
      opensMailbox: true,
      headers: { ...type, ...headers },
      ...(raw === undefined ? {} : { raw }),
    };
    if (this.responseCounts.total % this.#watched > 0) ask.mayWrite = true;
    return client.send(row.method, path, sent, ask);
  }
}

type RequestDraft = {
  params: Record<string, string>;
  query: string[];
  headers: Record<string, string>;
  body: unknown;
  raw?: string;
};

const buildAuthorization = (ground: TestFixture, asker: Asker): Record<string, string> =>
  asker === "eventToken" || asker === "readingToken" ? { authorization: ground.tokens[asker] } : {};

const resolveChange = (change: Change, { known }: TestFixture): Change =>
  "value" in change ? ({ ...change, value: fillPlaceholders(change.value, known) } as Change) : change;

async function applyChange(request: RequestDraft, change: Change): Promise<void> {
  if (change.part === "param") request.params[change.name] = encodePathValue(change.value) || "%20";
  else if (change.part === "query")
    request.query.push(`${encodePathValue(change.name)}=${encodePathValue(joinValues(change.value))}`);
  else if (change.part === "header") request.headers[change.name] = change.value;
  else if (change.part === "body") request.raw = change.raw;
  else if (change.part === "asJson") request.body = toJson(request.body);
  else request.body = await changeBody(request.body, change);
}

/** Joins a list to one value with commas, as in a query. */
const joinValues = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map((one) => (typeof one === "object" ? JSON.stringify(one) : String(one))).join(",")
    : value;

/** Encodes a value for a URL. Lone surrogates can't be encoded as text, but as bytes. */
const encodePathValue = (value: unknown): string => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return [...text]
    .map((one) => (one.isWellFormed() ? encodeURIComponent(one) : "%ED%A0%80"))
    .join("")
    .slice(0, 17_000);
};

const toJson = (body: unknown): unknown =>
  body instanceof FormData
    ? Object.fromEntries([...body].map(([name, value]) => [name, typeof value === "string" ? value : {}]))
    : body;

type FieldChange = Extract<Change, { part: "field" | "drop" | "param" | "query" }>;

async function changeBody(body: unknown, change: FieldChange): Promise<unknown> {
  if (body instanceof FormData) return changeForm(body, change);
  const copy: Json = { ...(body as Json | undefined) };
  if (change.part === "drop") delete copy[change.name];
  else
    Object.defineProperty(copy, change.name, { value: change.value, enumerable: true, configurable: true });
  return copy;
}

async function changeForm(body: FormData, change: FieldChange): Promise<FormData> {
  const copy = buildForm({});
  const name = change.name.isWellFormed() ? change.name : "half";
  for (const [field, value] of body) if (field !== name) copy.append(field, value);
  if (change.part === "drop") return copy;
  for (const value of [change.value].flat())
    if (isFile(value))
      copy.append(name, new Blob([await readFileBytes(value)], { type: value.type }), value.name);
    else copy.append(name, typeof value === "string" ? value : JSON.stringify(value ?? null));
  return copy;
}

const isFile = (value: unknown): value is FileValue =>
  typeof value === "object" && value !== null && Object.hasOwn(value, "file");

async function readFileBytes({ file }: FileValue): Promise<Uint8Array<ArrayBuffer>> {
  const picture = await createPng();
  const kinds: Record<string, Uint8Array> = {
    png: picture,
    jpeg: await createJpeg(),
    text: Buffer.from("What I saw."),
    html: Buffer.from("<!doctype html><script>alert(1)</script>"),
    svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    empty: Buffer.alloc(0),
    cut: picture.subarray(0, picture.length / 2),
    random: Buffer.from(Array.from({ length: 500 }, (_, at) => (at * 197) % 256)),
    pdf: createPdf(),
  };
  return new Uint8Array(kinds[file] ?? Buffer.alloc(0));
}

const formatRequest = ({ path, headers, body, raw }: Request): string =>
  [
    path.slice(0, 500),
    JSON.stringify(headers).slice(0, 500),
    raw === undefined ? toText(body).slice(0, 1500) : `raw ${JSON.stringify(raw.slice(0, 300))}`,
  ].join(" ");

const toText = (body: unknown): string =>
  body instanceof FormData
    ? JSON.stringify([...body].map(([name, value]) => [name, typeof value === "string" ? value : value.name]))
    : (JSON.stringify(body) ?? "");

/** Lists secrets that a response contains, except those that the request contained. */
function findLeaks(secrets: string[], { path, headers, body, raw }: Request, reply: Reply): string[] {
  const sent = `${decodePath(path)} ${JSON.stringify(headers)} ${toText(body)} ${raw ?? ""}`.toLowerCase();
  const answer = `${JSON.stringify(reply.headers)} ${reply.text}`;
  return secrets.filter((secret) => answer.includes(secret) && !sent.includes(secret.toLowerCase()));
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const isNotModified = ({ status, bytes }: Reply) => status === 304 && bytes.length === 0;

/** Counts responses by operation and asker. */
class ResponseCounts {
  readonly operations = new Map<string, Map<number, number>>();
  readonly askers = new Map<string, Map<number, number>>();
  total = 0;

  count(operation: string, asker: Asker, status: number): void {
    this.total += 1;
    for (const [counts, key] of [
      [this.operations, operation],
      [this.askers, asker],
    ] as const) {
      const statuses = counts.get(key) ?? new Map<number, number>();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      counts.set(key, statuses);
    }
  }

  /** Returns the share of an operation's requests that succeeded, from 0 to 1. */
  accepted(operation: string): number {
    const statuses = [...(this.operations.get(operation) ?? [])];
    const sum = (some: [number, number][]) => some.reduce((total, [, times]) => total + times, 0);
    return sum(statuses.filter(([status]) => status < 300)) / (sum(statuses) || 1);
  }

  /** Formats the counts: by asker, then by operation with the share that succeeded. */
  summary(): string {
    const line = (name: string, statuses: Map<number, number>) =>
      `${name.padEnd(14)} ${[...statuses]
        .toSorted(([a], [b]) => a - b)
        .map(([status, times]) => `${status}×${times}`)
        .join(" ")}`;
    const byAsker = [...this.askers].map(([asker, statuses]) => line(asker, statuses));
    const byOperation = [...this.operations].map(
      ([title, statuses]) =>
        `${String(Math.round(this.accepted(title) * 100)).padStart(3)} % ${line(title, statuses)}`,
    );
    return [`${this.total} requests`, "", ...byAsker, "", ...byOperation].join("\n");
  }
}
