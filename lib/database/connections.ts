import { randomUUID } from "node:crypto";
import pg from "pg";
import { DATABASE_USE_LOCK } from "#lib/database/advisory-locks.ts";
import { parseDatabaseUrl, type DatabaseHost, type ParsedDatabaseUrl } from "#lib/database-url.ts";
import { IS_RESTORE_UNFINISHED_SQL, RestoreUnfinishedError } from "#lib/database/unfinished-restore.ts";
import { processWide } from "#lib/process-wide.ts";
import { addZonedTimeParserToQueryConfig } from "#lib/database/zoned-adapter.ts";

/**
 * Every connection of the service to PostgreSQL: which host it uses, and how its session is prepared
 * (docs/decisions/040).
 */

type ConnectionOptions = {
  applicationName: string;
  /** Set on the connection in addition to the common settings. */
  settings?: Record<string, string | number>;
  /**
   * Holds the lock that blocks restores, in shared mode (lib/database/restore-lock.ts), and refuses a database that an
   * interrupted restore left.
   */
  keepsRestoresAway?: boolean;
  connectTimeoutMs?: number;
  queryTimeoutMs?: number;
};

type PoolOptions = ConnectionOptions & Pick<pg.PoolConfig, "max" | "idleTimeoutMillis" | "pipeline">;

/**
 * The text format of values and the behavior of transactions depend on these settings, and a role, database or server
 * may have other defaults. They are set by a statement, not by startup options, which poolers refuse or drop.
 */
const SESSION_SETTINGS = {
  TimeZone: "UTC",
  DateStyle: "ISO, MDY",
  client_encoding: "UTF8",
  standard_conforming_strings: "on",
  default_transaction_isolation: "read committed",
};

/** Holds a unique value per connection, which shows whether the server's session is still the same. */
const SESSION_MARKER = "heed.session";

const CONNECT_TIMEOUT_MS = 10_000;
const CHECK_TIMEOUT_MS = 5000;

/** Thrown on a connection while a restore runs; requests treat it as an unavailable database (503). */
class RestoreRunningError extends Error {
  /** SQLSTATE cannot_connect_now. */
  readonly code = "57P03";

  constructor() {
    super("A restore runs on this database. Wait until it has ended.");
  }
}

/** SQLSTATE read_only_sql_transaction. */
export const READ_ONLY_SQLSTATE = "25006";
/** SQLSTATE feature_not_supported. */
export const SESSION_NOT_PRESERVED_SQLSTATE = "0A000";

/** Thrown when the server is a standby, or has default_transaction_read_only on. */
export class ReadOnlyServerError extends Error {
  readonly code = READ_ONLY_SQLSTATE;

  constructor() {
    super("it is read-only: a standby, or default_transaction_read_only is on");
  }
}

/** Thrown when a pooler in front of the database gives each transaction another server session. */
export class SessionNotPreservedError extends Error {
  readonly code = SESSION_NOT_PRESERVED_SQLSTATE;
}

/**
 * Connects a client and prepares its session.
 * @throws ReadOnlyServerError, RestoreRunningError, RestoreUnfinishedError, or the error of the server or the network
 */
export async function connectClient(url: string, options: ConnectionOptions): Promise<pg.Client> {
  const client = new DatabaseClient({ ...toClientConfig(url, options), keepAlive: true });
  try {
    await client.connect();
    await prepareSession(client, options);
    return client;
  } catch (error) {
    recordFailure(error);
    await client.end().catch(() => {});
    throw error;
  }
}

/**
 * Opens a pool whose connections are prepared like those of `connectClient`. Unusable connections are removed from
 * it.
 */
export function openPool(
  url: string,
  { max, idleTimeoutMillis, pipeline, ...options }: PoolOptions,
): pg.Pool {
  const pool = new pg.Pool({
    ...toClientConfig(url, options),
    Client: DatabaseClient,
    max,
    ...(idleTimeoutMillis !== undefined && { idleTimeoutMillis }),
    ...(pipeline !== undefined && { pipeline }),
    keepAlive: true,
    onConnect: (client) =>
      prepareSession(client, options).catch((error: unknown) => {
        recordFailure(error);
        throw error;
      }),
  });
  // The server may end a connection that idles, or that the pool is just closing. An error without a listener would end
  // the process.
  pool.on("error", () => {});
  // Right after this event the pool checks whether the client is ending, and removes it.
  pool.on("release", (_error, client) => {
    if (unusableClients.has(client)) void client.end().catch(() => {});
  });
  return pool;
}

const toClientConfig = (
  url: string,
  { applicationName, connectTimeoutMs, queryTimeoutMs }: ConnectionOptions,
): pg.ClientConfig => ({
  connectionString: url,
  application_name: applicationName,
  connectionTimeoutMillis: connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
  ...(queryTimeoutMs !== undefined && { query_timeout: queryTimeoutMs }),
});

