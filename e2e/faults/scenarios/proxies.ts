import { execFileSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import type { IncomingMessage } from "node:http";
import https from "node:https";
import path from "node:path";
import { text } from "node:stream/consumers";
import { findFreePort } from "#e2e/support/process.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";
import { formatMs } from "../ledger.ts";
import { expectWithin, type Scenario, type Scene } from "../scenario.ts";
import { findProgram, lacksProgram } from "../stage.ts";

const HOST = "heed.example.org";
const ROUNDS = 5;
/** Of which a client sends a part, and then waits. */
const UPLOAD_BYTES = 20_000_000;
const SENT_BYTES = 200_000;

type Proxy = {
  title: string;
  program: string;
  args: string[];
  /** What replaces texts of the documented block: the port and the sockets of this run, and its certificate. */
  replace(folder: string, port: number): Record<string, string>;
  /** What the block needs around it. */
  wrap?(block: string, folder: string): string;
};

const PROXIES: Proxy[] = [
  {
    title: "nginx",
    program: "nginx",
    args: ["-e", "stderr", "-c"],
    replace: (folder, port) => ({
      "listen 80;": `listen unix:${folder}/plain.sock;`,
      "listen 443 ssl": `listen 127.0.0.1:${port} ssl`,
      "/etc/ssl/heed/fullchain.pem": `${folder}/cert.pem`,
      "/etc/ssl/heed/key.pem": `${folder}/key.pem`,
    }),
    wrap: (block, folder) => {
      const parts = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
      const temporary = parts.map((name) => `${name}_temp_path ${folder}/nginx-${name};`).join("\n");
      return `daemon off;\nmaster_process off;\npid ${folder}/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${block}}\n`;
    },
  },
  {
    title: "Caddy",
    program: "caddy",
    args: ["run", "--adapter", "caddyfile", "--config"],
    replace: (folder, port) => ({
      [`${HOST} {`]: `${HOST}:${port} {\n  tls ${folder}/cert.pem ${folder}/key.pem`,
    }),
    wrap: (block) => `{\n  admin off\n  auto_https disable_redirects\n}\n${block}`,
  },
  {
    title: "HAProxy",
    program: "haproxy",
    args: ["-db", "-f"],
    replace: (folder, port) => ({
      "bind :80": `bind unix@${folder}/haproxy.sock`,
      "bind :443": `bind 127.0.0.1:${port}`,
      "/etc/haproxy/heed.pem": `${folder}/both.pem`,
    }),
  },
];

/**
 * A proxy as docs/operating.md configures it. Uploads are refused before they have arrived; then other visitors come
 * through it, which may hand them the connections of the refused ones.
 */
export const proxies: Scenario[] = PROXIES.map((proxy) => ({
  name: `behind-${proxy.program}`,
  title: `Refused uploads behind ${proxy.title}`,
  lacks: lacksProgram(proxy.program),
  stage: { settings: { BASE_URL: `https://${HOST}`, TRUSTED_PROXIES: "127.0.0.1,::1", RATE_LIMITS: "off" } },
  cold: true,
  async disturb(scene) {
    const { stage, ledger } = scene;
    await stage.start();
    const port = await startProxy(scene, proxy);
    const isServing = () => visit(port).then(Boolean, () => false);
    await waitUntil(proxy.title, isServing);
    let slowest = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const upload = await sendPartOfUpload(port);
      ledger.equal("status of an upload without an account", upload.status, 401);
      for (const { response, ms } of await Promise.all([visit(port), visit(port), visit(port)])) {
        ledger.equal("the next visitor's response", response, '200 {"authenticated":false}');
        slowest = Math.max(slowest, ms);
      }
      upload.abandon();
    }
    expectWithin(scene, slowest, { limitMs: 5000, what: "the next visitor" });
    ledger.figure("Slowest response to the next visitor", formatMs(slowest));
  },
}));

/** @returns the port at which the proxy listens */
async function startProxy({ stage }: Scene, { title, program, args, replace, wrap }: Proxy): Promise<number> {
  const { folder } = stage;
  const port = await findFreePort();
  createCertificate(folder);
  const document = fs.readFileSync(path.join(PROJECT_ROOT, "docs/operating.md"), "utf8");
  const [, section = ""] = document.split(`\n### ${title}\n`);
  let block = /```\n([\s\S]*?)```/.exec(section)?.[1] ?? "";
  const replacements = { ...replace(folder, port), "127.0.0.1:3000": new URL(stage.url).host };
  for (const [from, to] of Object.entries(replacements)) {
    if (!block.includes(from)) throw new Error(`docs/operating.md has no "${from}" there.`);
    block = block.replaceAll(from, to);
  }
  const file = path.join(folder, program);
  fs.writeFileSync(file, wrap?.(block, folder) ?? block);
  stage.run(findProgram(program) ?? "", [...args, file], `${file}.log`);
  return port;
}

const buildOptions = (port: number, at: string) => ({
  host: "127.0.0.1",
  port,
  path: at,
  servername: HOST,
  headers: { host: HOST },
  rejectUnauthorized: false,
  agent: false as const,
  timeout: 30_000,
});

/** Sends the beginning of an upload, and waits for the response while the rest isn't sent. */
async function sendPartOfUpload(port: number): Promise<{ status: number; abandon(): void }> {
  const options = buildOptions(port, "/api/events/00000000-0000-4000-8000-000000000000/incidents");
  const type = { "content-type": "multipart/form-data; boundary=x", "content-length": UPLOAD_BYTES };
  const request = https.request({ ...options, method: "POST", headers: { ...options.headers, ...type } });
  request.on("timeout", () => request.destroy(new Error("no response to the upload")));
  // What is sent after the response may meet a closed connection.
  request.on("error", () => {});
  request.write(Buffer.alloc(SENT_BYTES, "x"));
  const status = await new Promise<number>((resolve) => {
    request.on("close", () => resolve(0));
    request.on("response", (response) => resolve(response.resume().statusCode ?? 0));
  });
  return { status, abandon: () => void request.destroy() };
}

async function visit(port: number): Promise<{ response: string; ms: number }> {
  const began = performance.now();
  const request = https.get(buildOptions(port, "/api/auth/session"));
  request.on("timeout", () => request.destroy(new Error("no response to a visitor")));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const body = await text(response);
  return { response: `${response.statusCode} ${body}`, ms: performance.now() - began };
}

function createCertificate(folder: string): void {
  const [key, certificate] = [path.join(folder, "key.pem"), path.join(folder, "cert.pem")];
  const args = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", `/CN=${HOST}`];
  const names = ["-addext", `subjectAltName=DNS:${HOST}`, "-keyout", key, "-out", certificate];
  execFileSync("openssl", [...args, ...names], { stdio: "pipe" });
  const both = [certificate, key].map((file) => fs.readFileSync(file)).join("\n");
  fs.writeFileSync(path.join(folder, "both.pem"), both);
}
