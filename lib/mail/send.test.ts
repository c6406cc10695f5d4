import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { MailMessage } from "./messages.ts";

const message: MailMessage = {
  subject: "Set a new password – now",
  text: "Open:\n\nhttp://localhost:3000/reset-password?token=abc\n",
  html: '<p><a href="http://localhost:3000/reset-password?token=abc">Zoë</a></p>',
};

let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), "heed-mail-"));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(dataDir, { recursive: true, force: true });
});

/** Loads fresh modules, since the environment is read once per process. */
async function load(environment: Record<string, string>) {
  vi.resetModules();
  for (const [name, value] of Object.entries({
    HEED_DATA_DIR: dataDir,
    BASE_URL: "",
    SMTP_URL: "",
    // Nothing listens there: a mail is sent without the settings, too.
    DATABASE_URL: "postgresql://nobody@127.0.0.1:9/none",
    ...environment,
  }))
    vi.stubEnv(name, value);
  return import("./send.ts");
}

describe("sendMail without a mail server", () => {
  const outbox = () => path.join(dataDir, "outbox");
  const printed = vi.spyOn(process.stdout, "write");
  /** The links that were logged; the lost database is logged too. */
  const logged = () =>
    printed.mock.calls
      .map(([line]) => String(line))
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line).msg)
      .filter((message) => message.includes("outbox"));
  beforeEach(async () => {
    printed.mockReset().mockReturnValue(true);
    await rm(outbox(), { recursive: true, force: true });
  });

  it("writes one private .eml file and prints its link", async () => {
    const { sendMail } = await load({ MAIL_FROM: "Heed <desk@example.org>" });
    await sendMail({ to: "maya@example.org", message });
    const [name = "", ...others] = await readdir(outbox());
    expect(others).toEqual([]);
    expect(name).toMatch(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-[0-9a-f-]{36}\.eml$/);
    expect((await stat(path.join(outbox(), name))).mode & 0o777).toBe(0o600);
    const mail = await readFile(path.join(outbox(), name), "utf8");
    expect(mail.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    expect(mail).toContain("\r\nTo: maya@example.org\r\n");
    expect(mail).toMatch(/^From: "?Heed"? <desk@example.org>\r\n/m);
    expect(mail).toContain("Auto-Submitted: auto-generated");
    expect(logged()).toEqual([
      "Mail in the outbox, “Set a new password – now”: http://localhost:3000/reset-password?token=abc",
    ]);
  });

  it("prints nothing of news, which may be of a report that nobody signed", async () => {
    const { sendMail } = await load({});
    await sendMail({ to: "maya@example.org", message: { ...message, isNews: true } });
    expect(await readdir(outbox())).toHaveLength(1);
    expect(logged()).toEqual([]);
  });

  it.each([
    ["BASE_URL", "https://heed.example.org"],
    ["PRINT_MAIL_LINKS", "off"],
  ])("prints nothing with %s=%s", async (name, value) => {
    const { sendMail } = await load({ [name]: value });
    await sendMail({ to: "maya@example.org", message });
    expect(await readdir(outbox())).toHaveLength(1);
    expect(logged()).toEqual([]);
  });

  it.each([
    "maya@example.org\r\nBcc: eve@example.org",
    "maya@example.org, eve@example.org",
    "Maya <maya@example.org>",
    "maya@example.org;eve@example.org",
    '"a\\"@b"@example.org',
    "maya",
    "@example.org",
    "maya@example.org\0",
    `${"m".repeat(250)}@example.org`,
    "",
  ])("refuses %j", async (to) => {
    const { sendMail } = await load({});
    await expect(sendMail({ to, message })).rejects.toThrow("one plain address");
    await expect(readdir(outbox())).rejects.toThrow("ENOENT");
  });

  it("refuses a subject of two lines", async () => {
    const { sendMail } = await load({});
    await expect(
      sendMail({ to: "maya@example.org", message: { ...message, subject: "a\r\nBcc: eve@example.org" } }),
    ).rejects.toThrow("one line");
  });
});

describe("sendMail over SMTP", () => {
  /** A mail server that replies to each command with what `answer` returns, and records what it receives. */
  async function mailServer(answer: (line: string) => string | undefined) {
    const receivedLines: string[] = [];
    const server = net.createServer((socket) => {
      let body = false;
      socket.setEncoding("utf8").on("error", () => {});
      socket.write("220 test\r\n");
      socket.on("data", (text) => {
        for (const line of String(text).split("\r\n").filter(Boolean)) {
          receivedLines.push(line);
          if (body && line !== ".") continue;
          body = line === "DATA";
          const reply = answer(line) ?? (body ? "354 go on" : "250 ok");
          socket.write(`${reply}\r\n`);
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as net.AddressInfo;
    return { receivedLines, url: `smtp://127.0.0.1:${port}`, close: () => server.close() };
  }

  it("sends to one recipient, text and HTML", async () => {
    const server = await mailServer(() => undefined);
    const { sendMail } = await load({ SMTP_URL: server.url, MAIL_FROM: "Heed <desk@example.org>" });
    await sendMail({ to: "maya@example.org", message });
    expect(server.receivedLines.filter((line) => /^(MAIL|RCPT)/.test(line))).toEqual([
      "MAIL FROM:<desk@example.org>",
      "RCPT TO:<maya@example.org>",
    ]);
    expect(server.receivedLines.filter((line) => /^Content-Type: (multipart|text)/.test(line))).toEqual([
      expect.stringContaining("multipart/alternative"),
      expect.stringContaining("text/plain"),
      expect.stringContaining("text/html"),
    ]);
    server.close();
  });

  it("fails when the server refuses, so that the job is tried again", async () => {
    const server = await mailServer((line) => (line.startsWith("RCPT") ? "451 later" : undefined));
    const { sendMail } = await load({ SMTP_URL: server.url });
    await expect(sendMail({ to: "maya@example.org", message })).rejects.toMatchObject({ responseCode: 451 });
    server.close();
  });

  it("fails at once when no server listens", async () => {
    const { sendMail } = await load({ SMTP_URL: "smtp://127.0.0.1:9" });
    await expect(sendMail({ to: "maya@example.org", message })).rejects.toMatchObject({
      code: expect.stringMatching(/ESOCKET|ECONN/),
    });
  });
});
