import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import {
  buildSpawnOptionsForSystemUser,
  createCluster,
  preparePostgresInstallation,
  type PostgresInstallation,
} from "#lib/database/embedded/installation.ts";
import { findFreePort } from "#e2e/support/process.ts";

const PASSWORD = "the-fault-run-keeps-this-server-for-itself";

/** A separate PostgreSQL server for a fault, which can be stopped, frozen, killed and restarted. */
export class DatabaseServer {
  readonly url: string;
  readonly #installation: PostgresInstallation;
  readonly #port: number;
  #child: ChildProcess | undefined;

  private constructor(installation: PostgresInstallation, port: number) {
    this.#installation = installation;
    this.#port = port;
    this.url = `postgresql://heed:${PASSWORD}@127.0.0.1:${port}/heed`;
  }

  /** Creates a server in a folder, without starting it. */
  static async make(folder: string): Promise<DatabaseServer> {
    fs.mkdirSync(folder, { recursive: true, mode: 0o711 });
    const installation = await preparePostgresInstallation(folder, () => {});
    await createCluster(installation, folder, PASSWORD);
    return new DatabaseServer(installation, await findFreePort());
  }

  get databaseFolder(): string {
    return this.#installation.databaseFolder;
  }

  get port(): number {
    return this.#port;
  }

  /** Sets configuration for the next start, and for the running server after `reload`. */
  configure(settings: Record<string, string>): void {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
    fs.writeFileSync(path.join(this.databaseFolder, "postgresql.auto.conf"), lines.join(""));
  }

  reload(): void {
    this.#child?.kill("SIGHUP");
  }

  /** Allows a standby to replicate. Call it while the server is stopped. */
  allowReplication(): void {
    fs.appendFileSync(
      path.join(this.databaseFolder, "pg_hba.conf"),
      "host replication heed 127.0.0.1/32 scram-sha-256\n",
    );
    const { binFolder, databaseFolder, systemUser } = this.#installation;
    execFileSync(path.join(binFolder, "postgres"), ["--single", "-D", databaseFolder, "postgres"], {
      ...buildSpawnOptionsForSystemUser(systemUser),
      input: "ALTER ROLE heed REPLICATION;\n",
      stdio: ["pipe", "ignore", "ignore"],
    });
  }

  /**
   * Creates a standby of this server with the application name "standby", without starting it. Call it while this
   * server is stopped.
   */
  async makeStandby(folder: string): Promise<DatabaseServer> {
    fs.mkdirSync(folder, { recursive: true, mode: 0o711 });
    const databaseFolder = path.join(folder, "postgres");
    execFileSync("cp", ["-a", this.databaseFolder, databaseFolder]);
    const standby = new DatabaseServer({ ...this.#installation, databaseFolder }, await findFreePort());
    standby.configure({
      primary_conninfo: `host=127.0.0.1 port=${this.#port} user=heed password=${PASSWORD} application_name=standby`,
    });
    fs.writeFileSync(path.join(databaseFolder, "standby.signal"), "");
    return standby;
  }

  /** Promotes a standby to primary. */
  promote(): void {
    const { binFolder, databaseFolder, systemUser } = this.#installation;
    execFileSync(path.join(binFolder, "pg_ctl"), ["promote", "-D", databaseFolder], {
      ...buildSpawnOptionsForSystemUser(systemUser),
      stdio: "ignore",
    });
  }

  /** Starts the server and waits until it accepts connections. */
  async start(): Promise<void> {
    const { binFolder, databaseFolder, systemUser } = this.#installation;
    const settings = ["listen_addresses=127.0.0.1", `port=${this.#port}`, "unix_socket_directories="];
    const log = fs.openSync(path.join(path.dirname(databaseFolder), "server.log"), "a");
    this.#child = spawn(
      path.join(binFolder, "postgres"),
      ["-D", databaseFolder, ...settings.flatMap((one) => ["-c", one])],
      {
        ...buildSpawnOptionsForSystemUser(systemUser),
        detached: true,
        stdio: ["ignore", log, log],
      },
    );
    fs.closeSync(log);
    process.once("exit", this.#endWithUs);
    for (const end = Date.now() + 120_000; !(await this.#isResponding()); await sleep(50))
      if (Date.now() > end) throw new Error("The database server of the fault does not start.");
  }

  /** Stops the server: "SIGINT" shuts it down and cuts connections, "SIGQUIT" ends it like a crash. */
  async stop(how: "SIGINT" | "SIGQUIT" = "SIGINT"): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    this.signalAll("SIGCONT");
    child.kill(how);
    await once(child, "exit");
    process.off("exit", this.#endWithUs);
  }

  /**
   * Freezes every process of the server ("SIGSTOP"): connections stay open, and nothing responds. "SIGCONT" resumes
   * them.
   */
  signalAll(signal: "SIGSTOP" | "SIGCONT"): void {
    const leader = this.#child?.pid ?? 0;
    for (const pid of [leader, ...childrenOf(leader)]) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has just ended by itself.
      }
    }
  }

  readonly #endWithUs = () => {
    this.signalAll("SIGCONT");
    this.#child?.kill("SIGQUIT");
  };

  async #isResponding(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 2000 });
    client.on("error", () => {});
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => {});
    }
  }
}

/** Processes that the given one has started, from /proc. */
function childrenOf(pid: number): number[] {
  try {
    return fs
      .readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
      .split(" ")
      .filter(Boolean)
      .map(Number);
  } catch {
    return [];
  }
}
