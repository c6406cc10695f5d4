import { z } from "zod";
import { sessionCookieName } from "#lib/accounts/sessions.ts";
import type { Operation, UploadRule } from "#lib/operation/operation.ts";
import { MAX_IDEMPOTENCY_KEY_LENGTH } from "#lib/incidents/idempotency.ts";
import { isPublicPermission, isTokenAllowed } from "#lib/operation/policy.ts";
import { VERSION } from "#lib/version.ts";

/** The OpenAPI 3.1 document, generated from the schemas that validate requests (docs/decisions/001). */

export type RouteTable = readonly { path: string; operations: Record<string, Operation> }[];

/** A webhook that the service sends to a configured address. */
export type WebhookDescription = {
  name: string;
  summary: string;
  description: string;
  headers: z.ZodObject;
  body: z.ZodType;
};

export type Json = Record<string, unknown>;

/**
 * Builds the OpenAPI document.
 * @param routes every path of the service
 * @param baseUrl where it is served
 */
export function openApiDocument(
  routes: RouteTable,
  webhooks: readonly WebhookDescription[],
  baseUrl: string,
): Json {
  return {
    openapi: "3.1.0",
    info: {
      title: "Heed",
      version: VERSION,
      description:
        "Conduct reports for events and communities. Paths under /api/events are also served under /events; the session check also at /api/session and /session. Errors are { error, details, code }.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: baseUrl }],
    components: {
      securitySchemes: {
        session: {
          type: "apiKey",
          in: "cookie",
          name: sessionCookieName(),
          description: "Set by POST /api/auth/login.",
        },
        token: {
          type: "http",
          scheme: "bearer",
          description:
            "A personal API token, made in the account. One for reading takes GET and HEAD only; one for an event reaches that event only.",
        },
      },
      schemas: { Error: ERROR_SCHEMA },
    },
    paths: Object.fromEntries(
      routes.map(({ path, operations }) => [toOpenApiPath(path), pathItem(path, operations)]),
    ),
    webhooks: Object.fromEntries(webhooks.map((one) => [one.name, { post: describeWebhook(one) }])),
  };
}

function describeWebhook({ name, summary, description, headers, body }: WebhookDescription): Json {
  return {
    operationId: `webhook_${name}`,
    summary,
    description,
    parameters: parametersOf(headers, "header"),
    requestBody: { required: true, content: { "application/json": { schema: schemaOf(body, "output") } } },
    responses: { "2XX": { description: "Accepted" }, default: { description: "Will be retried" } },
  };
}

const ERROR_SCHEMA: Json = {
  type: "object",
  required: ["error", "details", "code"],
  properties: { error: { type: "string" }, details: { type: "string" }, code: { type: "string" } },
  additionalProperties: false,
};

const BINARY_SCHEMA: Json = { type: "string", contentMediaType: "application/octet-stream" };

const toOpenApiPath = (path: string) => path.replace(/:(\w+)/g, "{$1}");

function pathItem(path: string, operations: RouteTable[number]["operations"]): Json {
  const parameters = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const entries = Object.entries(operations).map(([method, operation]) => [
    method.toLowerCase(),
    describeOperation(method, operation as Operation, path),
  ]);
  return { ...(parameters.length > 0 ? { parameters } : {}), ...Object.fromEntries(entries) };
}

/** Returns the words of a path without its /api/ prefix; for other paths, the first word is empty. */
function listPathSegments(path: string): string[] {
  const segments = path.replace(/^\/api\//, "").split(/[^A-Za-z]+/);
  return segments.at(-1) === "" ? segments.slice(0, -1) : segments;
}

function describeOperation(method: string, operation: Operation, path: string): Json {
  const inQuery = method === "GET";
  return {
    // An operation may have several paths (by id and by slug), but each operationId must be unique.
    operationId: [operation.name, ...listPathSegments(path)].join("_"),
    summary: operation.summary,
    tags: [path.split("/")[2] ?? "api"],
    security: securityOf(operation),
    ...(inQuery && operation.input ? { parameters: parametersOf(operation.input, "query") } : {}),
    ...(operation.once ? { parameters: parametersOf(IDEMPOTENCY_HEADERS, "header") } : {}),
    ...(!inQuery && (operation.input ?? operation.upload) ? { requestBody: requestBody(operation) } : {}),
    responses: describeResponses(operation),
  };
}

const IDEMPOTENCY_HEADERS = z.object({
  "Idempotency-Key": z
    .string()
    .regex(/^[\x20-\x7e]+$/)
    .min(1)
    .max(MAX_IDEMPOTENCY_KEY_LENGTH)
    .optional()
    .meta({
      description:
        "A random value, a new one for each report. What is sent again under it within 24 hours is not done again: the answer is the first one's, with the header Idempotent-Replayed.",
    }),
});

const securityOf = ({ name, can }: Operation): Json[] => {
  // Signing out is public so that it can clear a stale cookie, but without a session it is refused anyway.
  if (name === "logout") return [{ session: [] }];
  if (isPublicPermission(can)) return [];
  return isTokenAllowed(can) ? [{ session: [] }, { token: [] }] : [{ session: [] }];
};

const schemaOf = (schema: z.ZodType, io: "input" | "output"): Json => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Json;
  return json;
};

function parametersOf(input: z.ZodType, where: "query" | "header"): Json[] {
  const { properties = {}, required = [] } = schemaOf(input, "input") as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: where,
    required: required.includes(name),
    ...(description ? { description } : {}),
    schema,
  }));
}

function requestBody(operation: Operation): Json {
  const schema = operation.input ? schemaOf(operation.input, "input") : { type: "object", properties: {} };
  if (!operation.upload) return { required: true, content: { "application/json": { schema } } };
  const multipart = { "multipart/form-data": { schema: addFileFields(schema, operation.upload) } };
  return {
    required: true,
    content: operation.upload.orJson ? { ...multipart, "application/json": { schema } } : multipart,
  };
}

function addFileFields(schema: Json, { fields, maxFiles }: UploadRule): Json {
  const field = maxFiles === 1 ? BINARY_SCHEMA : { type: "array", items: BINARY_SCHEMA, maxItems: maxFiles };
  return { ...schema, properties: { ...(schema.properties as Json), [fields[0] ?? "file"]: field } };
}

function describeResponses(operation: Operation): Json {
  const ok: Json = {
    description: operation.status === 201 ? "Created" : operation.status === 204 ? "Done" : "OK",
  };
  const content = {
    ...(operation.output && operation.status !== 204
      ? { "application/json": { schema: schemaOf(operation.output, "output") } }
      : {}),
    ...Object.fromEntries(operation.produces.map((type) => [type, { schema: schemaForMediaType(type) }])),
  };
  if (Object.keys(content).length > 0) ok.content = content;
  if (operation.once) ok.headers = { "Idempotent-Replayed": REPLAYED_HEADER };
  const describeError = (description: string): Json => ({
    description,
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  });
  const keyReusedResponse = describeError("Something else was sent under this Idempotency-Key");
  return {
    [operation.status]: ok,
    ...(operation.once && { 422: keyReusedResponse }),
    default: describeError("Refused"),
  };
}

const REPLAYED_HEADER: Json = {
  description: "Already sent with the same Idempotency-Key; nothing was done this time",
  schema: { type: "string", const: "true" },
};

/** Schema of a response that the operation writes itself: any JSON, text, or bytes. */
function schemaForMediaType(type: string): Json {
  if (type === "application/json") return {};
  if (type.startsWith("text/")) return { type: "string" };
  return BINARY_SCHEMA;
}
