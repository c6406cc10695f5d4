import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { sendRawRequest, type Reply } from "#e2e/support/client.ts";
import { MailServer } from "#e2e/support/mail-server.ts";
import { ObjectStorage } from "#e2e/support/object-storage.ts";
import * as processes from "#e2e/support/process.ts";
import { removeFolder } from "#e2e/support/remove-folder.ts";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";
import { loadEmbeddedDatabasePassword } from "#lib/crypto/secrets.ts";
import { findDatabaseFolder } from "#lib/database/embedded/installation.ts";
import { isPidRunning } from "#lib/process-lock.ts";
import { DatabaseServer } from "./database-server.ts";
import { TcpRelay } from "./tcp-relay.ts";

export type Person = { id: string; email: string; cookie: string };

/** Admin and Responder of the event, and two of its Reporters. */
const ROLES = { ada: "Admin", omar: "Responder", maya: "Reporter", rita: "Reporter" } as const;

export type StageOptions = {
  settings?: processes.EnvironmentSettings;
  /** Servers beside the service; without a database server it has its embedded one. */
  peers?: ("database" | "mail" | "storage")[];
};

/** A service that was started, and may never become ready. */
export type LaunchedService = {
  child: ChildProcess;
  output(): string;
  /** Resolves to the exit code when the service has ended. */
  ended: Promise<number | null>;
  /** Waits until the service is ready or has ended, for at most a minute. @returns whether it is ready */
  isReady(): Promise<boolean>;
};

const PASSWORD = "a quiet river at dawn";
const PASSWORD_HASH = "$2b$12$vWAIQSgcN1BNHoIfP80ayuCznaL3Zt8tzWREFLGTP1adCcPxHzCXW";
const GIVEN_UP_MS = 60_000;

/** The service in processes of its own, the servers that it uses, and a few people who use it. */
export class Stage {
  readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-fault-"));
  readonly dataDir = path.join(this.folder, "data");
  readonly settings: processes.EnvironmentSettings = { PRINT_MAIL_LINKS: "off", LOG_LEVEL: "warn" };
  url = "";
  /** The current database server; after a failover, the former standby. */
  server: DatabaseServer | undefined;
  mail: { server: MailServer; relay: TcpRelay } | undefined;
  bucket: ObjectStorage | undefined;
  bucketRelay: TcpRelay | undefined;
  cast!: Record<keyof typeof ROLES, Person>;
  /** The path of the event's reports. */
  incidents = "";
  #service: processes.RunningProcess | undefined;
  /** Output of services that have ended. */
  #written = "";
  readonly #closers: (() => unknown)[] = [];

