import http from "node:http";
import type { AddressInfo } from "node:net";

/** A proxy that sends each request to the next of its servers, like a load balancer in front of several machines. */
export class RoundRobinProxy {
  readonly url: string;
  /** How many requests each server got. */
  readonly sent: number[];
  targets: string[] = [];
  readonly #server: http.Server;
  readonly #agent = new http.Agent({ keepAlive: true });
  #turn = 0;

  private constructor(server: http.Server, servers: number) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.sent = Array.from({ length: servers }, () => 0);
  }

  /** Starts to listen; forwards nothing before `targets` is set. */
  static async open(servers: number): Promise<RoundRobinProxy> {
    const server = http.createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const proxy = new RoundRobinProxy(server, servers);
    server.on("request", (request, response) => proxy.#pass(request, response));
    return proxy;
  }

  #pass(request: http.IncomingMessage, response: http.ServerResponse): void {
    const at = this.#turn++ % this.targets.length;
    this.sent[at] = (this.sent[at] ?? 0) + 1;
    const { hostname, port } = new URL(this.targets[at] ?? "");
    const { method, url, headers, socket } = request;
    const from = [headers["x-forwarded-for"], socket.remoteAddress].filter(Boolean).join(", ");
    const onward = http.request(
      {
        agent: this.#agent,
        hostname,
        port,
        method,
        path: url,
        headers: { ...headers, "x-forwarded-for": from },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
  }
}
