import { env } from "#lib/env.ts";

/**
 * All limits of the service (contract 3.13) in one table, by which rate-limits.ts counts. Delays after wrong passwords
 * stand beside it (lib/accounts/sign-in-delay.ts), since each promises a retry; what waits is in lib/fair-queue.ts.
 */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MEBIBYTE = 1024 ** 2;

type Env = ReturnType<typeof env>;
type NumberVariable = { [Name in keyof Env]-?: Env[Name] extends number ? Name : never }[keyof Env];

type LimitRow = {
  /** What has a count of its own. */
  per: "address" | "device" | "account" | "person" | "mailbox" | "service";
  /**
   * Where the count is. `database`: in a row under a keyed hash, for all processes. `slots`: in rows that lead to nobody,
   * for all processes (person-limits.ts). `memory`: in each process, since any row would tell that somebody at the
   * address did something at that time (docs/decisions/050).
   */
  store: "database" | "slots" | "memory";
  /** How many calls are allowed within `seconds`, or the variable that says so; of files, how many mebibytes. */
  points: number | NumberVariable;
  seconds: number;
  /** How many bytes are counted as a point, where bytes are counted. */
  bytes?: number;
  /** Whether calls are refused while the database can't count, so that nobody guesses unlimited. */
  failsClosed?: true;
  /** Whether half of it comes back every half minute, so that no refusal lasts longer (contract 4.2). */
  refillsEarly?: true;
  /** Whether a person's tokens have a count of their own. */
  tokensApart?: true;
  /** Whether responses keep to themselves what is left, since it would tell that somebody reported. */
  hidesRest?: true;
  /** What a refusal says, if not `tooManyRequests`. */
  refusal?: "tooManyFilesToday";
  /** The name in headers, log and metrics, if another. */
  name?: string;
};

const ADDRESS = { per: "address", store: "database" } as const;
const VISITOR = { per: "address", store: "memory" } as const;
const ACCOUNT = { per: "account", store: "database", seconds: HOUR } as const;
const PERSON = { per: "person", store: "slots" } as const;
const FILES = { seconds: DAY, refusal: "tooManyFilesToday" } as const;
const GUESS = { failsClosed: true } as const;

// oxfmt-ignore
const LIMITS = {
  login: { ...ADDRESS, ...GUESS, points: "RATE_LOGIN_ADDRESS_PER_MINUTE", seconds: MINUTE, refillsEarly: true },
  "sign-in-device": { per: "device", store: "database", ...GUESS, points: 30, seconds: MINUTE },
  "wrong-code": { ...ACCOUNT, ...GUESS, points: "RATE_WRONG_CODE_ACCOUNT_PER_HOUR" },
  register: { ...ADDRESS, ...GUESS, points: "RATE_REGISTER_ADDRESS_PER_HOUR", seconds: HOUR },
  forgot: { ...ADDRESS, ...GUESS, points: "RATE_FORGOT_ADDRESS_PER_HOUR", seconds: HOUR },
  "forgot-account": { ...ACCOUNT, ...GUESS, points: "RATE_FORGOT_ACCOUNT_PER_HOUR" },
  // Registering and deleting accounts in a loop mustn't flood somebody's mailbox.
  "verify-email": { ...ACCOUNT, points: "RATE_FORGOT_ACCOUNT_PER_HOUR" },
  "email-change": { ...ACCOUNT, points: "RATE_FORGOT_ACCOUNT_PER_HOUR" },
  "mail-test": { ...ACCOUNT, points: 10 },
  "invite-mail": { ...ACCOUNT, points: 60 },
  // Of all inviters together, so that nobody's mailbox is flooded; counted when the mail is written.
  "invite-mail-address": { ...ACCOUNT, points: 5, seconds: DAY },
  lookup: { ...ADDRESS, points: "RATE_LOOKUP_ADDRESS_PER_MINUTE", seconds: MINUTE },
  report: { ...PERSON, points: "RATE_REPORT_USER_PER_HOUR", seconds: HOUR, hidesRest: true },
  "critical-report": { ...PERSON, points: "RATE_CRITICAL_REPORT_USER_PER_HOUR", seconds: HOUR },
  "anonymous-files": { ...PERSON, ...FILES, points: "RATE_ANONYMOUS_FILES_MB_USER_PER_DAY", bytes: 10 * MEBIBYTE },
  files: { ...PERSON, ...FILES, points: "RATE_FILES_MB_USER_PER_DAY", bytes: 10 * MEBIBYTE },
  message: { ...PERSON, points: "RATE_MESSAGE_USER_PER_HOUR", seconds: HOUR },
  join: { ...PERSON, points: "RATE_JOIN_USER_PER_HOUR", seconds: HOUR },
  upload: { ...PERSON, points: "RATE_UPLOAD_USER_PER_HOUR", seconds: HOUR, hidesRest: true },
  search: { ...PERSON, points: "RATE_SEARCH_USER_PER_MINUTE", seconds: MINUTE, tokensApart: true },
  general: { ...PERSON, points: "RATE_GENERAL_USER_PER_MINUTE", seconds: MINUTE, tokensApart: true },
  anonymous: { ...ADDRESS, points: "RATE_GENERAL_ADDRESS_PER_MINUTE", seconds: MINUTE },
  // Calls of pages without a session, and those that name nobody: their sender may be about to report.
  visitor: { ...VISITOR, points: "RATE_GENERAL_ADDRESS_PER_MINUTE", seconds: MINUTE, hidesRest: true, name: "anonymous" },
  // Those over it wait for their turn (report-lane.ts).
  "unidentified-report": { ...VISITOR, points: "RATE_REPORT_ADDRESS_PER_HOUR", seconds: HOUR },
  "unidentified-files": { ...VISITOR, ...FILES, points: "RATE_FILES_MB_ADDRESS_PER_DAY", bytes: MEBIBYTE },
  "unidentified-message": { per: "mailbox", store: "memory", points: "RATE_MESSAGE_USER_PER_HOUR", seconds: HOUR },
  // Refused forms are counted for as long as one is stored.
  "refused-form": { ...VISITOR, points: 20, seconds: 15 * MINUTE },
  "refused-forms": { per: "service", store: "memory", points: 500, seconds: 15 * MINUTE },
} satisfies Record<string, LimitRow>;

export type LimitName = keyof typeof LIMITS;
/** What calls of an operation count toward; `none` is for what may never be refused, such as signing out. */
export type CallLimit = LimitName | "signIn" | "none";
export type Limit = Omit<LimitRow, "points" | "name"> & { name: string; points: number };

/** Returns a limit of the table, with the points that the environment sets. */
export function getLimit(limitName: LimitName): Limit {
  const row: LimitRow = LIMITS[limitName];
  const points = typeof row.points === "number" ? row.points : env()[row.points];
  const unit = row.bytes ? row.bytes / MEBIBYTE : 1;
  return { ...row, name: row.name ?? limitName, points: Math.floor(points / unit) };
}