type PreparedSession = {
  shared: boolean;
  unfinished: boolean;
  readOnly: boolean;
  settings: Record<string, string>;
};

type ExpectedSession = { mark: string; settings: Record<string, string> };

// Shared, since the copy of this module that opens a pool may not be the one that monitors it.
const {
  sessions,
  unusable: unusableClients,
  failures,
} = processWide("database sessions", (): SharedState => ({
  sessions: new WeakMap(),
  unusable: new WeakSet(),
  failures: { last: undefined },
}));

type SharedState = {
  sessions: WeakMap<pg.ClientBase, ExpectedSession>;
  unusable: WeakSet<pg.ClientBase>;
  failures: { last: ConnectionFailure | undefined };
};

async function prepareSession(
  client: pg.ClientBase,
  { settings, keepsRestoresAway: sharesUseLock = false }: ConnectionOptions,
): Promise<void> {
  const mark = randomUUID();
  const sessionSettings = { ...SESSION_SETTINGS, ...settings, [SESSION_MARKER]: mark };
  const { rows } = await client.query<PreparedSession>(
    buildCheckQuery(
      `select ${sharesUseLock ? "pg_try_advisory_lock_shared($2)" : "$2::int is not null"} as shared,
        ${IS_RESTORE_UNFINISHED_SQL} as unfinished,
        current_setting('transaction_read_only') = 'on' as "readOnly",
        (select json_object_agg(key, set_config(key, value, false)) from json_each_text($1)) as settings`,
      [JSON.stringify(sessionSettings), DATABASE_USE_LOCK],
    ),
  );
  const [prepared] = rows;
  if (prepared?.readOnly) throw new ReadOnlyServerError();
  if (!prepared?.shared) throw new RestoreRunningError();
  if (sharesUseLock && prepared.unfinished) throw new RestoreUnfinishedError();
  sessions.set(client, { mark, settings: prepared.settings });
}

const buildCheckQuery = (text: string, values: unknown[] = []) => ({
  text,
  values,
  query_timeout: CHECK_TIMEOUT_MS,
});

/**
 * Checks that the server's session is still the one that was prepared. Sets a new marker, so that another connection
 * which is given the same session notices.
 * @throws ReadOnlyServerError, SessionNotPreservedError
 */
export async function assertDatabaseSessionPreserved(client: pg.ClientBase): Promise<void> {
  const expected = sessions.get(client);
  const mark = randomUUID();
  const { rows } = await client.query<{ found: string; readOnly: boolean; settings: Record<string, string> }>(
    buildCheckQuery(
      `select current_setting('${SESSION_MARKER}', true) as found,
        current_setting('transaction_read_only') = 'on' as "readOnly",
        (select json_object_agg(name, current_setting(name, true)) from json_array_elements_text($1) as name) as settings,
        set_config('${SESSION_MARKER}', $2, false)`,
      [JSON.stringify(Object.keys(expected?.settings ?? {})), mark],
    ),
  );
  const [session] = rows;
  if (!expected || !session) throw new Error("the connection was never prepared");
  if (session.readOnly) throw new ReadOnlyServerError();
  if (session.found !== expected.mark)
    throw new SessionNotPreservedError(
      "a pooler in front of it does not keep sessions: what is set on a connection is gone with the next statement",
    );
  for (const [name, value] of Object.entries(expected.settings))
    if (name !== SESSION_MARKER && session.settings[name] !== value)
      throw new SessionNotPreservedError(
        `${name} is ${session.settings[name]} on it, right after it was set to ${value}`,
      );
  sessions.set(client, { mark, settings: { ...expected.settings, [SESSION_MARKER]: mark } });
}

/** Like `assertDatabaseSessionPreserved`, on a connection of a pool; a connection that fails the check is removed. */
export async function assertDatabaseSessionPreservedInPool(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await assertDatabaseSessionPreserved(client);
  } catch (error) {
    unusableClients.add(client);
    throw error;
  } finally {
    client.release();
  }
}

/** SQLSTATEs after which a connection is unusable: the server shuts down or became a standby, or the link is broken. */
const UNUSABLE_SQLSTATES = /^(25006|57P0[1-5]|08...)$/;

type ClientInternals = {
  connection: NodeJS.EventEmitter & { stream: { destroyed: boolean } };
  _ending: boolean;
  host: string;
  port: number;
};

type ConnectCallback = (error?: Error) => void;

/** A client that selects one of several hosts when it connects. */
class DatabaseClient extends pg.Client {
  /** The connection string, if it names several hosts. */
  readonly #multiHostUrl: string | undefined;
  readonly #timeoutMs: number;

