import { once } from "node:events";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "#e2e/support/process.ts";

/** The behavior of the relay. */
export type RelayMode =
  | "passes"
  /** Doesn't listen. */
  | "refuses"
  /** Accepts all bytes, and forwards none. */
  | "hangs"
  /** Delays each chunk by a second. */
  | "slow"
  /** Responds to every request with 503. */
  | "fails"
  /** Breaks the connection in the middle of an upload. */
  | "cuts";

const CUT_AFTER_BYTES = 100_000;
const FAILURE = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/** A relay between the service and another server, whose behavior a scenario sets. */
export class TcpRelay {
  readonly port: number;
  #mode: RelayMode = "passes";
  readonly #target: number;
  // Connections that the relay itself breaks are no errors.
  readonly #server = net.createServer((socket) => void this.#relay(socket).catch(() => {}));
  readonly #open = new Set<net.Socket>();

  private constructor(port: number, target: number) {
    this.port = port;
    this.#target = target;
  }

  static async start(target: number): Promise<TcpRelay> {
    const relay = new TcpRelay(await findFreePort(), target);
    await relay.#listen();
    return relay;
  }

  async behave(mode: RelayMode): Promise<void> {
    // What is slow may end: a mail that was accepted and cut before its response would be sent again.
    if (this.#mode !== "slow") for (const socket of this.#open) socket.destroy();
    this.#mode = mode;
    if (mode === "refuses") await this.close();
    else if (!this.#server.listening) await this.#listen();
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, "close");
  }

  async #listen(): Promise<void> {
    this.#server.listen(this.port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  async #relay(from: net.Socket): Promise<void> {
    this.#keep(from);
    if (this.#mode === "hangs") return void from.resume();
    if (this.#mode === "fails") return void from.once("data", () => from.end(FAILURE));
    const to = net.connect(this.#target, "127.0.0.1");
    this.#keep(to);
    to.on("data", (chunk) => from.write(chunk));
    to.on("close", () => from.destroy());
    from.on("close", () => to.destroy());
    let passed = 0;
    for await (const chunk of from as AsyncIterable<Buffer>) {
      passed += chunk.length;
      if (this.#mode === "cuts" && passed > CUT_AFTER_BYTES) return void from.destroy();
      if (this.#mode === "slow") await sleep(1000);
      to.write(chunk);
    }
  }

  #keep(socket: net.Socket): void {
    this.#open.add(socket);
    socket.on("close", () => this.#open.delete(socket)).on("error", () => {});
  }
}
