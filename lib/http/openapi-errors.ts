import { ERROR_STATUS, type ErrorCode } from "#lib/operation/errors.ts";
import type { Operation } from "#lib/operation/operation.ts";
import {
  isPermissionWithoutSignIn,
  requiresUnidentifiedSender,
  POLICY,
  type Permission,
} from "#lib/operation/policy.ts";
import type { OpenApiJsonObject } from "#lib/http/openapi-schemas.ts";

/** The errors of each operation in the OpenAPI document (contract 3.3). */

export type Endpoint = { method: string; path: string; operation: Operation };

/**
 * Lists every error code that an operation's responses can have: the codes that follow from its declaration, and those
 * that the declaration names because only its verb throws them.
 */
export function listOperationErrorCodes({ method, path, operation }: Endpoint): ErrorCode[] {
  const codes = new Set<ErrorCode>([
    "INTERNAL_ERROR",
    "SERVICE_UNAVAILABLE",
    ...listAccessCodes({ method, path, operation }),
    // A role may be removed while the call accepts its invitation (contract 2.7).
    ...(operation.incidentsByRole ? (["FORBIDDEN"] as const) : []),
    ...listInputCodes(method, operation),
    ...listConflictCheckCodes({ method, path, operation }),
    ...(path.includes(":") ? (["NOT_FOUND"] as const) : []),
    ...(operation.limit === "none" ? [] : (["RATE_LIMITED"] as const)),
    ...(method === "GET" ? [] : WRITE_CODES),
    ...operation.errors,
  ]);
  // Where sign-in is required, an invalid or expired token has a code of its own. Operations that ignore tokens, such
  // as those of a mailbox, never report one (contract 3.18).
  if (codes.has("UNAUTHENTICATED") && !requiresUnidentifiedSender(operation.can))
    codes.add("TOKEN_INVALID").add("TOKEN_EXPIRED");
  return (Object.keys(ERROR_STATUS) as ErrorCode[]).filter((code) => codes.has(code));
}

/** Codes of writes: another write came first, another site sent the request, or the disk is full. */
const WRITE_CODES: ErrorCode[] = ["CONFLICT", "CSRF_REJECTED", "STORAGE_UNAVAILABLE"];

function listAccessCodes({ method, path, operation: { can } }: Endpoint): ErrorCode[] {
  if (requiresUnidentifiedSender(can))
    return "mailbox" in POLICY[can] ? ["UNAUTHENTICATED", "NOT_FOUND"] : [];
  // A token for reading is refused wherever it would write.
  if (isPermissionWithoutSignIn(can)) return method === "GET" ? [] : ["TOKEN_SCOPE"];
  const isInContainer = /^\/api\/(events|organizations)\/.*:/.test(path);
  return ["UNAUTHENTICATED", "TOKEN_SCOPE", ...listDenialCodes(can, isInContainer)];
}

/**
 * Lists the codes for people who are signed in but not allowed: no role allows it, or one is withheld (contract 2.8).
 */
function listDenialCodes(permission: Permission, isInContainer: boolean): ErrorCode[] {
  const rule = POLICY[permission];
  if (isInContainer || !("signedIn" in rule))
    return ["FORBIDDEN", "EMAIL_UNVERIFIED", "SECOND_FACTOR_REQUIRED"];
  return "verified" in rule ? ["EMAIL_UNVERIFIED"] : [];
}

/** Lists the code for incidents that wait for an answer to the conflict check: whatever belongs to one (contract 16.9). */
function listConflictCheckCodes({ path, operation: { can } }: Endpoint): ErrorCode[] {
  const isInIncident = /^\/api\/events\/.*:incidentId/.test(path);
  return isInIncident && can !== "incident.stepOut" ? ["CONFLICT_CHECK_REQUIRED"] : [];
}

function listKeyCodes({ once }: Operation): ErrorCode[] {
  if (!once) return [];
  const codes: ErrorCode[] = ["VALIDATION_ERROR", "IDEMPOTENCY_KEY_REUSED"];
  return once === "response" ? [...codes, "IDEMPOTENCY_KEY_IN_USE", "IDEMPOTENCY_RESPONSE_LOST"] : codes;
}

function listInputCodes(method: string, operation: Operation): ErrorCode[] {
  const { input, upload } = operation;
  // A URL may be too long or malformed even if the operation reads nothing from it.
  if (method === "GET" || (!input && !upload)) return ["VALIDATION_ERROR", ...listKeyCodes(operation)];
  return [
    "VALIDATION_ERROR",
    "PAYLOAD_TOO_LARGE",
    "UNSUPPORTED_MEDIA_TYPE",
    ...(!upload || upload.orJson ? (["INVALID_JSON"] as const) : []),
    ...(upload ? (["UNSUPPORTED_FILE_TYPE"] as const) : []),
    ...listKeyCodes(operation),
  ];
}

/** Collects the error responses of the OpenAPI document, so that each set of codes is described once. */
export class OpenApiErrorResponseCollector {
  readonly #responses = new Map<string, OpenApiJsonObject>();

