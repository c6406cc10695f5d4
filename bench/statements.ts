import net from "node:net";
import path from "node:path";

/**
 * A relay between the service and PostgreSQL that counts the statements of the service's own pool: each execution of
 * a prepared statement and each simple query. It reads the protocol's messages and changes nothing.
 */

export type StatementRelay = {
  /** The database's URL through the relay. */
  url: string;
  /** All statements so far, in order, including those that begin and end transactions. */
  statements: string[];
  close(): void;
};

/** Only this pool serves requests; the job queue has its own connections. */
const POOL_NAME = "heed";
/** The dispatcher uses the same connections between requests; its statements belong to no request. */
const DISPATCHER_PATTERN = /\bfrom outbox_events\b/;

export async function openRelay(databaseUrl: string): Promise<StatementRelay> {
  const target = parseConnectOptions(databaseUrl);
  const statements: string[] = [];
  const sockets = new Set<net.Socket>();
  const server = net.createServer((client) => {
    const database = net.connect(target);
    const reader = new MessageReader((sql) => statements.push(sql));
    client.on("data", (bytes) => reader.read(bytes as Buffer));
    client.pipe(database).pipe(client);
    for (const socket of [client, database]) sockets.add(socket.on("error", () => socket.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(databaseUrl);
  url.searchParams.delete("host");
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as net.AddressInfo).port);
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url: url.href, statements, close };
}

/** True for begin, commit and the like, including settings of a transaction. */
export const isTransactional = (sql: string): boolean =>
  /^\s*(begin|commit|rollback|savepoint|set transaction|set local)\b/i.test(sql);

function parseConnectOptions(databaseUrl: string): net.NetConnectOpts {
  const url = new URL(databaseUrl);
  const folder = url.searchParams.get("host");
  if (folder?.startsWith("/")) return { path: path.join(folder, ".s.PGSQL.5432") };
  return { host: url.hostname, port: Number(url.port || 5432) };
}

/** The messages of one connection from the service: Parse and Bind say what a later Execute runs. */
class MessageReader {
  readonly #onStatement: (sql: string) => void;
  readonly #prepared = new Map<string, string>();
  readonly #portals = new Map<string, string>();
  #waiting: Buffer = Buffer.alloc(0);
  #begun = false;
  #isDispatching = false;
  #counts: boolean | undefined;

  constructor(onStatement: (sql: string) => void) {
    this.#onStatement = onStatement;
  }

  read(bytes: Buffer): void {
    this.#waiting = Buffer.concat([this.#waiting, bytes]);
    // The first message has no type; all have a length that includes its own bytes.
    for (;;) {
      const head = this.#counts === undefined ? 0 : 1;
      if (this.#waiting.length < head + 4) return;
      const end = head + this.#waiting.readUInt32BE(head);
      if (this.#waiting.length < end) return;
      const body = this.#waiting.subarray(head + 4, end);
      if (head === 0) this.#counts = isRequestPool(body);
      else if (this.#counts) this.#hear(String.fromCharCode(this.#waiting[0] ?? 0), body);
      this.#waiting = this.#waiting.subarray(end);
    }
  }

  #hear(type: string, body: Buffer): void {
    const [first = "", second = ""] = readTexts(body, 2);
    if (type === "P") this.#prepared.set(first, second);
    if (type === "B") this.#portals.set(first, second);
    if (type === "E") this.#ran(this.#prepared.get(this.#portals.get(first) ?? "") ?? "");
    if (type === "Q") this.#ran(first);
  }

  /** The second statement shows whether a transaction is the dispatcher's, so `begin` is counted only then. */
  #ran(sql: string): void {
    if (this.#isDispatching) this.#isDispatching = !/^(commit|rollback)$/i.test(sql);
    else if (sql === "begin") this.#begun = true;
    else {
      this.#isDispatching = this.#begun && DISPATCHER_PATTERN.test(sql);
      if (this.#begun && !this.#isDispatching) this.#onStatement("begin");
      if (!DISPATCHER_PATTERN.test(sql)) this.#onStatement(sql);
      this.#begun = false;
    }
  }
}

function isRequestPool(startup: Buffer): boolean {
  const parts = readTexts(startup.subarray(4), 40);
  return parts[parts.indexOf("application_name") + 1] === POOL_NAME;
}

/** Returns the zero-terminated texts at the beginning of a message. */
function readTexts(body: Buffer, count: number): string[] {
  const found: string[] = [];
  for (let from = 0; found.length < count;) {
    const end = body.indexOf(0, from);
    if (end < 0) break;
    found.push(body.toString("utf8", from, end));
    from = end + 1;
  }
  return found;
}
