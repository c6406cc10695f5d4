import { expect, test } from "vitest";
import { z } from "zod";
import { defineOperation, globalScope, type Operation } from "#lib/operation/operation.ts";
import { OpenApiErrorResponseCollector, listOperationErrorCodes } from "./openapi-errors.ts";

const base = {
  name: "test",
  summary: "Test",
  on: globalScope,
  output: z.undefined(),
  run: async () => undefined,
};
const codesOf = (method: string, path: string, operation: unknown) =>
  listOperationErrorCodes({ method, path, operation: operation as Operation });

test("a public read without input can only meet limits, failures and an address that is refused", () => {
  const operation = defineOperation({ ...base, can: "account.open" });
  expect(codesOf("GET", "/api/auth/setup", operation)).toEqual([
    "VALIDATION_ERROR",
    "RATE_LIMITED",
    "INTERNAL_ERROR",
    "SERVICE_UNAVAILABLE",
  ]);
});

test("a change of a record in an event can be refused for its sender, its place and its body", () => {
  const operation = defineOperation({
    ...base,
    can: "event.update",
    input: z.object({}),
    errors: ["SLUG_TAKEN"],
  });
  expect(codesOf("PATCH", "/api/events/:eventId", operation)).toEqual([
    "VALIDATION_ERROR",
    "INVALID_JSON",
    "UNAUTHENTICATED",
    "TOKEN_INVALID",
    "TOKEN_EXPIRED",
    "FORBIDDEN",
    "CSRF_REJECTED",
    "SECOND_FACTOR_REQUIRED",
    "EMAIL_UNVERIFIED",
    "TOKEN_SCOPE",
    "NOT_FOUND",
    "SLUG_TAKEN",
    "CONFLICT",
    "PAYLOAD_TOO_LARGE",
    "UNSUPPORTED_MEDIA_TYPE",
    "RATE_LIMITED",
    "INTERNAL_ERROR",
    "SERVICE_UNAVAILABLE",
    "STORAGE_UNAVAILABLE",
  ]);
});

test("an operation for all signed-in people has no 403", () => {
  const operation = defineOperation({ ...base, can: "notification.own" });
  const codes = codesOf("GET", "/api/users/me/notifications", operation);
  expect(codes).toContain("UNAUTHENTICATED");
  expect(codes).not.toContain("FORBIDDEN");
});

test("signing out is never refused for a limit", () => {
  const operation = defineOperation({ ...base, can: "account.open", limit: "none" });
  expect(codesOf("POST", "/api/auth/logout", operation)).not.toContain("RATE_LIMITED");
});

test("the same codes of a status are one component", () => {
  const responses = new OpenApiErrorResponseCollector();
  const reference = { $ref: "#/components/responses/LastAdminOrConflict" };
  expect(responses.describe(["NOT_FOUND", "LAST_ADMIN", "CONFLICT"])).toEqual({
    404: { $ref: "#/components/responses/NotFound" },
    409: reference,
  });
  expect(responses.describe(["LAST_ADMIN", "CONFLICT"])).toEqual({ 409: reference });
  expect(Object.keys(responses.list())).toEqual(["LastAdminOrConflict", "NotFound"]);
});
