import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { makeServiceSeemEmpty } from "#e2e/support/first-account.ts";
import { shareService } from "#e2e/support/service.ts";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";

/** The scripts of `examples/`, as somebody runs them who has just started the service. */

const SCRIPT = path.join(PROJECT_ROOT, "examples/walkthrough.sh");
const NEXT_SCRIPT = path.join(PROJECT_ROOT, "examples/around-an-incident.sh");

type ScriptRun = { code: number | null; output: string; complaint: string };

/** What both talk with. */

const runScript = (settings: Record<string, string>): Promise<ScriptRun> => run([SCRIPT], settings);

function run(args: string[], settings: Record<string, string>): Promise<ScriptRun> {
  // Nothing else of our environment: it could tell the script where to go.
  const env: NodeJS.ProcessEnv = { NODE_ENV: "production", PATH: process.env.PATH, ...settings };
  const child = spawn("sh", args, { cwd: os.tmpdir(), env, stdio: ["ignore", "pipe", "pipe"] });
  const said = { output: "", complaint: "" };
  child.stdout.on("data", (chunk) => (said.output += chunk));
  child.stderr.on("data", (chunk) => (said.complaint += chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...said }));
  });
}

const heed = await shareService();
const settings = { BASE: heed.url, HEED_DATA_DIR: heed.dataDir };

const LAST = "Done: from an empty server to a closed report.";

/** What goes wrong on the way: at which request, and what the script then gets instead of the response. */
type Fault = { at: RegExp; status?: (status: number) => number; body?: (body: Buffer) => Buffer };

/** Walks with a fault on the way; the complaint has to name it. */
async function stops(fault: Fault, complaint: RegExp): Promise<void> {
  const proxy = await faultyProxy(heed.url, fault);
  const { code, output, complaint: heard } = await runScript({ ...settings, BASE: proxy.url });
  await proxy.close();
  expect(heard).toMatch(complaint);
  expect(code).not.toBe(0);
  expect(output).not.toContain(LAST);
}

describe("the walkthrough", () => {
  test("completes on an empty server, and fails on one that isn't empty", async () => {
    await makeServiceSeemEmpty(heed);
    const ill: Fault = { at: /^GET \/api\/health$/, status: () => 503 };
    await stops(ill, /GET \/api\/health answered 503 instead of 200/);
    const silent: Fault = { at: /^GET \/api\/auth\/setup$/, status: () => 0 };
    await stops(silent, /GET \/api\/auth\/setup could not be sent/);

    const first = await runScript(settings);
    expect(first.complaint).toBe("");
    expect(first.output).toContain(LAST);
    expect(first.code).toBe(0);

    const next = await run([NEXT_SCRIPT], settings);
    expect(next.complaint).toBe("");
    expect(next.output).toContain("Done: the conversation, the evidence, and who did what.");
    expect(next.code).toBe(0);

    const second = await runScript(settings);
    expect(second.complaint).toContain("this server has accounts already");
    expect(second.code).toBe(1);
    expect(second.output).not.toContain("Sam sets it up");
  });

  const FAULTS: [what: string, fault: Fault, complaint: RegExp][] = [
    [
      "a refusal that is none",
      { at: /^POST \S+\/use$/, status: (status) => (status === 409 ? 200 : status) },
      /\/use answered 200 instead of 409/,
    ],
    [
      "a file that comes back changed",
      { at: /\/download$/, body: (body) => Buffer.concat([body, Buffer.from("x")]) },
      /the photo came back changed/,
    ],
  ];

  test.each(FAULTS)("stops at %s", async (_, fault, complaint) => {
    await makeServiceSeemEmpty(heed);
    await stops(fault, complaint);
  });

  test("stops when no server responds", async () => {
    const { code, complaint } = await runScript({ BASE: "http://127.0.0.1:9", HEED_DATA_DIR: os.tmpdir() });
    expect(complaint).toContain("could not be sent to http://127.0.0.1:9");
    expect(code).not.toBe(0);
  });

  test("leaves nothing behind", async () => {
    const own = fs.mkdtempSync(path.join(os.tmpdir(), "heed-walk-"));
    await runScript({ BASE: "http://127.0.0.1:9", TMPDIR: own });
    expect(fs.readdirSync(own)).toEqual([]);
    fs.rmdirSync(own);
  });
});

/** Passes everything on to the service and back, and changes the response where the fault says so. */
async function faultyProxy(url: string, { at, status, body }: Fault) {
  const server = http.createServer((request, response) => {
    const ask = http.request(`${url}${request.url}`, { method: request.method, headers: request.headers });
    ask.on("response", async (answer) => {
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk as Buffer);
      const bytes = Buffer.concat(chunks);
      const here = at.test(`${request.method} ${request.url}`);
      const code = answer.statusCode ?? 0;
      const given = here && status ? status(code) : code;
      if (given === 0) return response.destroy();
      const sent = here && body ? body(bytes) : bytes;
      const { "content-length": _, "transfer-encoding": __, ...headers } = answer.headers;
      response.writeHead(given, headers).end(given === 204 ? undefined : sent);
    });
    request.pipe(ask);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
