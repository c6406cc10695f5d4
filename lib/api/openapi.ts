import { z } from "zod";
import { nothing, operation, type Operation, type UploadRule } from "#lib/api/operation.ts";
import { env } from "#lib/env.ts";
import { isPublic } from "#lib/policy.ts";

/** The OpenAPI 3.1 document, made from the schemas that validate (docs/decisions). */

export type RouteTable = readonly { path: string; operations: Record<string, Operation> }[];

type Json = Record<string, unknown>;

/** The operation that answers with the document (rulings R7); made once, since the routes don't change. */
export const apiDescription = (routes: RouteTable) => {
  let document: Json | undefined;
  return operation({
    name: "openapi",
    summary: "This document",
    on: nothing,
    can: "account.open",
    output: z.looseObject({ openapi: z.string() }),
    run: async () => (document ??= openApiDocument(routes, env().baseUrl)) as Json & { openapi: string },
  });
};

/** @param routes every path of the service. @param baseUrl where it is served. */
export function openApiDocument(routes: RouteTable, baseUrl: string): Json {
  return {
    openapi: "3.1.0",
    info: {
      title: "Heed",
      version: "1",
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
          name: "session",
          description: "Set by POST /api/auth/login.",
        },
      },
      schemas: { Error: ERROR },
    },
    paths: Object.fromEntries(
      routes.map(({ path, operations }) => [template(path), pathItem(path, operations)]),
    ),
  };
}

const ERROR: Json = {
  type: "object",
  required: ["error", "details", "code"],
  properties: { error: { type: "string" }, details: { type: "string" }, code: { type: "string" } },
};

const template = (path: string) => path.replace(/:(\w+)/g, "{$1}");

function pathItem(path: string, operations: RouteTable[number]["operations"]): Json {
  const parameters = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const entries = Object.entries(operations).map(([method, operation]) => [
    method.toLowerCase(),
    describe(method, operation as Operation, path),
  ]);
  return { ...(parameters.length > 0 ? { parameters } : {}), ...Object.fromEntries(entries) };
}

function describe(method: string, operation: Operation, path: string): Json {
  const inQuery = method === "GET";
  return {
    // One operation may stand at several paths (by id and by slug); its id must not.
    operationId: `${operation.name}_${path.replace(/^\/api\//, "").replace(/[^A-Za-z]+/g, "_")}`.replace(
      /_+$/,
      "",
    ),
    summary: operation.summary,
    tags: [path.split("/")[2] ?? "api"],
    security: isPublic(operation.can) ? [] : [{ session: [] }],
    ...(inQuery && operation.input ? { parameters: queryParameters(operation.input) } : {}),
    ...(!inQuery && (operation.input ?? operation.upload) ? { requestBody: requestBody(operation) } : {}),
    responses: responses(operation),
  };
}

const schemaOf = (schema: z.ZodType, io: "input" | "output"): Json => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Json;
  return json;
};

function queryParameters(input: z.ZodType): Json[] {
  const { properties = {}, required = [] } = schemaOf(input, "input") as {
    properties?: Json;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}

function requestBody(operation: Operation): Json {
  const schema = operation.input ? schemaOf(operation.input, "input") : { type: "object", properties: {} };
  if (!operation.upload) return { required: true, content: { "application/json": { schema } } };
  const multipart = { "multipart/form-data": { schema: withFiles(schema, operation.upload) } };
  return {
    required: true,
    content: operation.upload.orJson ? { ...multipart, "application/json": { schema } } : multipart,
  };
}

function withFiles(schema: Json, { fields, maxFiles }: UploadRule): Json {
  const binary = { type: "string", contentMediaType: "application/octet-stream" };
  const field = maxFiles === 1 ? binary : { type: "array", items: binary, maxItems: maxFiles };
  return { ...schema, properties: { ...(schema.properties as Json), [fields[0] ?? "file"]: field } };
}

function responses(operation: Operation): Json {
  const ok: Json = {
    description: operation.status === 201 ? "Created" : operation.status === 204 ? "Done" : "OK",
  };
  if (operation.produces.length > 0) {
    const binary = { schema: { type: "string", contentMediaType: "application/octet-stream" } };
    ok.content = Object.fromEntries(operation.produces.map((type) => [type, binary]));
  } else if (operation.output && operation.status !== 204) {
    ok.content = { "application/json": { schema: schemaOf(operation.output, "output") } };
  }
  const error = {
    description: "Refused",
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  };
  return { [operation.status]: ok, default: error };
}
