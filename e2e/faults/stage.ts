import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { isPidRunning } from "#lib/process-lock.ts";
import { loadEmbeddedDatabasePassword } from "#lib/crypto/secrets.ts";
import { findDatabaseFolder } from "#lib/database/embedded/installation.ts";
import { sendRawRequest, type Reply, type RawRequest } from "#e2e/support/client.ts";
import {
  findFreePort,
  startProcess,
  type RunningProcess,
  type EnvironmentSettings,
} from "#e2e/support/process.ts";
import { removeFolder } from "#e2e/support/remove-folder.ts";
import { DatabaseServer } from "./database-server.ts";

/** The environment of a fault: a service in processes of its own, its database, and a few people who use it. */

export type Person = { id: string; name: string; cookie: string };

export type StagePeople = {
  organizationId: string;
  eventId: string;
  slug: string;
  /** Admin and Responder of the event, and two of its Reporters. */
  ada: Person;
  omar: Person;
  maya: Person;
  rita: Person;
};

export type StageOptions = {
  settings?: EnvironmentSettings;
  /** Uses a separate database server instead of the embedded one. */
  external?: boolean;
  /** An existing data folder. */
  dataDir?: string;
};

const PASSWORD = "a quiet river at dawn";
const PASSWORD_HASH = "$2b$12$vWAIQSgcN1BNHoIfP80ayuCznaL3Zt8tzWREFLGTP1adCcPxHzCXW";

/** Maximum time without a response to any request, in milliseconds. */
export const MAX_FAULT_RESPONSE_MS = 15_000;
const GIVEN_UP_MS = 60_000;

export class Stage {
  readonly folder: string;
  readonly dataDir: string;
  readonly settings: EnvironmentSettings;
  /** The current database server; after a failover, the former standby. */
  server: DatabaseServer | undefined;
  readonly url: string;
  cast!: StagePeople;
  #service: RunningProcess | undefined;
  /** Output of services that have ended. */
  #written = "";

  private constructor(given: Pick<Stage, "folder" | "dataDir" | "settings" | "server" | "url">) {
    this.folder = given.folder;
    this.dataDir = given.dataDir;
    this.settings = given.settings;
    this.server = given.server;
    this.url = given.url;
  }

  /** Creates folders, a port and, if requested, a database server, without starting anything. */
  static async build({ settings = {}, external = false, dataDir }: StageOptions = {}): Promise<Stage> {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-fault-"));
    fs.chmodSync(folder, 0o755);
    const server = external ? await DatabaseServer.make(path.join(folder, "server")) : undefined;
    const port = await findFreePort();
    const stage = new Stage({
      folder,
      dataDir: dataDir ?? path.join(folder, "data"),
      server,
      url: `http://127.0.0.1:${port}`,
      settings: {
        ...(server && { DATABASE_URL: server.url }),
        PORT: String(port),
        PRINT_MAIL_LINKS: "off",
        ...settings,
      },
    });
    process.once("exit", stage.#abandon);
    return stage;
  }

  /** Cleans up when a run is interrupted; an exit listener can't wait. */
  readonly #abandon = () => {
    const { postmaster } = this;
    if (postmaster && isPidRunning(postmaster)) process.kill(postmaster, "SIGKILL");
    fs.rmSync(this.folder, { recursive: true, force: true });
  };

  /** Builds a stage and starts everything. */
  static async open(options?: StageOptions): Promise<Stage> {
    const stage = await Stage.build(options);
    await stage.startWithPeople();
    return stage;
  }

  /** Starts everything, and signs the people in. @param server whether to start the database server, too */
  async startWithPeople({ server = true } = {}): Promise<void> {
    if (server) await this.server?.start();
    await this.start();
    this.cast = await this.#enter();
  }

  get service(): RunningProcess {
    if (!this.#service) throw new Error("the service of this stage does not run");
    return this.#service;
  }

  /** Output of all services of this stage. */
  get output(): string {
    return this.#written + (this.#service?.output() ?? "");
  }

  async start(changed: EnvironmentSettings = {}): Promise<RunningProcess> {
    this.#service = await startProcess(
      { HEED_DATA_DIR: this.dataDir, ...this.settings, ...changed },
      { apart: true },
    );
    return this.#service;
  }

  /** @returns the exit code */
  async stop(signal?: NodeJS.Signals): Promise<number | null> {
    const code = await this.service.stop(signal);
    this.#forget();
    return code;
  }

  async crash(): Promise<void> {
    await this.service.crash();
    this.#forget();
  }

