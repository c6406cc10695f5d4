/**
 * Connection strings with several hosts, as libpq accepts them:
 * `postgresql://user:password@a:5432,b:5432/heed?target_session_attrs=read-write`. node-postgres accepts one host, so
 * each connection gets a URL with the host chosen for it (lib/database/connections.ts).
 */

export type DatabaseHost = { host: string; port: string | undefined };

export type ParsedDatabaseUrl = {
  hosts: [DatabaseHost, ...DatabaseHost[]];
  targetSessionAttrs: "any" | "read-write" | "primary";
  /** Maximum wait for one host (connect_timeout), in milliseconds. */
  connectTimeoutMs: number | undefined;
  /** Returns the URL of the same database on one host, for node-postgres. */
  urlOf(host: DatabaseHost): string;
};

const URL_PATTERN = /^(postgres(?:ql)?:)\/\/(?:([^/?#]*)@)?([^/?#@]*)(\/[^?#]*)?(?:\?([^#]*))?$/;

const DATABASE_URL_FORMAT_HINT = "a URL such as postgresql://user:password@host:5432/heed";

/** Parses DATABASE_URL. @throws Error that says what DATABASE_URL should be, without revealing its value */
export function parseDatabaseUrl(text: string): ParsedDatabaseUrl {
  const [, scheme = "", userInfo, authority = "", path = "", query = ""] = URL_PATTERN.exec(text) ?? [];
  if (!scheme) throw new Error(DATABASE_URL_FORMAT_HINT);
  const parameters = new URLSearchParams(query);
  const takeParameter = (name: string) => {
    const value = parameters.get(name);
    parameters.delete(name);
    return value ?? undefined;
  };
  const hosts = parseHosts(authority, takeParameter("host"), takeParameter("port"));
  const targetSessionAttrs = parseSessionAttributes(takeParameter("target_session_attrs"));
  const connectTimeoutMs = parseConnectTimeout(takeParameter("connect_timeout"));
  if ((takeParameter("load_balance_hosts") ?? "disable") !== "disable")
    throw new Error("a URL without load_balance_hosts: hosts are tried in their order");
  const urlOf = ({ host, port }: DatabaseHost) => {
    const hostParameters = new URLSearchParams(parameters);
    const isSocket = host.startsWith("/");
    if (isSocket) hostParameters.set("host", host);
    const name = isSocket ? "localhost" : host.includes(":") ? `[${host}]` : host;
    const hostAuthority = `${userInfo === undefined ? "" : `${userInfo}@`}${name}${port ? `:${port}` : ""}`;
    return `${scheme}//${hostAuthority}${path}${hostParameters.size > 0 ? `?${hostParameters}` : ""}`;
  };
  if (!hosts.every((host) => URL.canParse(urlOf(host)))) throw new Error(DATABASE_URL_FORMAT_HINT);
  return { hosts, targetSessionAttrs, connectTimeoutMs, urlOf };
}

/** Returns hosts and database, without user and password. */
export function describeDatabaseUrl(text: string): string {
  const { hosts } = parseDatabaseUrl(text);
  const path = URL_PATTERN.exec(text)?.[4] ?? "";
  return `${hosts.map(({ host, port }) => (port ? `${host}:${port}` : host)).join(",")}${path}`;
}

/** The parameters `host` and `port` take precedence over the authority part of the URL. */
function parseHosts(
  authority: string,
  hostList: string | undefined,
  portList: string | undefined,
): ParsedDatabaseUrl["hosts"] {
  const inAuthority = authority.split(",").map((one) => {
    const [, bracketed, name, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d*))?$/.exec(one) ?? [];
    const host = bracketed ?? name;
    if (host === undefined) throw new Error(DATABASE_URL_FORMAT_HINT);
    return { host: decodeURIComponent(host), port: port || undefined };
  });
  const hosts = hostList?.split(",").map((host) => ({ host, port: undefined })) ?? inAuthority;
  const ports = portList?.split(",");
  if (ports && ports.length !== 1 && ports.length !== hosts.length)
    throw new Error("a URL with one port, or as many ports as hosts");
  const [first, ...others] = hosts.map(({ host, port }, index) => ({
    host: host || "localhost",
    port: (ports?.length === 1 ? ports[0] : ports?.[index]) || port,
  }));
  return [first as DatabaseHost, ...others];
}

function parseSessionAttributes(given = "any"): ParsedDatabaseUrl["targetSessionAttrs"] {
  if (given === "any" || given === "read-write" || given === "primary") return given;
  throw new Error(
    "a URL with target_session_attrs read-write, primary or any: a server that can't be written to is of no use",
  );
}

function parseConnectTimeout(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^\d{1,4}$/.test(given)) throw new Error("a URL with connect_timeout in whole seconds");
  return Number(given) === 0 ? undefined : Number(given) * 1000;
}
