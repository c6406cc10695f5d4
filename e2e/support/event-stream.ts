import http from "node:http";
import type { Client } from "./client.ts";
import { waitUntil } from "./wait.ts";

/** A received event: its name, its id if it has one, and its data. */
export type LiveEvent = { event: string; id: string | undefined; data: Record<string, any> };

/** An open stream of Server-Sent Events, parsed without a library. */
export class EventStream {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** Everything that was received, unparsed. */
  text = "";
  ended = false;
  readonly #request: http.ClientRequest;
  readonly #response: http.IncomingMessage;

  private constructor(request: http.ClientRequest, response: http.IncomingMessage) {
    this.#request = request;
    this.#response = response;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => (this.text += chunk));
    for (const end of ["end", "error", "close"]) response.on(end, () => (this.ended = true));
  }

  /** Opens the stream of the client's person. */
  static open(
    client: Client,
    headers: Record<string, string> = {},
    base = client.base,
  ): Promise<EventStream> {
    const { hostname, port } = new URL(base);
    return new Promise((resolve, reject) => {
      const request = http.get({
        // A separate connection, so that no other request waits for it.
        agent: new http.Agent(),
        hostname,
        port,
        path: "/api/users/me/stream",
        headers: { accept: "text/event-stream", cookie: client.cookie ?? "", ...headers },
      });
      request.on("error", reject);
      request.on("response", (response) => resolve(new EventStream(request, response)));
    });
  }

  /** Whether the service ended the stream itself, rather than its connection being cut. */
  get complete(): boolean {
    return this.#response.complete;
  }

  get events(): LiveEvent[] {
    return this.text
      .split("\n\n")
      .slice(0, -1)
      .flatMap((block) => {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
        const data = field("data");
        return data === undefined
          ? []
          : [{ event: field("event") ?? "message", id: field("id"), data: JSON.parse(data) }];
      });
  }

  /** The received changes, as `kind incidentId`. */
  get changes(): string[] {
    return this.events
      .filter(({ event }) => event === "change")
      .map(({ data }) => `${data.kind} ${data.incidentId}`);
  }

  /** Waits for an event that matches. */
  next(what: string, fits: (event: LiveEvent) => boolean): Promise<LiveEvent> {
    return waitUntil(what, () => this.events.find(fits));
  }

  change(kind: string, incidentId: string | null): Promise<LiveEvent> {
    return this.next(
      `${kind} in a stream`,
      ({ event, data }) => event === "change" && data.kind === kind && data.incidentId === incidentId,
    );
  }

  /** Closes the connection, like a closed window. */
  close(): void {
    this.#request.destroy();
  }
}
