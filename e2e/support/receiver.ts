import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

type ReceivedDelivery = { path: string; headers: http.IncomingHttpHeaders; body: string };

/** A server on this machine that stores the requests it receives, and responds as configured. */
export type WebhookReceiver = {
  url: string;
  letters: ReceivedDelivery[];
  /** Number of connections, including those without a request. */
  connections: number;
  /** Handlers for the next requests, one each; later requests get 204. */
  answers: ((response: http.ServerResponse) => void)[];
};

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const receiver: WebhookReceiver = { url: "", letters: [], connections: 0, answers: [] };
  const server = http.createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      receiver.letters.push({ path: request.url ?? "", headers: request.headers, body });
      const answer = receiver.answers.shift() ?? ((plain) => void plain.writeHead(204).end());
      answer(response);
    });
  });
  server.on("connection", () => (receiver.connections += 1));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return receiver;
}