  #forget(): void {
    this.#written += this.#service?.output() ?? "";
    this.#service = undefined;
  }

  /** Ends all processes and removes their files. */
  async close(): Promise<void> {
    process.off("exit", this.#abandon);
    if (this.#service) await this.stop();
    await this.server?.stop("SIGQUIT");
    const databaseFolder = findDatabaseFolder(this.dataDir);
    for (const folder of [databaseFolder, this.folder]) if (folder) removeFolder(folder);
  }

  /** Id of the embedded database's main process, if there is one. */
  get postmaster(): number | undefined {
    const databaseFolder = findDatabaseFolder(this.dataDir);
    const file = databaseFolder && path.join(databaseFolder, "postmaster.pid");
    return file && fs.existsSync(file) ? Number(fs.readFileSync(file, "utf8").split("\n")[0]) : undefined;
  }

  get databaseUrl(): string {
    if (this.server) return this.server.url;
    if (this.settings.DATABASE_URL) return this.settings.DATABASE_URL;
    const databaseFolder = encodeURIComponent(findDatabaseFolder(this.dataDir) ?? "");
    return `postgresql://heed:${loadEmbeddedDatabasePassword({ dataDir: this.dataDir })}@localhost/heed?host=${databaseFolder}`;
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
  async count(statement: string, values?: unknown[]): Promise<number> {
    const [row] = await this.sql<Record<string, unknown>>(statement, values);
    return Number(Object.values(row ?? {})[0]);
  }

  /** Sends a request as a person. @throws Error when the connection breaks, or after a minute without a response */
  ask(method: string, path: string, { as, body, headers }: StageRequest = {}): Promise<Reply> {
    return this.#send({ method, path, headers: { cookie: as?.cookie, ...headers } }, body);
  }

  async #send(wire: RawRequest, body: unknown): Promise<Reply> {
    const { headers, bytes } = await encoded(body);
    const response = sendRawRequest(this.url, {
      ...wire,
      headers: { ...headers, ...wire.headers },
      ...(bytes && { bytes }),
    });
    const given = Promise.withResolvers<never>();
    const waiting = setTimeout(
      () => given.reject(new Error(`${wire.method} ${wire.path} had no response within a minute`)),
      GIVEN_UP_MS,
    );
    // A connection that breaks after the time-out is ignored.
    response.catch(() => {});
    return Promise.race([response, given.promise]).finally(() => clearTimeout(waiting));
  }

  async #enter(): Promise<StagePeople> {
    const [organization] = await this.sql<{ id: string }>(
      "insert into organizations (name, slug) values ('Riverside Meetups', 'riverside') returning id",
    );
    const organizationId = organization?.id ?? "";
    const slug = "riverside-spring";
    const [event] = await this.sql<{ id: string }>(
      "insert into events (organization_id, name, slug) values ($1, 'Riverside Spring Gathering', $2) returning id",
      [organizationId, slug],
    );
    const eventId = event?.id ?? "";
    const person = (name: string, role: string) => this.#person(name, { eventId, role });
    return {
      organizationId,
      eventId,
      slug,
      ada: await person("Ada Nwosu", "Admin"),
      omar: await person("Omar Haddad", "Responder"),
      maya: await person("Maya Castillo", "Reporter"),
      rita: await person("Rita Okafor", "Reporter"),
    };
  }

  async #person(name: string, { eventId, role }: { eventId: string; role: string }): Promise<Person> {
    const email = `${name.toLowerCase().replaceAll(" ", ".")}@example.org`;
    const [row] = await this.sql<{ id: string }>(
      "insert into users (email, name, password_hash, email_verified_at) values ($1, $2, $3, now()) returning id",
      [email, name, PASSWORD_HASH],
    );
    const id = row?.id ?? "";
    await this.sql(
      "insert into event_roles (event_id, user_id, role_name) values ($1, $2, $3::event_role_name)",
      [eventId, id, role],
    );
    const login = await this.ask("POST", "/api/auth/login", { body: { email, password: PASSWORD } });
    const cookie = login.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
    if (login.status !== 200 || !cookie) throw new Error(`${name} can't sign in: ${login.text}`);
    return { id, name, cookie };
  }
}

export type StageRequest = { as?: Person; body?: unknown; headers?: Record<string, string> };

type Encoded = { headers: Record<string, string>; bytes?: Buffer };

async function encoded(body: unknown): Promise<Encoded> {
  if (body === undefined) return { headers: {} };
  if (body instanceof FormData) {
    const response = new Response(body);
    const type = response.headers.get("content-type") ?? "";
    return { headers: { "content-type": type }, bytes: Buffer.from(await response.arrayBuffer()) };
  }
  return { headers: { "content-type": "application/json" }, bytes: Buffer.from(JSON.stringify(body)) };
}
