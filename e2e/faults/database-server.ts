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
  readonly port: number;
  #child: ChildProcess | undefined;

  private constructor(installation: PostgresInstallation, port: number) {
    this.#installation = installation;
    this.port = port;
    this.url = `postgresql://heed:${PASSWORD}@127.0.0.1:${port}/heed`;
  }

  /** Creates a server in a folder, without starting it. */
  static async make(folder: string): Promise<DatabaseServer> {
    fs.mkdirSync(folder, { recursive: true, mode: 0o711 });
    const installation = await preparePostgresInstallation(folder, () => {});
    await createCluster(installation, folder, PASSWORD);
    return new DatabaseServer(installation, await findFreePort());
  }

  /** Sets configuration for the next start, and for a running server. */
  configure(settings: Record<string, string>): void {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
    fs.writeFileSync(path.join(this.#installation.databaseFolder, "postgresql.auto.conf"), lines.join(""));
    this.#child?.kill("SIGHUP");
  }

  /**
   * Lets a standby replicate, and creates it with the application name "standby", without starting it. Call it while
   * this server is stopped.
   */
  async makeStandby(folder: string): Promise<DatabaseServer> {
    const { databaseFolder } = this.#installation;
    const rule = "host replication heed 127.0.0.1/32 scram-sha-256\n";
    fs.appendFileSync(path.join(databaseFolder, "pg_hba.conf"), rule);
    this.#run("postgres", ["--single", "-D", databaseFolder, "postgres"], "ALTER ROLE heed REPLICATION;\n");
    fs.mkdirSync(folder, { recursive: true, mode: 0o711 });
    const copy = path.join(folder, "postgres");
    execFileSync("cp", ["-a", databaseFolder, copy]);
    fs.writeFileSync(path.join(copy, "standby.signal"), "");
    const installation = { ...this.#installation, databaseFolder: copy };
    const standby = new DatabaseServer(installation, await findFreePort());
    const primary = `host=127.0.0.1 port=${this.port} user=heed password=${PASSWORD}`;
    standby.configure({ primary_conninfo: `${primary} application_name=standby` });
    return standby;
  }

  /** Promotes a standby to primary. */
  promote(): void {
    this.#run("pg_ctl", ["promote", "-D", this.#installation.databaseFolder]);
  }

  #run(program: string, args: string[], input = ""): void {
    const { binFolder, systemUser } = this.#installation;
    execFileSync(path.join(binFolder, program), args, {
      ...buildSpawnOptionsForSystemUser(systemUser),
      input,
      stdio: ["pipe", "ignore", "ignore"],
    });
  }

  /** Starts the server and waits until it accepts connections. */
  async start(): Promise<void> {
    if (this.#isRunning) return;
    const { binFolder, databaseFolder, systemUser } = this.#installation;
    const settings = ["listen_addresses=127.0.0.1", `port=${this.port}`, "unix_socket_directories="];
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
    for (const end = Date.now() + 120_000; !(await this.ask()); await sleep(50))
      if (Date.now() > end) throw new Error("The database server of the fault does not start.");
  }

  /** Stops the server: "SIGINT" shuts it down and cuts connections, "SIGQUIT" ends it like a crash. */
  async stop(how: "SIGINT" | "SIGQUIT" = "SIGINT"): Promise<void> {
    const child = this.#child;
    if (!child || !this.#isRunning) return;
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

  get #isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  readonly #endWithUs = () => {
    this.signalAll("SIGCONT");
    this.#child?.kill("SIGQUIT");
  };

  /** Returns whether it accepts connections, and whether it is a standby. */
  async ask(): Promise<"primary" | "standby" | undefined> {
    const limits = { connectionTimeoutMillis: 2000, query_timeout: 1000 };
    const client = new pg.Client({ connectionString: this.url, ...limits });
    client.on("error", () => {});
    try {
      await client.connect();
      const { rows } = await client.query("select pg_is_in_recovery() as standby");
      return rows[0]?.standby ? "standby" : "primary";
    } catch {
      return undefined;
    } finally {
      void client.end().catch(() => {});
    }
  }
}

/** Processes that the given one has started, from /proc. */
function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").split(" ").filter(Boolean).map(Number) : [];
}
