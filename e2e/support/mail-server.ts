import { once } from "node:events";
import net from "node:net";

/** The behavior of the mail server. */
export type MailMode =
  /** Accepts mail. */
  | "takes"
  /** Accepts connections, and never responds. */
  | "hanging"
  /** Responds to the recipient with 451, a temporary failure. */
  | "busy"
  /** Responds to the recipient with 550, a permanent failure. */
  | "unwilling";

const REPLIES: Partial<Record<MailMode, string>> = {
  busy: "451 try again later",
  unwilling: "550 nobody of that name",
};

/** A mail server that stores accepted mails, and whose behavior a test sets. */
export class MailServer {
  /** Replies by recipient, which override the mode. */
  readonly replies = new Map<string, string>();
  readonly taken: { to: string; text: string }[] = [];
  /** Number of connection attempts. */
  connections = 0;
  #mode: MailMode = "takes";
  // Connections that the test itself breaks are no errors.
  readonly #server = net.createServer((socket) => void this.#serve(socket).catch(() => {}));
  readonly #open = new Set<net.Socket>();

  static async start(): Promise<MailServer> {
    const server = new MailServer();
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get port(): number {
    return (this.#server.address() as net.AddressInfo).port;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  behave(mode: MailMode): void {
    // Ends connections that hang. A connection whose mail was accepted isn't cut before it has the response, or the
    // mail would be sent again.
    if (this.#mode === "hanging") for (const socket of this.#open) socket.destroy();
    this.#mode = mode;
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #serve(socket: net.Socket): Promise<void> {
    this.connections += 1;
    this.#open.add(socket);
    socket.on("close", () => this.#open.delete(socket)).on("error", () => {});
    if (this.#mode === "hanging") return;
    const say = (line: string) => void (socket.destroyed || socket.write(`${line}\r\n`));
    say("220 heed.test ESMTP");
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
          say("250 taken");
        } else if (/^DATA/i.test(line)) {
          letter = "";
          say("354 go on");
        } else if (/^RCPT/i.test(line)) {
          to = /<([^>]*)>/.exec(line)?.[1] ?? "";
          say(this.replies.get(to) ?? REPLIES[this.#mode] ?? "250 fine");
        } else if (/^QUIT/i.test(line)) {
          say("221 bye");
          socket.end();
        } else say("250 fine");
      }
    }
  }
}
