import { randomBytes } from "node:crypto";
import path from "node:path";
import ipaddr from "ipaddr.js";
import { z } from "zod";
import { parseDatabaseUrl } from "#lib/database-url.ts";
import { findTimeZoneByText } from "#lib/time-zones.ts";

/**
 * Parses all the operator's settings from environment variables, once. Code that handles requests and jobs calls
 * `env()`; only scripts and the code that builds or starts the service read `process.env`. An invalid value stops the
 * start with a message that names the variable and says what it should be.
 */

const wholeNumberQuery = (min: number, max: number, fallback: number) =>
  z
    .string()
    .regex(/^\d{1,12}$/, `a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `a whole number from ${min} to ${max}`)
    .default(fallback);

/** bcrypt's lowest cost in production mode, where strangers can sign in. */
const STRONG_PASSWORD_COST = 12;
/** bcrypt's highest cost: eight times the work of 12, about two seconds for a password. */
const MAX_PASSWORD_COST = 15;

const urlSetting = (protocols: string[], example: string) =>
  z
    .string()
    .refine((text) => {
      try {
        return protocols.includes(new URL(text).protocol);
      } catch {
        return false;
      }
    }, `a URL such as ${example}`)
    .optional();

/** Returns whether a URL is only scheme, host and port. */
const isOrigin = ({ pathname, search, hash, username, password }: URL) =>
  pathname === "/" && search === "" && hash === "" && username === "" && password === "";

const LOCAL_HOST_PATTERN = /^[^.]+$|\.(localhost|local|internal|intranet|lan|test|home\.arpa)$/;

const PRIVATE_NETWORK_RANGES = [
  "private",
  "loopback",
  "linkLocal",
  "uniqueLocal",
  "carrierGradeNat",
  "unspecified",
];

/** Returns whether a URL is plain http to a host that is neither this machine nor in a private network. */
function isUnencryptedPublicUrl({ protocol, hostname }: URL): boolean {
  if (protocol !== "http:") return false;
  const address = hostname.replace(/^\[|\]$/g, "");
  if (ipaddr.isValid(address)) return !PRIVATE_NETWORK_RANGES.includes(ipaddr.process(address).range());
  return !LOCAL_HOST_PATTERN.test(hostname);
}

/** Returns whether a key repeats a few letters or has the words of an example. */
const isGuessableKey = (key: string) =>
  new Set(key).size < 10 || /change.?me|secret|passw|example|default/i.test(key);

const hasBucket = ({ pathname, username, password }: URL) =>
  pathname.length > 1 && username !== "" && password !== "";

const booleanSetting = (fallback: boolean) =>
  z
    .enum(["on", "off", "true", "false", "1", "0"], "on or off")
    .transform((text) => text === "on" || text === "true" || text === "1")
    .default(fallback);

/** Returns whether a text is written as browsers write an origin: no path, no default port, no capitals. */
const isWebOrigin = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;

const listOrigins = (text: string): string[] => (text === "" ? [] : text.split(",").map((one) => one.trim()));

const HOUR_SECONDS = 3600;

export const EnvironmentVariablesSchema = z.object({
  PORT: wholeNumberQuery(0, 65535, 3000),
  HOST: z.string().regex(/^\S+$/, "an address of this machine, such as 127.0.0.1").optional(),
  HEED_DATA_DIR: z.string().regex(/\S/, "the path of a folder").default("./data"),
  HEED_PROCESSES: wholeNumberQuery(0, 64, 0),
  DATABASE_URL: z
    .string()
    .superRefine((text, context) => {
      try {
        parseDatabaseUrl(text);
      } catch (error) {
        context.addIssue({ code: "custom", message: (error as Error).message });
      }
    })
    .optional(),
  BASE_URL: urlSetting(["http:", "https:"], "https://heed.example.org")
    .refine(
      (text) => !text || !URL.canParse(text) || isOrigin(new URL(text)),
      "a URL without a path, such as https://heed.example.org",
    )
    .refine(
      (text) => !text || !URL.canParse(text) || !isUnencryptedPublicUrl(new URL(text)),
      "https on a public host, since passwords and reports pass through it",
    )
    .transform((text) => text && new URL(text).origin),
  SMTP_URL: urlSetting(["smtp:", "smtps:"], "smtps://user:password@mail.example.org:465"),
  MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]{0,150}[^\s@<>]@[^\s@<>]{1,100}>?$/, "an address such as Heed <heed@example.org>")
    .default("Heed <heed@localhost>"),
  S3_URL: urlSetting(
    ["http:", "https:"],
    "https://key:secret@s3.example.org/bucket?region=eu-central-1",
  ).refine(
    (text) => !text || !URL.canParse(text) || hasBucket(new URL(text)),
    "a URL with key, secret and bucket, such as https://key:secret@s3.example.org/bucket?region=eu-central-1",
  ),
  SESSION_KEYS: z
    .string()
    .refine(
      (text) => text.split(",").every((key) => key.trim().length >= 32),
      "one or more keys of at least 32 characters, newest first, separated by commas",
    )
    .refine(
      (text) => !text.split(",").some((key) => key.trim().length >= 32 && isGuessableKey(key)),
      "keys that nobody can guess, such as those that openssl rand -base64 33 makes",
    )
    .optional(),
  EVIDENCE_KEYS: z
    .string()
    .refine(
      (text) => text.split(",").every((key) => Buffer.from(key.trim(), "base64").length === 32),
      "one or more keys of 32 bytes in base64, newest first, separated by commas",
    )
    .optional(),
  AUDIT_KEYS: z
    .string()
    .refine(
      (text) => text.split(",").every((key) => Buffer.from(key.trim(), "base64").length === 32),
      "one or more keys of 32 bytes in base64, newest first, separated by commas",
    )
    .optional(),
  AUDIT_MAIL_TO: z
    .string()
    .regex(/^[^\s@,?;:<>()"]+@[^\s@,?;:<>()"]+$/, "one plain address, such as audit@example.org")
    .optional(),
  BACKUP_PASSPHRASE: z
    .string()
    .refine((text) => text.length >= 16, "a passphrase of at least 16 characters")
    .optional(),
  SESSION_IDLE_SECONDS: wholeNumberQuery(60, 30 * 24 * HOUR_SECONDS, 2 * HOUR_SECONDS),
  SESSION_ABSOLUTE_SECONDS: wholeNumberQuery(60, 90 * 24 * HOUR_SECONDS, 24 * HOUR_SECONDS),
  RESET_TOKEN_SECONDS: wholeNumberQuery(60, 7 * 24 * HOUR_SECONDS, HOUR_SECONDS),
  TRUSTED_PROXIES: z
    .string()
    .regex(/^[0-9a-fA-F.:/, ]*$/, "addresses or ranges such as 10.0.0.0/8, separated by commas")
    .default(""),
  CORS_ORIGINS: z
    .string()
    .refine(
      (text) => listOrigins(text).every(isWebOrigin),
      "origins such as https://dashboard.example.org, without a path and separated by commas",
    )
    .default(""),
  RATE_LIMITS: z.enum(["on", "off"], "on or off").optional(),
  RATE_LOGIN_ADDRESS_PER_MINUTE: wholeNumberQuery(1, 1e6, 300),
  RATE_WRONG_CODE_ACCOUNT_PER_HOUR: wholeNumberQuery(1, 1e6, 20),
  RATE_REGISTER_ADDRESS_PER_HOUR: wholeNumberQuery(1, 1e6, 120),
  RATE_FORGOT_ACCOUNT_PER_HOUR: wholeNumberQuery(1, 1e6, 5),
  RATE_FORGOT_ADDRESS_PER_HOUR: wholeNumberQuery(1, 1e6, 60),
  RATE_LOOKUP_ADDRESS_PER_MINUTE: wholeNumberQuery(1, 1e6, 60),
  RATE_REPORT_USER_PER_HOUR: wholeNumberQuery(1, 1e6, 20),
  RATE_REPORT_ADDRESS_PER_HOUR: wholeNumberQuery(1, 1e6, 20),
  RATE_CRITICAL_REPORT_USER_PER_HOUR: wholeNumberQuery(1, 1e6, 5),
  RATE_ANONYMOUS_FILES_MB_USER_PER_DAY: wholeNumberQuery(10, 1e6, 200),
  RATE_FILES_MB_USER_PER_DAY: wholeNumberQuery(10, 1e6, 1000),
  RATE_FILES_MB_ADDRESS_PER_DAY: wholeNumberQuery(1, 1e6, 1000),
  RATE_MESSAGE_USER_PER_HOUR: wholeNumberQuery(1, 1e6, 60),
  RATE_JOIN_USER_PER_HOUR: wholeNumberQuery(1, 1e6, 20),
  RATE_UPLOAD_USER_PER_HOUR: wholeNumberQuery(1, 1e6, 60),
  RATE_SEARCH_USER_PER_MINUTE: wholeNumberQuery(1, 1e6, 60),
  RATE_GENERAL_USER_PER_MINUTE: wholeNumberQuery(1, 1e6, 600),
  RATE_GENERAL_ADDRESS_PER_MINUTE: wholeNumberQuery(1, 1e6, 600),
  HEAP_MB: wholeNumberQuery(128, 1_000_000, 320),
  PASSWORD_COST: wholeNumberQuery(4, MAX_PASSWORD_COST, STRONG_PASSWORD_COST),
  DATABASE_POOL: wholeNumberQuery(2, 500, 4),
  DATABASE_ACQUIRE_MS: wholeNumberQuery(1000, 60_000, 5000),
  DATABASE_STATEMENT_MS: wholeNumberQuery(1000, 600_000, 15_000),
  RESPONSE_DEADLINE_HOURS: wholeNumberQuery(1, 8760, 24),
  URGENT_DEADLINE_MINUTES: wholeNumberQuery(1, 1440, 15),
  UPLOADS_IN_FLIGHT_MB: wholeNumberQuery(200, 1e6, 1024),
  UPLOAD_SECONDS: wholeNumberQuery(5, 3600, 120),
  SHUTDOWN_DELAY_SECONDS: wholeNumberQuery(0, 300, 0),
  EVENT_EVIDENCE_BYTES: wholeNumberQuery(1, 999_999_999_999, 5 * 1024 ** 3),
  EVIDENCE_CHECK_BYTES_PER_SECOND: wholeNumberQuery(65_536, 10_000_000_000, 8 * 1024 ** 2),
  TIME_ZONE: z
    .string()
    .refine((text) => findTimeZoneByText(text) !== null, "a time zone such as Europe/Berlin")
    .transform((text) => findTimeZoneByText(text) ?? text)
    .optional(),
  LOG_LEVEL: z
    .enum(["silent", "error", "warn", "info", "debug"], "one of silent, error, warn, info, debug")
    .default("info"),
  METRICS_TOKEN: z
    .string()
    .refine((text) => /^[\x21-\x7e]{16,}$/.test(text), "a token of at least 16 characters without a space")
    .optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: urlSetting(["http:", "https:"], "http://collector.example.org:4318"),
  DIRECT_API: booleanSetting(true),
  PRINT_MAIL_LINKS: booleanSetting(true),
  WEBHOOK_PRIVATE_TARGETS: booleanSetting(false),
});

export type Env = z.infer<typeof EnvironmentVariablesSchema> & {
  /** Absolute path of the data folder. */
  dataDir: string;
  /** Production mode: BASE_URL is set (contract 13.1). */
  production: boolean;
  /** Zone of pages that belong to no event, and of events without one: TIME_ZONE, else the server's own. */
  timeZone: string;
  /** Base of links in mails and responses; never taken from a request. */
  baseUrl: string;
  /** Whether BASE_URL is https: Secure cookies and HSTS. */
  https: boolean;
  /** Origins whose pages may call the API with a token (contract 3.20). */
  corsOrigins: string[];
  rateLimits: boolean;
  /**
   * Whether addresses have to be verified by a mailed link; in local mode without a mail server they count as verified.
   */
  verifiesEmail: boolean;
};

export class EnvError extends Error {}

/** Parses an environment. Empty strings count as unset. @throws EnvError that names each invalid variable */
export function parseEnv(source: Record<string, string | undefined>): Env {
  const givenValues = Object.fromEntries(
    Object.keys(EnvironmentVariablesSchema.shape)
      .filter((key) => source[key] !== undefined && source[key] !== "")
      .map((key) => [key, source[key]]),
  );
  const parsed = EnvironmentVariablesSchema.safeParse(givenValues);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `${issue.path.join(".")} should be ${issue.message}`);
    throw new EnvError(`The environment can't be used:\n  ${lines.join("\n  ")}`);
  }
  const env = parsed.data;
  const production = env.BASE_URL !== undefined;
  if (production && env.PASSWORD_COST < STRONG_PASSWORD_COST)
    throw new EnvError(
      `The environment can't be used:\n  PASSWORD_COST should be a whole number from ${STRONG_PASSWORD_COST} to ${MAX_PASSWORD_COST} where BASE_URL is set`,
    );
  return {
    ...env,
    dataDir: path.resolve(/* turbopackIgnore: true */ process.cwd(), env.HEED_DATA_DIR),
    production,
    timeZone:
      env.TIME_ZONE ?? findTimeZoneByText(new Intl.DateTimeFormat().resolvedOptions().timeZone) ?? "UTC",
    baseUrl: env.BASE_URL ?? `http://localhost:${env.PORT}`,
    https: env.BASE_URL?.startsWith("https:") ?? false,
    corsOrigins: listOrigins(env.CORS_ORIGINS),
    rateLimits: env.RATE_LIMITS ? env.RATE_LIMITS === "on" : production,
    verifiesEmail: production || env.SMTP_URL !== undefined,
  };
}

let cachedEnv: Env | undefined;

/** Returns the parsed environment of this process. */
export function env(): Env {
  cachedEnv ??= parseEnv(process.env);
  return cachedEnv;
}

/**
 * Sets the port that the service listens on; the system chose it if `PORT` is 0. From now on, links contain this port.
 */
export function setListeningPort(port: number): void {
  process.env.PORT = String(port);
  cachedEnv = undefined;
}

/**
 * Returns a key that is never written to disk: the first process generates it, and its child processes inherit it. It
 * is not a setting, although a value from outside would be used.
 */
export const getOrCreateInMemorySecretKey = (): string =>
  (process.env.HEED_MEMORY_KEY ||= randomBytes(32).toString("base64url"));

/**
 * Returns the environment of a process that gets files or a document and no secret: only the folder in which Node keeps
 * compiled code between starts, if the service has one.
 */
export function buildIsolatedProcessEnv(): NodeJS.ProcessEnv {
  const { NODE_COMPILE_CACHE } = process.env;
  return { NODE_ENV: "production", ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
}
