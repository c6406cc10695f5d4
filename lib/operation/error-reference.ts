import { createFieldProblem } from "#lib/i18n/error-text.ts";
import {
  AppError,
  createEmailUnverifiedError,
  ERROR_STATUS,
  createForbiddenError,
  InvalidInputError,
} from "./errors.ts";
import {
  createNotFoundError,
  createSecondFactorRequiredError,
  createTokenScopeError,
  createUnauthenticatedError,
  createUnavailableError,
} from "./errors.ts";
import type { ErrorCode } from "./errors.ts";

/** Every error code with its advice for client developers, for the page /reference/errors and docs/errors.md. */

/**
 * The actions with which a client responds to errors; the messages of `reference` have the sentence of each, under
 * `do.…`.
 */
const CLIENT_ACTIONS_AFTER_ERROR = [
  "correct",
  "signIn",
  "token",
  "factor",
  "person",
  "stop",
  "reread",
  "newLink",
  "newKey",
  "wait",
  "later",
] as const;
type ClientActionAfterError = (typeof CLIENT_ACTIONS_AFTER_ERROR)[number];

type CodeDescription = {
  meaning: string;
  action: ClientActionAfterError;
  /** Errors with this code, for their texts. */
  examples: readonly AppError[];
};

export type ErrorReferenceEntry = {
  code: ErrorCode;
  status: number;
  meaning: string;
  action: ClientActionAfterError;
  examples: { error: string; details: string }[];
};

/** Lists every error code by status; codes of one status are in the order of `ERROR_STATUS`. */
export const listErrorReference = (): ErrorReferenceEntry[] =>
  (Object.entries(ERROR_STATUS) as [ErrorCode, number][])
    .map(([code, status]) => ({ code, status, ...ERROR_DESCRIPTIONS[code] }))
    .map((entry) => ({
      ...entry,
      examples: entry.examples.map(({ message, details }) => ({ error: message, details })),
    }))
    .toSorted((a, b) => a.status - b.status);

