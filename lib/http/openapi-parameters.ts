import type { z } from "zod";
import type { OpenApiJsonObject, OpenApiSchemaComponents } from "#lib/http/openapi-schemas.ts";
import { MAX_IDEMPOTENCY_KEY_LENGTH } from "#lib/idempotency/key.ts";
import type { Operation } from "#lib/operation/operation.ts";

/** Descriptions of parameters in the OpenAPI document. */

/** Describes the parameters in a path such as `/api/events/:eventId`. */
export const describeOpenApiPathParameters = (path: string): OpenApiJsonObject[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    ...describePathParameter(name),
  }));

function describePathParameter(name: string): OpenApiJsonObject {
  if (name === "slug") return { description: "The slug of the organization or event.", schema: SLUG };
  if (name === "orgSlug") return { description: "The slug of the organization.", schema: SLUG };
  if (/code$/i.test(name)) return { description: "The code of the invite.", schema: { type: "string" } };
  const record = name === "id" ? "notification" : name.replace(/Id$/, "");
  return { description: `The ID of the ${record}.`, schema: { type: "string", format: "uuid" } };
}

const SLUG: OpenApiJsonObject = { type: "string", pattern: "^[a-z0-9-]{2,63}$" };

export const describeOpenApiQueryParameters = (
  input: z.ZodType,
  schemas: OpenApiSchemaComponents,
): OpenApiJsonObject[] => describeSchemaAsOpenApiParameters(input, { where: "query", schemas });

/** Describes each member of an object as a parameter. A list is one parameter, with commas between its values. */
export function describeSchemaAsOpenApiParameters(
  input: z.ZodType,
  { where, schemas }: { where: "query" | "header"; schemas: OpenApiSchemaComponents },
): OpenApiJsonObject[] {
  const { properties = {}, required = [] } = schemas.resolve(schemas.describeInput(input, "nowhere")) as {
    properties?: Record<string, OpenApiJsonObject>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: where,
    required: required.includes(name),
    ...(description ? { description } : {}),
    ...(schema.type === "array" ? { style: "form", explode: false } : {}),
    schema,
  }));
}

export const describeOpenApiRequestHeaders = (
  { once, ifMatch, version }: Operation,
  isRead: boolean,
): OpenApiJsonObject[] => [
  ...(once ? [IDEMPOTENCY_KEY] : []),
  ...(ifMatch ? [IF_MATCH] : []),
  ...(version && isRead ? [IF_NONE_MATCH] : []),
];

const IDEMPOTENCY_KEY: OpenApiJsonObject = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A random value, a new one for each request. What is sent again under it within 24 hours is not done again: the answer is the first one's, with the header Idempotent-Replayed.",
  schema: {
    type: "string",
    pattern: "^[\\x20-\\x7e]+$",
    minLength: 1,
    maxLength: MAX_IDEMPOTENCY_KEY_LENGTH,
  },
};

const IF_NONE_MATCH: OpenApiJsonObject = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The `ETag` of what the client has. If nothing has changed since, the response is 304.",
  schema: { type: "string", maxLength: 200 },
};

const IF_MATCH: OpenApiJsonObject = {
  name: "If-Match",
  in: "header",
  required: false,
  description:
    "The version that the client last read: `ETag` or `updatedAt` of the record, or `version` of the settings. If it has changed since, the request is refused with `CONFLICT`.",
  schema: { type: "string", maxLength: 200 },
};