  /** Returns, by status, a reference to the response that describes the codes with this status. */
  describe(codes: readonly ErrorCode[]): Record<string, OpenApiJsonObject> {
    const byStatus = Map.groupBy(codes, (code) => ERROR_STATUS[code]);
    return Object.fromEntries([...byStatus].map(([status, group]) => [status, this.#refer(group)]));
  }

  list(): OpenApiJsonObject {
    return Object.fromEntries([...this.#responses].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #refer(codes: readonly ErrorCode[]): OpenApiJsonObject {
    const name = codes.map(toPascalCase).join("Or");
    this.#responses.set(name, describeErrorResponse(codes));
    return { $ref: `#/components/responses/${name}` };
  }
}

const toPascalCase = (code: string): string =>
  code
    .toLowerCase()
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");

const ERROR_REFERENCE: OpenApiJsonObject = { $ref: "#/components/schemas/Error" };
const RETRY_STATUSES: number[] = [429, 503];
const isRetriedLater = (code: ErrorCode): boolean =>
  code === "IDEMPOTENCY_KEY_IN_USE" || RETRY_STATUSES.includes(ERROR_STATUS[code]);

function describeErrorResponse(codes: readonly ErrorCode[]): OpenApiJsonObject {
  const schema = {
    allOf: [ERROR_REFERENCE, { type: "object", properties: { code: { type: "string", enum: codes } } }],
  };
  return {
    description: `\`code\` is ${codes.map((code) => `\`${code}\``).join(" or ")}.`,
    headers: {
      ...REQUEST_ID_HEADER_REF,
      ...RATE_LIMIT_HEADER_REFS,
      ...(codes.some(isRetriedLater) ? RETRY_AFTER_HEADER_REF : {}),
      ...(codes.some((code) => ERROR_STATUS[code] === 401) ? CHALLENGE_HEADER_REF : {}),
      ...(codes.includes("IDEMPOTENCY_KEY_REUSED") ? EARLIER_RECORD_HEADER_REF : {}),
      ...(codes.includes("RANGE_NOT_SATISFIABLE") ? CONTENT_RANGE_HEADER_REF : {}),
    },
    content: { "application/json": { schema } },
  };
}

export const REQUEST_ID_HEADER_REF: OpenApiJsonObject = {
  "X-Request-Id": { $ref: "#/components/headers/RequestId" },
};
/** Headers of a response to a call that a rate limit counted (contract 3.19). */
export const RATE_LIMIT_HEADER_REFS: OpenApiJsonObject = {
  RateLimit: { $ref: "#/components/headers/RateLimit" },
  "RateLimit-Policy": { $ref: "#/components/headers/RateLimitPolicy" },
};
const CHALLENGE_HEADER_REF: OpenApiJsonObject = {
  "WWW-Authenticate": { $ref: "#/components/headers/Challenge" },
};
const EARLIER_RECORD_HEADER_REF: OpenApiJsonObject = {
  Location: { $ref: "#/components/headers/EarlierRecord" },
};
const CONTENT_RANGE_HEADER_REF: OpenApiJsonObject = {
  "Content-Range": { $ref: "#/components/headers/ContentRange" },
};
const RETRY_AFTER_HEADER_REF: OpenApiJsonObject = {
  "Retry-After": { $ref: "#/components/headers/RetryAfter" },
};

/** Describes any other error, including those of a proxy in front of the service. */
export const OPENAPI_OTHER_ERROR_RESPONSE: OpenApiJsonObject = {
  description: "Any other error.",
  content: { "application/json": { schema: ERROR_REFERENCE } },
};

export const OPENAPI_HEADER_COMPONENTS: OpenApiJsonObject = {
  RequestId: {
    description: "The ID of the request, for questions to whoever runs the service.",
    schema: { type: "string", format: "uuid" },
  },
  RateLimit: {
    description: "What is left of the limits that counted the call, and in how many seconds there is more.",
    schema: { type: "string" },
    example: '"general";r=598;t=52',
  },
  RateLimitPolicy: {
    description: "The limits that counted the call: how many calls in how many seconds.",
    schema: { type: "string" },
    example: '"general";q=600;w=60',
  },
  Challenge: {
    description: "Names the scheme, and what is wrong with a token that was sent.",
    schema: { type: "string" },
    example: 'Bearer realm="Heed", error="invalid_token"',
  },
  EarlierRecord: {
    description:
      "A path at which GET reads what was created under this key, where whoever calls may read it.",
    schema: { type: "string", format: "uri-reference" },
  },
  RetryAfter: { description: "Seconds until another attempt.", schema: { type: "integer", minimum: 0 } },
};

export const OPENAPI_ERROR_SCHEMAS: OpenApiJsonObject = {
  Error: {
    type: "object",
    description: "What went wrong, in English, and its code for programs.",
    required: ["error", "details", "code"],
    properties: {
      error: { type: "string" },
      details: { type: "string" },
      code: { $ref: "#/components/schemas/ErrorCode" },
    },
  },
  ErrorCode: {
    type: "string",
    description: "A stable code. Later versions may have more of them.",
    enum: Object.keys(ERROR_STATUS),
  },
};