export const ERROR_DESCRIPTIONS: Record<ErrorCode, CodeDescription> = {
  VALIDATION_ERROR: {
    meaning:
      "A field of the body or a query parameter isn't valid, or isn't known. `details` names each one.",
    action: "correct",
    examples: [
      new InvalidInputError({ title: createFieldProblem("mustHaveLength", { min: 10, max: 70 }) }),
      new InvalidInputError({ email: createFieldProblem("missing") }),
    ],
  },
  INVALID_JSON: {
    meaning: "The body isn't JSON, ended early, or has the same name twice in an object.",
    action: "correct",
    examples: [new AppError("INVALID_JSON", "bodyInvalidJson")],
  },
  INVALID_ASSIGNEE: {
    meaning: "The person isn't on the response team of the event, or the incident is hidden from them.",
    action: "correct",
    examples: [
      new AppError("INVALID_ASSIGNEE", "invalidAssignee"),
      new AppError("INVALID_ASSIGNEE", "handoverHidden"),
    ],
  },
  RESET_TOKEN_INVALID: {
    meaning: "The token of a reset link is unknown, used, expired, or replaced by a newer one.",
    action: "newLink",
    examples: [new AppError("RESET_TOKEN_INVALID", "resetLinkInvalid")],
  },
  CONFIRM_TOKEN_INVALID: {
    meaning: "The token of a link that confirms an email address is unknown, used or expired.",
    action: "newLink",
    examples: [new AppError("CONFIRM_TOKEN_INVALID", "linkInvalid")],
  },
  IMAGE_TOO_LARGE: {
    meaning: "A logo or avatar has too many pixels.",
    action: "correct",
    examples: [new AppError("IMAGE_TOO_LARGE", "imageTooManyPixels", { max: 4096 })],
  },
  UNAUTHENTICATED: {
    meaning: "The request has no session and no token, or the session is over.",
    action: "signIn",
    examples: [createUnauthenticatedError()],
  },
  TOKEN_INVALID: {
    meaning: "The request has a token that doesn't exist or was deleted.",
    action: "token",
    examples: [new AppError("TOKEN_INVALID", "tokenInvalid")],
  },
  TOKEN_EXPIRED: {
    meaning: "The request has a token that has expired.",
    action: "token",
    examples: [new AppError("TOKEN_EXPIRED", "tokenExpired")],
  },
  INVALID_CREDENTIALS: {
    meaning:
      "The email address or the password is wrong, or the account is disabled; which of these stays unsaid.",
    action: "correct",
    examples: [new AppError("INVALID_CREDENTIALS", "wrongCredentials")],
  },
  SECOND_FACTOR_NEEDED: {
    meaning: "The password is right, and the account also needs a code.",
    action: "factor",
    examples: [new AppError("SECOND_FACTOR_NEEDED", "secondFactorNeeded")],
  },
  SECOND_FACTOR_INVALID: {
    meaning: "The code is wrong, or was used before.",
    action: "factor",
    examples: [new AppError("SECOND_FACTOR_INVALID", "secondFactorWrong")],
  },
  FORBIDDEN: {
    meaning: "The roles of the person or the token don't allow this.",
    action: "stop",
    examples: [createForbiddenError(), new AppError("FORBIDDEN", "teamNotesOnly")],
  },
  CSRF_REJECTED: {
    meaning: "A browser sent the request from another website, with a session or without a token.",
    action: "stop",
    examples: [new AppError("CSRF_REJECTED", "crossSiteRequest")],
  },
  REGISTRATION_CLOSED: {
    meaning: "Accounts are made with an invite only.",
    action: "person",
    examples: [new AppError("REGISTRATION_CLOSED", "registrationClosed")],
  },
  SECOND_FACTOR_REQUIRED: {
    meaning: "The organization requires two-factor sign-in, and the person hasn't set it up.",
    action: "person",
    examples: [createSecondFactorRequiredError()],
  },
  EMAIL_UNVERIFIED: {
    meaning: "The person has a role here, which waits until their email address is verified.",
    action: "person",
    examples: [createEmailUnverifiedError()],
  },
  CONFLICT_CHECK_REQUIRED: {
    meaning:
      "The incident is closed to the caller until they answer its conflict check. Service tokens can't.",
    action: "person",
    examples: [new AppError("CONFLICT_CHECK_REQUIRED", "conflictCheckRequired")],
  },
  TOKEN_SCOPE: {
    meaning:
      "The token is valid and doesn't cover this: it only reads, belongs to another event, or no token may do it.",
    action: "stop",
    examples: [createTokenScopeError(), new AppError("TOKEN_SCOPE", "tokenReadOnly")],
  },
  NOT_FOUND: {
    meaning: "Nothing is there, or nothing that the caller may see. Both look the same.",
    action: "stop",
    examples: [createNotFoundError("incident"), new AppError("NOT_FOUND", "nothingAtPath")],
  },
  METHOD_NOT_ALLOWED: {
    meaning: "The path exists and doesn't have this method. `Allow` lists those that it has.",
    action: "correct",
    examples: [new AppError("METHOD_NOT_ALLOWED", "methodNotAllowed", { methods: "GET, HEAD, OPTIONS" })],
  },
  EMAIL_TAKEN: {
    meaning: "Another account has this email address.",
    action: "correct",
    examples: [new AppError("EMAIL_TAKEN", "emailTaken")],
  },
  SLUG_TAKEN: {
    meaning: "Another event or organization has this short name.",
    action: "correct",
    examples: [new AppError("SLUG_TAKEN", "slugTakenByEvent", {}, { field: "slug" })],
  },
  ALREADY_MEMBER: {
    meaning:
      "The person is a member already: of an organization with any role, of an event with this role or a stronger one.",
    action: "stop",
    examples: [new AppError("ALREADY_MEMBER", "alreadyMember")],
  },
  LAST_ADMIN: {
    meaning: "The change would leave an organization, an event or the installation without an admin.",
    action: "person",
    examples: [new AppError("LAST_ADMIN", "lastEventAdmin")],
  },
  EVENT_NOT_OPEN: {
    meaning:
      "Nobody on the event's response team can read reports at present, so it accepts none from people without a role in it.",
    action: "person",
    examples: [new AppError("EVENT_NOT_OPEN", "eventNotOpen")],
  },
  INVALID_STATE_TRANSITION: {
    meaning: "The incident's status doesn't allow this.",
    action: "reread",
    examples: [
      new AppError("INVALID_STATE_TRANSITION", "notReopenable", { state: { term: "state.submitted" } }),
    ],
  },
  CONFLICT: {
    meaning: "Somebody else changed the record first, or it can't be done as things are now.",
    action: "reread",
    examples: [new AppError("CONFLICT", "incidentChanged"), new AppError("CONFLICT", "alreadyExists")],
  },
  INVITE_EXPIRED: {
    meaning: "The invite's time is over.",
    action: "newLink",
    examples: [new AppError("INVITE_EXPIRED", "inviteExpired")],
  },
  INVITE_DISABLED: {
    meaning: "The invite was turned off.",
    action: "newLink",
    examples: [new AppError("INVITE_DISABLED", "inviteDisabled")],
  },
  INVITE_EXHAUSTED: {
    meaning: "The invite was used as often as it may be.",
    action: "newLink",
    examples: [new AppError("INVITE_EXHAUSTED", "inviteExhausted")],
  },
  PAYLOAD_TOO_LARGE: {
    meaning: "The body, a file, or the number of files is over its limit.",
    action: "correct",
    examples: [new AppError("PAYLOAD_TOO_LARGE", "bodyTooLarge", { max: 256 })],
  },
  QUOTA_EXCEEDED: {
    meaning: "The files of the event take up all the space that they may.",
    action: "person",
    examples: [new AppError("QUOTA_EXCEEDED", "eventQuotaExceeded")],
  },
  UNSUPPORTED_MEDIA_TYPE: {
    meaning: "The body has another `Content-Type` than the endpoint accepts.",
    action: "correct",
    examples: [new AppError("UNSUPPORTED_MEDIA_TYPE", "bodyNotJson")],
  },
  UNSUPPORTED_FILE_TYPE: {
    meaning: "A file is of a type that isn't accepted here, by its content.",
    action: "correct",
    examples: [
      new AppError("UNSUPPORTED_FILE_TYPE", "fileTypeNotSupported", {
        file: { term: "file.numbered", values: { number: 2 } },
        wayOut: { term: "wayOut.document" },
      }),
    ],
  },
  RANGE_NOT_SATISFIABLE: {
    meaning: "`Range` asks for bytes that the file doesn't have.",
    action: "correct",
    examples: [new AppError("RANGE_NOT_SATISFIABLE", "rangeNotSatisfiable", { size: 48_213 })],
  },
  IDEMPOTENCY_KEY_IN_USE: {
    meaning: "The first request under this `Idempotency-Key` is still running.",
    action: "wait",
    examples: [new AppError("IDEMPOTENCY_KEY_IN_USE", "idempotencyKeyInUse")],
  },
  IDEMPOTENCY_RESPONSE_LOST: {
    meaning: "The first request under this `Idempotency-Key` took effect, and its response was lost.",
    action: "reread",
    examples: [new AppError("IDEMPOTENCY_RESPONSE_LOST", "idempotencyResponseLost")],
  },
  IDEMPOTENCY_KEY_REUSED: {
    meaning: "Something else was sent under this `Idempotency-Key` before.",
    action: "newKey",
    examples: [new AppError("IDEMPOTENCY_KEY_REUSED", "idempotencyKeyReused")],
  },
  RATE_LIMITED: {
    meaning: "A rate limit is used up, or sign-ins failed too often.",
    action: "wait",
    examples: [new AppError("RATE_LIMITED", "tooManyRequests", { seconds: 42 })],
  },
  INTERNAL_ERROR: {
    meaning: "Something went wrong in the service.",
    action: "later",
    examples: [new AppError("INTERNAL_ERROR", "internalError")],
  },
  SERVICE_UNAVAILABLE: {
    meaning: "The service is busy, stopping, or can't reach its database.",
    action: "wait",
    examples: [createUnavailableError(), new AppError("SERVICE_UNAVAILABLE", "outcomeUnknown")],
  },
  STORAGE_UNAVAILABLE: {
    meaning: "There is no space left, or the file storage can't be reached.",
    action: "later",
    examples: [new AppError("STORAGE_UNAVAILABLE", "databaseFull")],
  },
};
