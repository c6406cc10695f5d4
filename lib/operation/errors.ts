import {
  formatErrorTitleAndAdvice,
  formatFieldProblem,
  straightenApostrophes,
  type ErrorKey,
  type ErrorTextKeyAndValues,
  type ErrorTermKey,
  type ErrorMessageValues,
  type ErrorValues,
  type FieldProblem,
} from "#lib/i18n/error-text.ts";
import { DEFAULT_LOCALE } from "#lib/i18n/locales.ts";
import { log } from "#lib/observability/log.ts";

/** Every error code that a response can carry, and its status (contract 3.3). */
export const ERROR_STATUS = {
  VALIDATION_ERROR: 400,
  INVALID_JSON: 400,
  INVALID_ASSIGNEE: 400,
  RESET_TOKEN_INVALID: 400,
  CONFIRM_TOKEN_INVALID: 400,
  IMAGE_TOO_LARGE: 400,
  UNAUTHENTICATED: 401,
  TOKEN_INVALID: 401,
  TOKEN_EXPIRED: 401,
  INVALID_CREDENTIALS: 401,
  SECOND_FACTOR_NEEDED: 401,
  SECOND_FACTOR_INVALID: 401,
  FORBIDDEN: 403,
  CSRF_REJECTED: 403,
  REGISTRATION_CLOSED: 403,
  SECOND_FACTOR_REQUIRED: 403,
  EMAIL_UNVERIFIED: 403,
  CONFLICT_CHECK_REQUIRED: 403,
  TOKEN_SCOPE: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  EMAIL_TAKEN: 409,
  SLUG_TAKEN: 409,
  ALREADY_MEMBER: 409,
  LAST_ADMIN: 409,
  EVENT_NOT_OPEN: 409,
  INVALID_STATE_TRANSITION: 409,
  CONFLICT: 409,
  IDEMPOTENCY_KEY_IN_USE: 409,
  IDEMPOTENCY_RESPONSE_LOST: 409,
  INVITE_EXPIRED: 410,
  INVITE_DISABLED: 410,
  INVITE_EXHAUSTED: 410,
  PAYLOAD_TOO_LARGE: 413,
  QUOTA_EXCEEDED: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  UNSUPPORTED_FILE_TYPE: 415,
  RANGE_NOT_SATISFIABLE: 416,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
  STORAGE_UNAVAILABLE: 507,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/**
 * Error codes of an operation whose query or body names an event: the same as if its path named the event (contract
 * 3.5).
 */
export const ERROR_CODES_FOR_EVENT_IN_INPUT = [
  "NOT_FOUND",
  "FORBIDDEN",
  "EMAIL_UNVERIFIED",
  "SECOND_FACTOR_REQUIRED",
] as const satisfies ErrorCode[];

type ErrorOptions = {
  headers?: Record<string, string>;
  /** The field that the error is about. The API puts its name before the advice (contract 3.3). */
  field?: string;
};

type ErrorArguments<Key extends ErrorKey> =
  ErrorValues<Key> extends Record<string, never>
    ? [values?: ErrorValues<Key>, options?: ErrorOptions]
    : [values: ErrorValues<Key>, options?: ErrorOptions];

/**
 * A failure that the caller may see: a code for programs, and the key of its texts with their values. `message` and
 * `details` are the English texts that the API returns.
 */
export class AppError<Key extends ErrorKey = ErrorKey> extends Error {
  readonly code: ErrorCode;
  readonly key: ErrorKey;
  readonly values: ErrorMessageValues;
  readonly details: string;
  readonly headers: Record<string, string>;
  readonly field: string | undefined;

  constructor(code: ErrorCode, key: Key, ...[values = {} as never, options = {}]: ErrorArguments<Key>) {
    const { title, advice } = formatErrorTitleAndAdvice(DEFAULT_LOCALE, { key, values });
    super(straightenApostrophes(title));
    this.name = "AppError";
    this.code = code;
    this.key = key;
    this.values = values;
    this.headers = options.headers ?? {};
    this.field = options.field;
    this.details =
      straightenApostrophes(options.field ? `${options.field}: ${advice}` : advice) || this.message;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/**
 * Serializes the key of an error's text, with the numbers in it, for our own scripts: "fileNotCleanable; number=2". The
 * API returns English text only; with the key, scripts show the text in the reader's language (contract 3.3).
 */
export function serializeErrorTextKeyAndNumbers({ key, values }: ErrorTextKeyAndValues): string {
  const numbers = Object.entries(values).flatMap(([name, value]) =>
    typeof value === "object" && "term" in value
      ? Object.entries(value.values ?? {})
      : [[name, value] as const],
  );
  const parameters = numbers.flatMap(([name, value]) =>
    typeof value === "number" ? [`${name}=${value}`] : [],
  );
  return [key, ...parameters].join("; ");
}

/** An invalid body or query; `fields` has the problem of each field. */
export class InvalidInputError extends AppError<"invalidInput"> {
  override readonly details: string;
  readonly fields: Readonly<Record<string, FieldProblem>>;

  constructor(fields: Readonly<Record<string, FieldProblem>>) {
    super("VALIDATION_ERROR", "invalidInput");
    this.fields = fields;
    const problems = Object.entries(fields).map(([field, problem]) => {
      const text = straightenApostrophes(formatFieldProblem(DEFAULT_LOCALE, problem));
      return field ? `${field}: ${text}` : text;
    });
    this.details = problems.join("; ") || this.message;
  }
}

/** Returns a field's name for a response. Clients make up names, too, so any but a plain one becomes a placeholder. */
export const getPrintableFieldNameOrPlaceholder = (name: string): string =>
  /^[\w.\-[\]]{1,60}$/.test(name) ? name : "a field";

type SubjectTerm = ErrorTermKey extends infer Term
  ? Term extends `subject.${infer Name}`
    ? Name
    : never
  : never;

export const createNotFoundError = (subject: SubjectTerm = "anything") =>
  new AppError("NOT_FOUND", "notFound", { what: { term: `subject.${subject}` } });

export const createForbiddenError = () => new AppError("FORBIDDEN", "forbidden");

export const createUnauthenticatedError = () => new AppError("UNAUTHENTICATED", "unauthenticated");

export const createSecondFactorRequiredError = () =>
  new AppError("SECOND_FACTOR_REQUIRED", "secondFactorRequired");

export const createEmailUnverifiedError = () => new AppError("EMAIL_UNVERIFIED", "emailUnverified");

/** Creates the error that says why a held role doesn't count yet. */
export const createWithheldRoleError = (reason: "unverified" | "secondFactor"): AppError =>
  reason === "unverified" ? createEmailUnverifiedError() : createSecondFactorRequiredError();

/** The connection was lost during a commit, so the transaction may or may not have been committed. */
class OutcomeUnknownError extends AppError<"outcomeUnknown"> {}

const RETRY_SOON = { headers: { "Retry-After": "2" } };

/** Creates the error for a request that can't be served now but may succeed in a moment. */
export const createUnavailableError = () =>
  new AppError("SERVICE_UNAVAILABLE", "unavailable", {}, RETRY_SOON);

export const createCommitOutcomeUnknownError = () =>
  new OutcomeUnknownError("SERVICE_UNAVAILABLE", "outcomeUnknown", {}, RETRY_SOON);

/** Returns whether the transaction that failed with this error may have been committed. */
export const isCommitOutcomeUnknownError = (thrown: unknown): boolean =>
  thrown instanceof OutcomeUnknownError;

export const createTokenScopeError = () => new AppError("TOKEN_SCOPE", "tokenOutOfScope");

/**
 * Converts any thrown value to an AppError. Database messages are never passed on, since they quote values and SQL;
 * only their code is logged.
 * @param requestId identifies the line in the log
 */
export function toAppError(thrown: unknown, requestId?: string | null): AppError {
  if (thrown instanceof AppError) return thrown;
  if (findDatabaseErrorCode(thrown) === DISK_FULL_SQLSTATE) {
    log.error(
      { code: DISK_FULL_SQLSTATE, requestId: requestId ?? undefined },
      "the disk of the database is full",
    );
    return new AppError("STORAGE_UNAVAILABLE", "databaseFull");
  }
  const busyReason = findUnavailableReason(thrown);
  if (busyReason) {
    log.warn({ reason: busyReason, requestId: requestId ?? undefined }, "database unavailable");
    return createUnavailableError();
  }
  const code = findDatabaseErrorCode(thrown);
  if (code === "23505") return new AppError("CONFLICT", "alreadyExists");
  if (code === "23503") return new AppError("CONFLICT", "referenceGone");
  log.error({ err: redactError(thrown), requestId: requestId ?? undefined }, "unexpected error");
  return new AppError("INTERNAL_ERROR", "internalError");
}

/** Returns whether an error is a violation of a unique constraint, optionally of the named constraint or column. */
export function isUniqueViolation(thrown: unknown, column?: string): boolean {
  if (findDatabaseErrorCode(thrown) !== "23505") return false;
  return !column || JSON.stringify(readErrorFields(thrown)).includes(column);
}

type ErrorFields = { code?: string; name?: string; message?: string; meta?: unknown; cause?: unknown };

const readErrorFields = (thrown: unknown): ErrorFields => {
  const { code, name, message, meta, cause } = (thrown ?? {}) as ErrorFields;
  return { code, name, message, meta, cause };
};

const PRISMA_TO_SQLSTATE: Record<string, string> = {
  P2002: "23505",
  P2003: "23503",
  P2034: "40001",
  P2025: "02000",
};

/** Returns the SQLSTATE of a Prisma or pg error, whichever property holds it. */
export function findDatabaseErrorCode(thrown: unknown): string | undefined {
  const errorFields = readErrorFields(thrown);
  if (errorFields.code && PRISMA_TO_SQLSTATE[errorFields.code]) return PRISMA_TO_SQLSTATE[errorFields.code];
  const text = JSON.stringify([errorFields.meta, errorFields.cause], (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
  const kind = /"kind":"(\w+)"/.exec(text ?? "")?.[1];
  if (kind === "UniqueConstraintViolation") return "23505";
  if (kind === "ForeignKeyConstraintViolation") return "23503";
  if (kind === "TransactionWriteConflict") return "40001";
  return /"(?:originalCode|code)":"([0-9A-Z]{5})"/.exec(text ?? "")?.[1] ?? parseSqlState(errorFields.code);
}

const parseSqlState = (code?: string) =>
  code && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith("P2") ? code : undefined;

/**
 * Returns whether an error is a deadlock or a serialization failure, or another transaction drew the same name by chance:
 * the transaction can be retried.
 */
export const isRetryableTransactionError = (thrown: unknown): boolean =>
  ["40001", "40P01"].includes(findDatabaseErrorCode(thrown) ?? "") || isUniqueViolation(thrown, "_drawn_");

const DISK_FULL_SQLSTATE = "53100";

const UNAVAILABLE_SQLSTATES = new Set([
  // A standby, or a server that is read-only for now: during a failover another server accepts writes.
  "25006",
  "57P01",
  "57P02",
  "57P03",
  "57P05",
  "58030",
  "57014",
  "53300",
  "53200",
  "55P03",
  "25P03",
  "40001",
  "40P01",
]);
const UNAVAILABLE_PRISMA_CODES = new Set([
  "P1000",
  "P1001",
  "P1002",
  "P1008",
  "P1017",
  "P2024",
  "P2028",
  "P2037",
]);
const UNAVAILABLE_MESSAGE =
  /timeout exceeded when trying to connect|Connection terminated|is not queryable|ECONNREFUSED|ECONNRESET|EPIPE|connection timeout|database system is (starting up|shutting down)|too many clients|DatabaseNotReachable|ConnectionClosed|SocketTimeout|Can't reach database|Query read timeout|Transaction (already closed|not found)|Unable to start a transaction/i;
/** Codes and names that mean the database's socket doesn't exist. */
const MISSING_SOCKET_MARKERS = ["ENOENT", "PGSQL"];

/** Returns whether the database is unreachable or overloaded, so the error says nothing about the request itself. */
export const isDatabaseUnavailableError = (thrown: unknown): boolean =>
  findUnavailableReason(thrown) !== undefined;

function findUnavailableReason(thrown: unknown): string | undefined {
  const state = findDatabaseErrorCode(thrown);
  if (state && (UNAVAILABLE_SQLSTATES.has(state) || state.startsWith("08"))) return state;
  const errorFields = readErrorFields(thrown);
  if (errorFields.code && UNAVAILABLE_PRISMA_CODES.has(errorFields.code)) return errorFields.code;
  const text = `${errorFields.message ?? ""} ${JSON.stringify(errorFields.cause ?? "")} ${JSON.stringify(errorFields.meta ?? "")}`;
  if (MISSING_SOCKET_MARKERS.every((part) => text.includes(part))) return MISSING_SOCKET_MARKERS[0];
  return UNAVAILABLE_MESSAGE.exec(text)?.[0];
}

/** Reduces an error to what may be logged: names, codes and our own stack frames, never database messages. */
function redactError(thrown: unknown): Record<string, unknown> {
  if (!(thrown instanceof Error)) return { type: typeof thrown };
  const isDatabaseError = thrown.name.startsWith("Prisma") || findDatabaseErrorCode(thrown) !== undefined;
  const stack = (thrown.stack ?? "").split("\n").filter((line) => line.trimStart().startsWith("at "));
  return {
    name: thrown.name,
    code: readErrorFields(thrown).code,
    database: findDatabaseErrorCode(thrown),
    message: isDatabaseError ? undefined : thrown.message.slice(0, 300),
    stack: stack.slice(0, 12),
  };
}
