import { once } from "node:events";
import net from "node:net";
import path from "node:path";

/**
 * A pooler like PgBouncer with `pool_mode = transaction`, with one server session for all clients: each client has it
 * until its transaction ends. It asks for no password, and logs in to the server with its first client's credentials.
 */
export class TransactionPooler {
  readonly #target: net.NetConnectOpts;
  readonly #sockets = new Set<net.Socket>();
  readonly #server = net.createServer((client) => void this.#serve(client).catch(() => {}));
  #session: Promise<{ server: net.Socket; greeting: Buffer[] }> | undefined;
  #turn: Promise<void> = Promise.resolve();
  #answers: ((frame: Buffer) => void) | undefined;

  private constructor(database: URL) {
    const { hostname, port, searchParams } = database;
    const folder = searchParams.get("host");
    this.#target = folder
      ? { path: path.join(folder, ".s.PGSQL.5432") }
      : { host: hostname, port: Number(port) };
  }

  /** @returns the pooler, and the URL of the database behind it */
  static async open(database: string): Promise<{ pooler: TransactionPooler; url: string }> {
    const url = new URL(database);
    const pooler = new TransactionPooler(url);
    pooler.#server.listen(0, "127.0.0.1");
    await once(pooler.#server, "listening");
    url.searchParams.delete("host");
    url.host = `127.0.0.1:${(pooler.#server.address() as net.AddressInfo).port}`;
    return { pooler, url: url.href };
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  async #serve(client: net.Socket): Promise<void> {
    this.#keep(client);
    const [startup] = (await once(client, "data")) as [Buffer];
    const first = this.#session === undefined;
    this.#session ??= this.#logIn(client, startup);
    const { server, greeting } = await this.#session;
    if (!first) for (const frame of greeting) client.write(frame);
    let release: (() => void) | undefined;
    let waiting: Buffer[] = [];
    const onFrame = (frame: Buffer) => {
      if (frame[0] === END) return void client.end();
      waiting.push(frame);
      // A query, or the end of what belongs together.
      if (frame[0] === QUERY || frame[0] === SYNC) void pass(waiting.splice(0));
    };
    const pass = async (frames: Buffer[]) => {
      if (!release) {
        const before = this.#turn;
        const mine = Promise.withResolvers<void>();
        this.#turn = mine.promise;
        await before;
        release = mine.resolve;
        this.#answers = (answer) => {
          if (!client.destroyed) client.write(answer);
          if (answer[0] !== READY || answer[5] !== IDLE) return;
          const done = release;
          release = undefined;
          done?.();
        };
      }
      for (const frame of frames) server.write(frame);
    };
    client.on("data", splitFrames(onFrame)).on("close", () => {
      waiting = [];
      release?.();
    });
  }

  /**
   * The first client's startup message opens the session; the server's last response to it greets the other clients.
   */
  #logIn(client: net.Socket, startup: Buffer): Promise<{ server: net.Socket; greeting: Buffer[] }> {
    const server = net.connect(this.#target);
    this.#keep(server);
    server.write(startup);
    const greeting: Buffer[] = [];
    const { promise, resolve } = Promise.withResolvers<{ server: net.Socket; greeting: Buffer[] }>();
    const proof = (chunk: Buffer) => server.write(chunk);
    client.on("data", proof);
    this.#answers = (frame) => {
      client.write(frame);
      const isDone = frame[0] === AUTHENTICATION && frame.readInt32BE(5) === 0;
      if (isDone || greeting.length > 0) greeting.push(frame);
      if (frame[0] !== READY) return;
      client.off("data", proof);
      resolve({ server, greeting });
    };
    server.on(
      "data",
      splitFrames((frame) => this.#answers?.(frame)),
    );
    return promise;
  }

  #keep(socket: net.Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket)).on("error", () => {});
  }
}

const [AUTHENTICATION, READY, QUERY, SYNC, END] = ["R", "Z", "Q", "S", "X"].map((name) => name.charCodeAt(0));
const IDLE = "I".charCodeAt(0);

/** Splits bytes into messages: a type, a length that includes its own bytes, and the content. */
function splitFrames(take: (frame: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length >= rest.readInt32BE(1) + 1) {
      const length = rest.readInt32BE(1) + 1;
      take(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  };
}