  /** Creates folders, a port and the peers. The database server and the service aren't started. */
  static async build({ settings = {}, peers = [] }: StageOptions = {}): Promise<Stage> {
    const stage = new Stage();
    fs.chmodSync(stage.folder, 0o755);
    process.once("exit", stage.#abandon);
    const port = await processes.findFreePort();
    stage.url = `http://127.0.0.1:${port}`;
    Object.assign(stage.settings, { PORT: String(port), ...settings });
    if (peers.includes("database")) {
      stage.server = await DatabaseServer.make(path.join(stage.folder, "server"));
      stage.settings.DATABASE_URL = stage.server.url;
    }
    if (peers.includes("mail")) {
      const server = await MailServer.start();
      stage.mail = { server, relay: await stage.#relayTo(server) };
      stage.settings.SMTP_URL = `smtp://127.0.0.1:${stage.mail.relay.port}`;
    }
    if (peers.includes("storage")) {
      stage.bucket = await ObjectStorage.start();
      stage.bucketRelay = await stage.#relayTo(stage.bucket);
      stage.settings.S3_URL = `http://S3RVER:S3RVER@127.0.0.1:${stage.bucketRelay.port}/heed?region=eu-central-1`;
    }
    return stage;
  }

  async #relayTo(peer: { port: number; close(): unknown }): Promise<TcpRelay> {
    const relay = await TcpRelay.start(peer.port);
    this.onClose(() => relay.close().then(() => peer.close()));
    return relay;
  }

  /** Runs before the stage's files are removed, in reverse order. */
  onClose(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** Cleans up when a run is interrupted; an exit listener can't wait. */
  readonly #abandon = () => {
    const { postmaster } = this;
    if (postmaster && isPidRunning(postmaster)) process.kill(postmaster, "SIGKILL");
    fs.rmSync(this.folder, { recursive: true, force: true });
  };

  /** Starts everything, and signs the people in. */
  async open(): Promise<void> {
    await this.server?.start();
    await this.start();
    await this.#enter();
  }

  /** Ends all processes and removes their files. */
  async close(): Promise<void> {
    process.off("exit", this.#abandon);
    if (this.#service) await this.stop();
    await this.server?.stop("SIGQUIT");
    const databaseFolder = findDatabaseFolder(this.dataDir);
    for (const close of this.#closers.reverse()) await close();
    for (const folder of [databaseFolder, this.folder]) if (folder) removeFolder(folder);
  }

  get service(): processes.RunningProcess {
    if (!this.#service) throw new Error("the service of this stage does not run");
    return this.#service;
  }

  /** Output of all services of this stage. */
  get output(): string {
    return this.#written + (this.#service?.output() ?? "");
  }

  async start(): Promise<void> {
    this.#service = await processes.startProcess(
      { HEED_DATA_DIR: this.dataDir, ...this.settings },
      { apart: true },
    );
  }

  /** Starts a service without waiting until it is ready. */
  launch(): LaunchedService {
    const child = spawn(process.execPath, [path.join(PROJECT_ROOT, "lib/server/start.ts")], {
      cwd: os.tmpdir(),
      env: processes.buildEnvironment({ HOST: "127.0.0.1", HEED_DATA_DIR: this.dataDir, ...this.settings }),
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    const ended = once(child, "close").then(([code]) => code as number | null);
    const isOver = () => child.exitCode !== null || child.signalCode !== null;
    this.onClose(() => isOver() || child.kill("SIGKILL"));
    const isReady = async () => {
      for (const end = Date.now() + GIVEN_UP_MS; Date.now() < end && !isOver(); await sleep(20))
        if (output.includes("Heed is ready")) return true;
      return false;
    };
    return { child, output: () => output, ended, isReady };
  }

  /** @returns the exit code */
  async stop(): Promise<number | null> {
    const code = await this.service.stop();
    this.#forget();
    return code;
  }

  /** Kills the service. @param withDatabase its embedded database, too */
  async crash(withDatabase = false): Promise<void> {
    if (withDatabase && this.postmaster) process.kill(this.postmaster, "SIGKILL");
    await this.service.crash();
    this.#forget();
  }

  #forget(): void {
    this.#written = this.output;
    this.#service = undefined;
  }

  /** Runs a program until the stage closes, or the returned function is called. Writes its output to a file. */
  run(file: string, args: string[], log: string): () => Promise<void> {
    const output = fs.openSync(log, "a");
    const child = spawn(file, args, { stdio: ["ignore", output, output] });
    fs.closeSync(output);
    const endWithUs = () => child.kill("SIGKILL");
    process.once("exit", endWithUs);
    const ended = once(child, "exit");
    const end = async () => {
      process.off("exit", endWithUs);
      child.kill("SIGKILL");
      await ended;
    };
    this.onClose(end);
    return end;
  }

  /** Id of the embedded database's main process, if there is one. */
  get postmaster(): number | undefined {
    const databaseFolder = findDatabaseFolder(this.dataDir);
    const file = databaseFolder && path.join(databaseFolder, "postmaster.pid");
    return file && fs.existsSync(file) ? Number(fs.readFileSync(file, "utf8").split("\n")[0]) : undefined;
  }

  get databaseUrl(): string {
    if (this.server) return this.server.url;
    const folder = encodeURIComponent(findDatabaseFolder(this.dataDir) ?? "");
    return `postgresql://heed:${loadEmbeddedDatabasePassword({ dataDir: this.dataDir })}@localhost/heed?host=${folder}`;
  }

  /** Runs a statement directly on the database, and returns its rows. */
  async sql<Row = Record<string, any>>(statement: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.databaseUrl, application_name: "heed-fault" });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query(statement, values)).rows as Row[];
    } finally {
      await client.end();
    }
  }

  /** Runs a statement that returns one number. */
  async count(statement: string): Promise<number> {
    const [row] = await this.sql<Record<string, unknown>>(statement);
    return Number(Object.values(row ?? {})[0]);
  }

  /** Sends a request as a person. @throws Error when the connection breaks, or after a minute without a response */
  async ask(method: string, at: string, { as, body }: { as?: Person; body?: unknown } = {}): Promise<Reply> {
    const sent = body instanceof FormData ? new Response(body) : Response.json(body ?? null);
    const type = sent.headers.get("content-type");
    const reply = sendRawRequest(this.url, {
      method,
      path: at,
      headers: { cookie: as?.cookie, ...(body !== undefined && type && { "content-type": type }) },
      ...(body !== undefined && { bytes: Buffer.from(await sent.arrayBuffer()) }),
    });
    // A connection that breaks after the time-out is ignored.
    reply.catch(() => {});
    const given = Promise.withResolvers<never>();
    const waited = setTimeout(
      () => given.reject(new Error(`${at} had no response within a minute`)),
      GIVEN_UP_MS,
    );
    return Promise.race([reply, given.promise]).finally(() => clearTimeout(waited));
  }

  /** Returns the status of an endpoint for health checks. */
  async health(part: "" | "/ready" = ""): Promise<number> {
    return (await this.ask("GET", `/api/health${part}`)).status;
  }

  async #enter(): Promise<void> {
    const rows = await this.sql<{ id: string; name: keyof typeof ROLES; email: string; eventId: string }>(
      `with organization as (insert into organizations (name, slug) values ('Riverside', 'riverside') returning id),
       event as (insert into events (organization_id, name, slug)
         select id, 'Riverside Spring Gathering', 'riverside-spring' from organization returning id),
       person as (insert into users (email, name, password_hash, email_verified_at)
         select name || '@example.org', name, $1, now() from unnest($2::text[]) name returning id, name, email),
       role as (insert into event_roles (event_id, user_id, role_name) select event.id, person.id, given.role
         from event, person join unnest($2::text[], $3::event_role_name[]) given(name, role) using (name))
       select person.*, event.id as "eventId" from person, event`,
      [PASSWORD_HASH, Object.keys(ROLES), Object.values(ROLES)],
    );
    const signIn = async ({ id, name, email }: (typeof rows)[number]) => {
      const login = await this.ask("POST", "/api/auth/login", { body: { email, password: PASSWORD } });
      const cookie = login.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
      if (login.status !== 200 || !cookie) throw new Error(`${name} can't sign in: ${login.text}`);
      return [name, { id, email, cookie }];
    };
    this.cast = Object.fromEntries(await Promise.all(rows.map(signIn)));
    this.incidents = `/api/events/${rows[0]?.eventId}/incidents`;
  }
}

const FOLDERS = [...(process.env.PATH ?? "").split(path.delimiter), "/usr/sbin", "/usr/local/sbin"];

/** Returns the path of a program that the project doesn't bring; undefined if it isn't installed. */
export const findProgram = (name: string): string | undefined =>
  FOLDERS.map((folder) => path.join(folder, name)).find((file) => fs.existsSync(file));

/** Returns the reason to skip a scenario that needs a program, if that isn't installed. */
export const lacksProgram = (name: string) => () =>
  findProgram(name) ? undefined : `${name} is not installed`;
