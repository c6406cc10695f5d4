import { once } from "node:events";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, expect, it } from "vitest";
import { MailServer } from "#e2e/support/mail-server.ts";
import { FreezableRelay } from "#e2e/support/freezable-relay.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import type { JobWorker } from "#lib/worker/worker.ts";

/** Jobs while something that they need says nothing: the mail server, or the database. */

const mail = await MailServer.start();
await mail.behave("hanging");
process.env.SMTP_URL = mail.url;

// Loaded after that, since they read the environment.
const { sql } = await import("#lib/database/client.ts");
const { enqueueJob } = await import("#lib/jobs/enqueue.ts");
const { startWorker } = await import("#lib/worker/worker.ts");
const { createSmtpTransport } = await import("#lib/mail/transport.ts");

const { way, url } = await FreezableRelay.open(process.env.DATABASE_URL ?? "");

let worker: JobWorker | undefined;
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
});
afterAll(async () => {
  await mail.close();
  way.close();
});

const waiting = async (task: string): Promise<number> => {
  const [row] = await sql.$queryRaw<{ count: bigint }[]>`
    select count(*) as count from graphile_worker.jobs where task_identifier = ${task}`;
  return Number(row?.count);
};

it("other jobs run while many mails wait for a silent server", async () => {
  const [user] = await sql.$queryRaw<{ id: string }[]>`
    insert into users (email, name, password_hash, email_verified_at)
    values ('maya@example.org', 'Maya', 'x', now()) returning id`;
  for (let count = 0; count < 6; count += 1)
    await enqueueJob(sql, "mail.notice", { userId: user?.id ?? "", kind: "passwordChanged" });
  worker = await startWorker(process.env.DATABASE_URL ?? "");
  await waitUntil("as many mails under way as there may be", () => mail.connections >= 2);
  await enqueueJob(sql, "sweepTemporary", {});
  await waitUntil("the other job is done", async () => (await waiting("sweepTemporary")) === 0);
  expect(mail.connections, "before the first mail is given up and the next one tried").toBe(2);
  expect(await waiting("mail.notice")).toBe(6);
});

it("jobs continue after an unresponsive database is back", async () => {
  worker = await startWorker(url);
  // Each worker asks for jobs every two seconds, and one question at least gets lost.
  way.frozen = true;
  await sleep(10_000);
  way.frozen = false;
  await enqueueJob(sql, "sweepTemporary", {});
  await waitUntil("the job is done", async () => (await waiting("sweepTemporary")) === 0, 60_000);
}, 90_000);

const letter = { to: "maya@example.org", message: { subject: "s", text: "t", html: "<p>t</p>" } };

/** A mail server that does with each connection as it likes; `open` are those that nobody has ended. */
async function serverThat(serve: (socket: net.Socket) => void) {
  const open = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket)).on("error", () => {});
    serve(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, open, close: () => server.close() };
}

it("a mail whose server never finishes its response is given up, and the connection cut", async () => {
  const talker = await serverThat((socket) => {
    const talking = setInterval(() => socket.write("220-and another thing\r\n"), 100);
    socket.on("close", () => clearInterval(talking));
  });
  await expect(createSmtpTransport(talker.url, 1500).send(letter)).rejects.toMatchObject({
    code: "ETIMEDOUT",
  });
  await waitUntil("the connection is cut", () => talker.open.size === 0);
  talker.close();
});

it("nothing more is sent of a mail that was given up and will be retried", async () => {
  let heard = "";
  const afterData: net.Socket[] = [];
  const slow = await serverThat((socket) => {
    socket.write("220 heed.test ESMTP\r\n");
    socket.setEncoding("utf8").on("data", (line) => {
      heard += String(line);
      if (/^DATA/i.test(String(line))) afterData.push(socket);
      else socket.write("250 fine\r\n");
    });
  });
  const send = () => createSmtpTransport(slow.url, 1500).send(letter);
  // On a busy machine the time may be over before the mail got as far as DATA.
  do await expect(send()).rejects.toMatchObject({ code: "ETIMEDOUT" });
  while (afterData.length === 0);
  // Too late: whoever hears this would send the mail.
  afterData.at(-1)?.write("354 go on\r\n");
  await waitUntil("the connection is over", () => slow.open.size === 0, 30_000);
  expect(heard).toMatch(/DATA\r\n$/);
  slow.close();
}, 40_000);
