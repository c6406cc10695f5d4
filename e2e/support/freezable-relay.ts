import { once } from "node:events";
import net from "node:net";
import path from "node:path";

/**
 * A relay to the database. While it is frozen, it forwards nothing and keeps its connections open, like an unresponsive
 * network.
 */
export class FreezableRelay {
  frozen = false;
  readonly #target: net.NetConnectOpts;
  readonly #sockets = new Set<net.Socket>();
  readonly #server = net.createServer((from) => this.#relay(from));

  private constructor(database: URL) {
    const { hostname, port, searchParams } = database;
    const folder = searchParams.get("host");
    this.#target = folder
      ? { path: path.join(folder, ".s.PGSQL.5432") }
      : { host: hostname, port: Number(port) };
  }

  /** @returns the relay, and the URL of the database through it */
  static async open(database: string): Promise<{ way: FreezableRelay; url: string }> {
    const url = new URL(database);
    const way = new FreezableRelay(url);
    way.#server.listen(0, "127.0.0.1");
    await once(way.#server, "listening");
    url.searchParams.delete("host");
    url.host = `127.0.0.1:${(way.#server.address() as net.AddressInfo).port}`;
    return { way, url: url.href };
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #relay(from: net.Socket): void {
    const to = net.connect(this.#target);
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      this.#sockets.add(one);
      one.on("data", (chunk) => !this.frozen && other.write(chunk));
      one.on("close", () => other.destroy()).on("error", () => {});
    }
  }
}
