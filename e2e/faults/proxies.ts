import { execFileSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import https from "node:https";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { findFreePort, startProcess } from "#e2e/support/process.ts";
import { removeFolder } from "#e2e/support/remove-folder.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";
import { Findings, formatMilliseconds, type Fault, type FaultOptions } from "./fault.ts";
import { findProgram, runProgram } from "./programs.ts";

const HOST = "heed.example.org";
const ROUNDS = 5;
const MAX_RESPONSE_MS = 5000;
/** Of which a client sends a part, and then waits. */
const UPLOAD_BYTES = 20_000_000;
const SENT_BYTES = 200_000;

type Place = { folder: string; port: number; service: string };
type Proxy = {
  name: string;
  program: string;
  /** Changes the documented block: the ports of this run, and its certificate. */
  adapt(block: string, place: Place): string;
  args(file: string): string[];
};

/**
 * The proxies of docs/operating.md, with the configurations as they stand there. Uploads are refused before they have
 * arrived; then other visitors come through the same proxy, which may hand them the connections of the refused ones.
 */
export const proxies: Fault = {
  name: "proxies",
  title: "Refused uploads behind nginx, Caddy and HAProxy",
  run: async ({ say }: FaultOptions) => {
    const findings = new Findings(say);
    const present = PROXIES.filter(({ program }) => findProgram(program));
    const absent = PROXIES.filter((one) => !present.includes(one)).map(({ program }) => program);
    if (present.length === 0) findings.skipped = `skipped: ${absent.join(", ")} are not installed`;
    else if (absent.length > 0) findings.figure("Not installed, and not tested", absent.join(", "));
    if (findings.skipped) return findings;
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-proxies-"));
    fs.chmodSync(folder, 0o755);
    createCertificate(folder);
    const port = String(await findFreePort());
    const service = await startProcess({
      PORT: port,
      HEED_DATA_DIR: path.join(folder, "data"),
      BASE_URL: `https://${HOST}`,
      TRUSTED_PROXIES: "127.0.0.1,::1",
      RATE_LIMITS: "off",
    });
    try {
      for (const proxy of present)
        await visitBehind(proxy, { folder, service: `127.0.0.1:${port}`, findings });
    } finally {
      await service.stop();
      removeFolder(folder);
    }
    return findings;
  },
};

async function visitBehind(
  proxy: Proxy,
  { folder, service, findings }: { folder: string; service: string; findings: Findings },
): Promise<void> {
  const place = { folder, port: await findFreePort(), service };
  const file = path.join(folder, proxy.program);
  fs.writeFileSync(file, proxy.adapt(readDocumentedBlock(proxy.name), place));
  const running = runProgram(findProgram(proxy.program) ?? "", proxy.args(file), `${file}.log`);
  try {
    await waitUntil(`${proxy.name} to serve`, () =>
      visit(place.port).then(
        () => true,
        () => false,
      ),
    );
    let slowest = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const upload = await sendPartOfUpload(place.port);
      findings.equal(`${proxy.name}: status of an upload without an account`, upload.status, 401);
      const visits = await Promise.all([visit(place.port), visit(place.port), visit(place.port)]);
      for (const { status, body } of visits)
        findings.equal(`${proxy.name}: the next visitor's response`, [status, body], [200, NO_SESSION]);
      slowest = Math.max(slowest, ...visits.map(({ ms }) => ms));
      upload.abandon();
    }
    findings.expectWithin(slowest, MAX_RESPONSE_MS, {
      what: `${proxy.name}: the next visitor`,
      short: false,
    });
    findings.figure(`${proxy.name}: slowest response to the next visitor`, formatMilliseconds(slowest));
  } catch (error) {
    throw new Error(
      `${proxy.name}: ${(error as Error).message}\n${fs.readFileSync(`${file}.log`, "utf8").slice(-2000)}`,
    );
  } finally {
    await running.end();
  }
}

const NO_SESSION = { authenticated: false };

const buildOptions = (port: number, path: string) => ({
  host: "127.0.0.1",
  port,
  path,
  servername: HOST,
  headers: { host: HOST },
  rejectUnauthorized: false,
  agent: false as const,
  timeout: 30_000,
});