  constructor(config: pg.ClientConfig = {}) {
    const { connectionString = "" } = config;
    const { hosts, urlOf } = parseDatabaseUrl(connectionString);
    super({ ...config, connectionString: urlOf(hosts[0]) });
    this.#multiHostUrl = hosts.length > 1 ? connectionString : undefined;
    this.#timeoutMs = config.connectionTimeoutMillis ?? CONNECT_TIMEOUT_MS;
    // The server may end a session right after authentication, or while it idles in the pool. An error without a
    // listener would end the process; the next statement fails in any case.
    this.on("error", () => {});
    this.#internals.connection.on("errorMessage", ({ code }: { code?: string }) => {
      if (UNUSABLE_SQLSTATES.test(code ?? "")) unusableClients.add(this);
    });
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    this.query = ((config: unknown, ...others: unknown[]) =>
      query(addZonedTimeParserToQueryConfig(config), ...others)) as typeof this.query;
  }

  get #internals(): ClientInternals {
    return this as unknown as ClientInternals;
  }

  override connect(): Promise<this>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<this> | void {
    const connecting = this.#connect();
    if (!callback) return connecting;
    connecting.then(
      () => callback(),
      (error: Error) => {
        recordFailure(error);
        callback(error);
      },
    );
  }

  async #connect(): Promise<this> {
    if (this.#multiHostUrl) {
      const { host, port } = await selectHost(this.#multiHostUrl, this.#timeoutMs);
      const internals = this.#internals;
      // The caller that waited for the connection has since given up.
      if (internals._ending || internals.connection.stream.destroyed)
        throw new Error("timeout exceeded when trying to connect");
      Object.assign(internals, { host, port: Number(port ?? 5432) });
    }
    await super.connect();
    return this;
  }
}

// Keyed by connection string. Copies of this module that the bundler makes needn't share it.
const lastSelected = new Map<string, DatabaseHost>();
const pendingSelections = new Map<string, Promise<DatabaseHost>>();

/**
 * Selects the first host that satisfies `target_session_attrs`. The last host that did is tried first, so that new
 * connections don't wait for a machine that is gone. Concurrent calls share one attempt.
 * @throws the error of the last host; ReadOnlyServerError when any host failed only for being read-only
 */
function selectHost(text: string, timeoutMs: number): Promise<DatabaseHost> {
  const pending = pendingSelections.get(text);
  if (pending) return pending;
  const selection = tryHosts(text, timeoutMs)
    .then((host) => {
      lastSelected.set(text, host);
      return host;
    })
    .finally(() => pendingSelections.delete(text));
  pendingSelections.set(text, selection);
  return selection;
}

async function tryHosts(text: string, timeoutMs: number): Promise<DatabaseHost> {
  const url = parseDatabaseUrl(text);
  const last = lastSelected.get(text);
  const isLast = ({ host, port }: DatabaseHost) => host === last?.host && port === last.port;
  const hosts = [...url.hosts.filter(isLast), ...url.hosts.filter((host) => !isLast(host))];
  const hostTimeoutMs = url.connectTimeoutMs ?? Math.ceil(timeoutMs / hosts.length);
  let failure: unknown;
  for (const host of hosts) {
    try {
      await probeHost(url, host, hostTimeoutMs);
      return host;
    } catch (error) {
      // The other hosts would refuse the same password.
      if ((error as { code?: string }).code?.startsWith("28")) throw error;
      if (!(failure instanceof ReadOnlyServerError)) failure = error;
    }
  }
  throw failure;
}

const REFUSAL_CONDITIONS = {
  any: "false",
  "read-write": "current_setting('transaction_read_only') = 'on'",
  primary: "pg_is_in_recovery()",
};

/** Tries a connection to a host. @throws ReadOnlyServerError when the host doesn't satisfy `target_session_attrs` */
async function probeHost(url: ParsedDatabaseUrl, host: DatabaseHost, timeoutMs: number): Promise<void> {
  const client = new pg.Client({
    connectionString: url.urlOf(host),
    application_name: "heed-probe",
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ refused: boolean }>(
      `select ${REFUSAL_CONDITIONS[url.targetSessionAttrs]} as refused`,
    );
    if (rows[0]?.refused) throw new ReadOnlyServerError();
  } finally {
    void client.end().catch(() => {});
  }
}

type ConnectionFailure = { code: string | undefined; message: string };

function recordFailure(error: unknown): void {
  const { code, message } = error as { code?: string; message?: string };
  failures.last = { code, message: message ?? "" };
}

/**
 * Returns the last connection error, for whoever starts the service. It concerns the connection only, so it quotes
 * nothing that people wrote.
 */
export function describeLastConnectionFailure(): string | undefined {
  const { last } = failures;
  return last && (last.code ? `${last.message} (${last.code})` : last.message);
}
