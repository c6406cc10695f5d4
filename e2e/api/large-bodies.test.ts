import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { sendRawRequest, type RequestOptions } from "#e2e/support/client.ts";
import { buildForm, type Attachment } from "#e2e/support/evidence.ts";
import { shareService } from "#e2e/support/service.ts";
import { watchStoredFiles } from "#e2e/support/stored-files.ts";
import { expectRefusal } from "#e2e/support/concurrent-requests.ts";
import { TestWorld } from "#e2e/support/world.ts";

/** Bodies just below and above their limits arrive whole or are 413, on each way to an operation (contract 3.8). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { event, maya, omar } = world;

const MIB = 1024 * 1024;
const LIMIT = 10 * MIB;
const REPORT = { title: "A report with large files", description: "They are all here." };

/** Files are parts of it, each of which begins elsewhere: at no place do two files have the same text. */
const TEXT = Buffer.from(randomBytes(11 * MIB).toString("hex"));
const sized = (...sizes: number[]): Attachment[] =>
  sizes.map((size, at) => ({ name: `${at}.txt`, bytes: TEXT.subarray(at * 10_007, at * 10_007 + size) }));
const sha256 = (bytes: Attachment["bytes"]) => createHash("sha256").update(bytes).digest("hex");

/** What is left of uploads that were received. */
function temporary(): string[] {
  const folder = path.join(heed.dataDir, "tmp");
  return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
}

const CHUNKED: RequestOptions = { headers: { "transfer-encoding": "chunked" } };

describe("a report with files", () => {
  type Sending = [how: string, base: string, ask: RequestOptions];
  const SENDINGS: Sending[] = [
    ["", "/api/events", {}],
    [" under the other path", "/events", {}],
    [" of unknown length", "/api/events", CHUNKED],
  ];
  const [ordinary] = SENDINGS as [Sending];
  const each = (what: string, ...sizes: number[]) =>
    SENDINGS.map((sending) => [`${what}${sending[0]}`, sending, sizes] as const);
  const once = (what: string, ...sizes: number[]) => [[what, ordinary, sizes] as const];

  test.each([...each("10 MiB", LIMIT), ...once("five times 10 MiB", LIMIT, LIMIT, LIMIT, LIMIT, LIMIT)])(
    "of %s arrives whole",
    async (_, [, base, ask], sizes) => {
      const files = sized(...sizes);
      const sent = await world
        .as(maya)
        .post(`${base}/${event.id}/incidents`, buildForm(REPORT, ...files), ask);
      expect(sent.status, sent.text).toBe(201);
      const at = `/api/events/${event.id}/incidents/${sent.body.incident.id}/related-files`;
      const { relatedFiles } = (await world.as(omar).get(at)).body;
      expect(relatedFiles.map(({ size }: { size: number }) => size)).toEqual(sizes);
      for (const [index, file] of relatedFiles.entries()) {
        const { status, bytes } = await world.as(omar).get(`${at}/${file.id}/download`);
        expect(status).toBe(200);
        expect(sha256(bytes), `${file.size} bytes`).toBe(sha256(files[index]?.bytes ?? ""));
      }
    },
  );

  test.each([
    ...each("10 MiB and a byte", LIMIT + 1),
    ...once("50 MiB and a byte together", LIMIT, LIMIT, LIMIT, LIMIT, LIMIT - 1, 2),
  ])("of %s is refused as a whole", async (_, [, base, ask], sizes) => {
    const [incidents, newFiles] = [await heed.rows("incidents"), watchStoredFiles(heed.dataDir)];
    const body = buildForm(REPORT, ...sized(...sizes));
    const reply = await world.as(maya).post(`${base}/${event.id}/incidents`, body, ask);
    expectRefusal(reply, "413 PAYLOAD_TOO_LARGE");
    expect([await heed.rows("incidents"), newFiles(), temporary()]).toEqual([incidents, [], []]);
  });
});