/** Sends the beginning of an upload, and waits for the response while the rest isn't sent. */
async function sendPartOfUpload(port: number): Promise<{ status: number; abandon(): void }> {
  const options = buildOptions(port, "/api/events/00000000-0000-4000-8000-000000000000/incidents");
  const request = https.request({
    ...options,
    method: "POST",
    headers: {
      ...options.headers,
      "content-type": "multipart/form-data; boundary=x",
      "content-length": UPLOAD_BYTES,
    },
  });
  request.on("timeout", () => request.destroy(new Error("no response to the upload")));
  // What is sent after the response may meet a closed connection.
  request.on("error", () => {});
  request.write(Buffer.alloc(SENT_BYTES, "x"));
  const response = await Promise.race([
    once(request, "response") as Promise<[{ statusCode?: number; resume(): void }]>,
    once(request, "close").then(() => undefined),
  ]);
  response?.[0].resume();
  return { status: response?.[0].statusCode ?? 0, abandon: () => void request.destroy() };
}

async function visit(port: number): Promise<{ status: number; body: unknown; ms: number }> {
  const began = performance.now();
  const request = https.get(buildOptions(port, "/api/auth/session"));
  request.on("timeout", () => request.destroy(new Error("no response to a visitor")));
  const [response] = (await once(request, "response")) as [import("node:http").IncomingMessage];
  const body = await text(response);
  const parsed: unknown = response.headers["content-type"]?.includes("json") ? JSON.parse(body) : body;
  return { status: response.statusCode ?? 0, body: parsed, ms: performance.now() - began };
}

/** Returns the first block of code below a heading of docs/operating.md. */
function readDocumentedBlock(heading: string): string {
  const document = fs.readFileSync(path.join(PROJECT_ROOT, "docs/operating.md"), "utf8");
  const [, section = ""] = document.split(`\n### ${heading}\n`);
  return /```\n([\s\S]*?)```/.exec(section)?.[1] ?? "";
}

/** Replaces every text, each of which the documented block has to hold. */
function replaceAll(block: string, replacements: [string, string][]): string {
  return replacements.reduce((result, [from, to]) => {
    if (!result.includes(from)) throw new Error(`docs/operating.md has no "${from}" there.`);
    return result.replaceAll(from, to);
  }, block);
}

const PROXIES: Proxy[] = [
  {
    name: "nginx",
    program: "nginx",
    adapt: (block, { folder, port, service }) => {
      const server = replaceAll(block, [
        ["listen 80;", `listen unix:${folder}/plain.sock;`],
        ["listen 443 ssl", `listen 127.0.0.1:${port} ssl`],
        ["/etc/ssl/heed/fullchain.pem", `${folder}/cert.pem`],
        ["/etc/ssl/heed/key.pem", `${folder}/key.pem`],
        ["127.0.0.1:3000", service],
      ]);
      const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
      const temporary = folders.map((name) => `${name}_temp_path ${folder}/nginx-${name};`).join("\n");
      return `daemon off;\nmaster_process off;\npid ${folder}/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${server}}\n`;
    },
    args: (file) => ["-c", file, "-e", "stderr"],
  },
  {
    name: "Caddy",
    program: "caddy",
    adapt: (block, { folder, port, service }) =>
      `{\n  admin off\n  auto_https disable_redirects\n}\n${replaceAll(block, [
        [`${HOST} {`, `${HOST}:${port} {\n  tls ${folder}/cert.pem ${folder}/key.pem`],
        ["127.0.0.1:3000", service],
      ])}`,
    args: (file) => ["run", "--adapter", "caddyfile", "--config", file],
  },
  {
    name: "HAProxy",
    program: "haproxy",
    adapt: (block, { folder, port, service }) =>
      replaceAll(block, [
        ["bind :80", `bind unix@${folder}/haproxy.sock`],
        ["bind :443", `bind 127.0.0.1:${port}`],
        ["/etc/haproxy/heed.pem", `${folder}/both.pem`],
        ["127.0.0.1:3000", service],
      ]),
    args: (file) => ["-db", "-f", file],
  },
];

function createCertificate(folder: string): void {
  const at = (name: string) => path.join(folder, name);
  const args = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", `/CN=${HOST}`];
  const names = ["-addext", `subjectAltName=DNS:${HOST}`, "-keyout", at("key.pem"), "-out", at("cert.pem")];
  execFileSync("openssl", [...args, ...names], { stdio: "pipe" });
  fs.writeFileSync(
    at("both.pem"),
    ["cert.pem", "key.pem"].map((name) => fs.readFileSync(at(name))).join("\n"),
  );
}
