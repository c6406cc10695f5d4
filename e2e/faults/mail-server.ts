import { once } from "node:events";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "#e2e/support/process.ts";

/** The behavior of the mail server. */
export type MailMode =
  /** Accepts mail. */
  | "takes"
  /** Accepts mail, with a delay of two seconds for each line. */
  | "slow"
  /** Accepts connections, and never responds. */
  | "hanging"
  /** Responds to the recipient with 451, a temporary failure. */
  | "busy"
  /** Responds to the recipient with 550, a permanent failure. */
  | "unwilling"
  /** Doesn't listen. */
  | "refusing";

/** Ignores errors of connections that the test itself breaks. */
const brokenOff = () => {};

/** A mail server that stores accepted mails, and whose behavior a fault sets. */
export class MailServer {
  mode: MailMode = "takes";
  /** Replies by recipient, which override the mode. */
  readonly replies = new Map<string, string>();
  readonly taken: { to: string; text: string }[] = [];
  /** Number of connection attempts while the server listened. */
  connections = 0;
  readonly #server = net.createServer((socket) => void this.#serve(socket).catch(brokenOff));
  readonly #open = new Set<net.Socket>();
  readonly #port: number;

  private constructor(port: number) {
    this.#port = port;
  }

  static async start(): Promise<MailServer> {
    const server = new MailServer(await findFreePort());
    await server.#listen();
    return server;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.#port}`;
  }

  async behave(mode: MailMode): Promise<void> {
    // Ends connections that hang. A connection whose mail was accepted isn't cut before it has the response, or the
    // mail would be sent again.
    if (this.mode === "hanging") for (const socket of this.#open) socket.destroy();
    this.mode = mode;
    if (mode === "refusing") await this.close();
    else if (!this.#server.listening) await this.#listen();
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, "close");
  }

  async #listen(): Promise<void> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  async #serve(socket: net.Socket): Promise<void> {
    this.connections += 1;
    this.#open.add(socket);
    socket.on("close", () => this.#open.delete(socket)).on("error", () => {});
    if (this.mode === "hanging") return;
    const say = async (line: string) => {
      if (this.mode === "slow") await sleep(2000);
      if (!socket.destroyed) socket.write(`${line}\r\n`);
    };
    await say("220 heed.test ESMTP");
    let to = "";
    let letter: string | undefined;
    let rest = "";
    socket.setEncoding("utf8");
    for await (const chunk of socket) {
      const lines = (rest + String(chunk)).split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (letter !== undefined && line !== ".") letter += `${line}\n`;
        else if (letter !== undefined) {
          this.taken.push({ to, text: letter });
          letter = undefined;
          await say("250 taken");
        } else if (/^DATA/i.test(line)) {
          letter = "";
          await say("354 go on");
        } else if (/^RCPT/i.test(line)) {
          to = /<([^>]*)>/.exec(line)?.[1] ?? "";
          await say(this.replies.get(to) ?? this.#answerTo());
        } else if (/^QUIT/i.test(line)) {
          await say("221 bye");
          socket.end();
        } else await say("250 fine");
      }
    }
  }

  #answerTo(): string {
    if (this.mode === "busy") return "451 try again later";
    if (this.mode === "unwilling") return "550 nobody of that name";
    return "250 fine";
  }
}