describe("the form of a browser without script", () => {
  const at = `/e/${event.slug}/report/send`;
  const send = async (size: number) => {
    const body = new Response(buildForm(REPORT, ...sized(size)));
    const headers = { "content-type": body.headers.get("content-type") ?? "", cookie: world.as(maya).cookie };
    const bytes = Buffer.from(await body.arrayBuffer());
    return sendRawRequest(heed.url, { method: "POST", path: at, headers, bytes });
  };

  test("of 9.9 MiB arrives whole", async () => {
    const { status, headers } = await send(Math.floor(9.9 * MIB));
    expect(status).toBe(303);
    const id = /report\/sent\?id=([0-9a-f-]{36})$/.exec(String(headers.location))?.[1];
    const rows = await heed.sql("select size from related_files where incident_id = $1", [id]);
    expect(rows).toEqual([{ size: Math.floor(9.9 * MIB) }]);
  });

  test.each([10.1, 60])("of %d MiB comes back with its words, and nothing is kept", async (size) => {
    const [incidents, newFiles] = [await heed.rows("incidents"), watchStoredFiles(heed.dataDir)];
    const { status, headers } = await send(Math.ceil(size * MIB));
    expect(status).toBe(303);
    expect(headers.location).toMatch(/\/report\?return=/);
    expect([await heed.rows("incidents"), newFiles()]).toEqual([incidents, []]);
  });
});

describe("the form of a page without script", () => {
  /** Sends the form of the name with so many letters, as a browser does. */
  const sendName = async (letters: number) => {
    const { text } = await world.as(omar).get("/account");
    const [form = ""] = /<form[^>]* aria-label="Name"[\s\S]*?<\/form>/.exec(text) ?? [];
    const hidden = [...form.matchAll(/<input type="hidden" name="([^"]*)"(?: value="([^"]*)")?/g)];
    expect(hidden).not.toHaveLength(0);
    const decode = (value: string) => value.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
    const fields = new FormData();
    for (const [, name = "", value = ""] of hidden) fields.append(name, decode(value));
    fields.append("name", "x".repeat(letters));
    const headers = { cookie: world.as(omar).cookie ?? "", origin: heed.url };
    const response = await fetch(`${heed.url}/account`, { method: "POST", headers, body: fields });
    return { status: response.status, html: await response.text() };
  };

  test("of 3.6 megabytes comes back with its text and what is wrong", async () => {
    const { status, html } = await sendName(3_600_000);
    expect(status).toBe(200);
    expect(html).toContain("There is a problem");
    expect(html).toContain(`value="${"x".repeat(3_600_000)}"`);
  });

  test("of more than four is refused with a readable page", async () => {
    const { status, html } = await sendName(4_300_000);
    expect(status).toBe(413);
    expect(html).toContain("Not sent: this form holds too much.");
  });
});

describe("a body that is refused before it is read", () => {
  /** More than a connection holds by itself. */
  const body = Buffer.alloc(24 * MIB, "x");
  const send = (path: string, type: string) =>
    new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(heed.url);
      const socket = net.connect({ host: hostname, port: Number(port), allowHalfOpen: true });
      let answer = "";
      socket.on("data", (bytes) => (answer += String(bytes))).once("end", () => resolve(answer));
      // Like most clients, it reads when it has sent everything.
      socket.once("error", reject).pause();
      socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n`);
      socket.write(`Content-Length: ${body.length}\r\n\r\n`);
      socket.end(body, () => socket.resume());
    });

  test.each([
    ["without a session", `/api/events/${event.id}/incidents`, "multipart/form-data; boundary=x", 401],
    ["on the direct path", "/api/auth/login", "application/json", 413],
    ["at no address", "/api//auth/login", "application/json", 404],
    ["as the form of a page", "/account", "application/x-www-form-urlencoded", 413],
  ])("%s gets its response, and the connection closes", async (_, path, type, status) => {
    // The first request to a path goes through Next, the next ones may not.
    for (let time = 1; time <= 2; time += 1) {
      const [head = "", content] = (await send(path, type)).split("\r\n\r\n");
      expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*\r\nConnection: close`, "i"));
      expect(content).toMatch(path.startsWith("/api") ? /"code":"[A-Z_]+"/ : /Not sent/);
    }
  });
});

describe("JSON", () => {
  test.each([
    [9.9, ["/events"], [CHUNKED]],
    [10.1, ["/api/events", "/events"], [{}, CHUNKED]],
  ] as const)("of %d MiB is refused, under either path and of any length", async (size, places, asks) => {
    const body = { ...REPORT, description: "x".repeat(size * MIB) };
    for (const where of places)
      for (const ask of asks as readonly RequestOptions[]) {
        const raw = JSON.stringify(body);
        const headers = { "content-type": "application/json", ...ask.headers };
        const reply = await world
          .as(maya)
          .post(`${where}/${event.id}/incidents`, undefined, { raw, headers });
        expectRefusal(reply, "413 PAYLOAD_TOO_LARGE");
      }
    expect(await heed.rows("incidents", "length(description) > 100000")).toBe(0);
  });
});
