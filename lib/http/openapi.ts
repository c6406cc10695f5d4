import { z } from "zod";
import { getSessionCookieName } from "#lib/accounts/sessions.ts";
import {
  type Endpoint,
  OPENAPI_HEADER_COMPONENTS,
  OPENAPI_ERROR_SCHEMAS,
  OpenApiErrorResponseCollector,
  listOperationErrorCodes,
  OPENAPI_OTHER_ERROR_RESPONSE,
  RATE_LIMIT_HEADER_REFS,
  REQUEST_ID_HEADER_REF,
} from "#lib/http/openapi-errors.ts";
import {
  describeOpenApiPathParameters,
  describeOpenApiQueryParameters,
  describeOpenApiRequestHeaders,
  describeSchemaAsOpenApiParameters,
} from "#lib/http/openapi-parameters.ts";
import { OPENAPI_EXAMPLES } from "#lib/http/openapi-examples.ts";
import { OpenApiSchemaComponents, type OpenApiJsonObject } from "#lib/http/openapi-schemas.ts";
import { isRecordUpdate } from "#lib/http/unknown-names.ts";
import { OPENAPI_SCHEMAS_BY_NAME } from "#lib/http/schema-names.ts";
import type { Operation, UploadRule } from "#lib/operation/operation.ts";
import { describeCallers } from "#lib/http/openapi-callers.ts";
import { isPermissionWithoutSignIn, POLICY } from "#lib/operation/policy.ts";
import { isPermissionOpenToTokens } from "#lib/operation/token-scope.ts";
import { VERSION } from "#lib/version.ts";

/** The OpenAPI 3.1 document, generated from the schemas that validate requests (docs/architecture.md). */

export type OpenApiRoute = {
  path: string;
  operations: Record<string, Operation>;
  /** The path that this one stands for (contract 3.1). */
  aliasOf?: string;
};
export type OpenApiRouteTable = readonly OpenApiRoute[];

/** A webhook that the service sends to a configured URL. */
export type WebhookDescription = {
  name: string;
  summary: string;
  description: string;
  headers: z.ZodObject;
  body: z.ZodType;
};

/** The components that operations refer to. */
type Components = { schemas: OpenApiSchemaComponents; errors: OpenApiErrorResponseCollector };

/**
 * Builds the OpenAPI document.
 * @param routes every path of the service
 * @param baseUrl where it is served
 */
export function buildOpenApiDocument(
  routes: OpenApiRouteTable,
  webhooks: readonly WebhookDescription[],
  baseUrl: string,
): OpenApiJsonObject {
  const components: Components = {
    schemas: new OpenApiSchemaComponents(OPENAPI_SCHEMAS_BY_NAME),
    errors: new OpenApiErrorResponseCollector(),
  };
  const paths = describePaths(routes, components);
  const described = webhooks.map((one) => [one.name, { post: describeWebhook(one, components) }]);
  return {
    openapi: "3.1.0",
    info: INFO,
    servers: [{ url: baseUrl }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: Object.fromEntries(described),
    components: {
      securitySchemes: describeSecuritySchemes(),
      headers: { ...OPENAPI_HEADER_COMPONENTS, ...SUCCESS_HEADER_COMPONENTS },
      responses: components.errors.list(),
      schemas: { ...OPENAPI_ERROR_SCHEMAS, ...addExamples(components.schemas.list()) },
    },
  };
}

const addExamples = (schemas: OpenApiJsonObject): OpenApiJsonObject =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const example = OPENAPI_EXAMPLES[name];
      return [name, example ? { ...(schema as OpenApiJsonObject), examples: [example] } : schema];
    }),
  );

const INFO: OpenApiJsonObject = {
  title: "Heed",
  version: VERSION,
  description:
    "Conduct reports for events and communities. Paths under /api/events are also served under /events; the session check also at /api/session and /session. Errors are { error, details, code }. Responses may have more members than are described here.",
  license: { name: "Apache-2.0", identifier: "Apache-2.0" },
};

const TAGS = {
  aliases: "Other paths of the same operations",
  auth: "Accounts, sign-in and mailed links",
  users: "The account of the person who calls, and what is theirs",
  organizations: "Organizations and their members, events, analytics and webhooks",
  events: "Events, their people and their incidents",
  invites: "Invites of either kind, by their code",
  people: "People named in reports",
  mailbox: "Conversations with people outside the team, opened with seven words",
  admin: "System administration",
  service: "The service itself",
} as const;
type Tag = keyof typeof TAGS;

const isTag = (name: string | undefined): name is Tag => name !== undefined && Object.hasOwn(TAGS, name);

function describeSecuritySchemes(): OpenApiJsonObject {
  return {
    session: {
      type: "apiKey",
      in: "cookie",
      name: getSessionCookieName(),
      description: "Set by POST /api/auth/login.",
    },
    token: {
      type: "http",
      scheme: "bearer",
      description:
        "A personal API token, made in the account. One for reading takes GET and HEAD only, one for exports the exports only; one for an organization or an event reaches that organization or event only. A service token reads or exports in its organization, and belongs to no person.",
    },
  };
}

/** Describes each path. An alias has the operations of the path that it stands for, under operation ids of its own. */
function describePaths(routes: OpenApiRouteTable, components: Components): Record<string, OpenApiJsonObject> {
  const items = new Map<string, OpenApiJsonObject>();
  for (const { path, operations, aliasOf } of routes)
    if (aliasOf === undefined) items.set(path, describePath(path, operations, components));
  const aliases = routes.flatMap(({ path, operations, aliasOf }) =>
    aliasOf === undefined
      ? []
      : [[path, describeAlias({ path, operations }, items.get(aliasOf) ?? {})] as const],
  );
  return Object.fromEntries([...items, ...aliases].map(([path, item]) => [toOpenApiPath(path), item]));
}

const toOpenApiPath = (path: string) => path.replace(/:(\w+)/g, "{$1}");

function describePath(
  path: string,
  operations: OpenApiRoute["operations"],
  components: Components,
): OpenApiJsonObject {
  const parameters = describeOpenApiPathParameters(path);
  const entries = Object.entries(operations).map(([method, operation]) => [
    method.toLowerCase(),
    describeOperation({ method, path, operation }, components),
  ]);
  return { ...(parameters.length > 0 ? { parameters } : {}), ...Object.fromEntries(entries) };
}

function describeAlias({ path, operations }: OpenApiRoute, item: OpenApiJsonObject): OpenApiJsonObject {
  const entries = Object.entries(operations).map(([method, { name }]) => {
    const described = item[method.toLowerCase()] as OpenApiJsonObject;
    return [
      method.toLowerCase(),
      { ...described, operationId: [name, "alias", ...listPathNames(path)].join("_"), tags: ["aliases"] },
    ];
  });
  return { ...item, ...Object.fromEntries(entries) };
}

/**
 * An operation may have several paths (by id and by slug), but each operationId must be unique, also for generators that
 * drop underscores and capitals.
 */
const buildOperationId = (name: string, path: string): string =>
  [name, ...listPathNames(path.replace(/^\/api\//, ""))].join("_");

const listPathNames = (path: string): string[] => path.match(/[A-Za-z]+/g) ?? [];

function describeOperation(endpoint: Endpoint, components: Components): OpenApiJsonObject {
  const { method, path, operation } = endpoint;
  const inQuery = method === "GET";
  const parameters = [
    ...(inQuery && operation.input
      ? describeOpenApiQueryParameters(operation.input, components.schemas)
      : []),
    ...describeOpenApiRequestHeaders(operation, inQuery),
  ];
  const resource = path.split("/")[2];
  return {
    operationId: buildOperationId(operation.name, path),
    summary: operation.summary,
    description: describeCallersAndBody(operation),
    tags: [isTag(resource) ? resource : "service"],
    security: describeSecurity(operation),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(!inQuery && (operation.input ?? operation.upload)
      ? { requestBody: describeRequestBody(endpoint, components.schemas) }
      : {}),
    responses: {
      ...describeSuccess(endpoint, components.schemas),
      ...components.errors.describe(listOperationErrorCodes(endpoint)),
      default: OPENAPI_OTHER_ERROR_RESPONSE,
    },
  };
}

/** Says who may call an operation, by the policy, and what its body may be otherwise. */
function describeCallersAndBody({ can, upload }: Operation): string {
  const json = "Without files, the same members are accepted as application/json.";
  return [describeCallers(POLICY[can]), ...(upload?.orJson ? [json] : [])].join(" ");
}

const describeSecurity = ({ name, can }: Operation): OpenApiJsonObject[] => {
  // Signing out is public so that it can clear a stale cookie, but without a session it is refused anyway.
  if (name === "logout") return [{ session: [] }];
  if (isPermissionWithoutSignIn(can)) return [];
  return isPermissionOpenToTokens(can) ? [{ session: [] }, { token: [] }] : [{ session: [] }];
};

/** Some generators go by the media type, others by the format of OpenAPI 3.0; without it, orval 7 has files as text. */
const BINARY_SCHEMA: OpenApiJsonObject = {
  type: "string",
  format: "binary",
  contentMediaType: "application/octet-stream",
};

function describeRequestBody(
  { method, operation }: Endpoint,
  schemas: OpenApiSchemaComponents,
): OpenApiJsonObject {
  const { input, upload, ignoresUnknownNames } = operation;
  const closed = ignoresUnknownNames
    ? "nowhere"
    : isRecordUpdate(operation, method)
      ? "belowTop"
      : "everywhere";
  const fields = input ?? NO_FIELDS;
  if (!upload) {
    const schema = schemas.describeInput(fields, closed);
    return { required: true, content: { "application/json": { schema } } };
  }
  // Generators that find two media types choose either one, and lose the files with JSON.
  const schema = schemas.describeInputWithFiles(describeFiles(upload), fields, closed);
  return { required: true, content: { "multipart/form-data": { schema } } };
}

const NO_FIELDS = z.object({});

/** Describes the files of a form, under the first of the names that they may have. */
function describeFiles({ fields: [name = "file"], maxFiles }: UploadRule): OpenApiJsonObject {
  if (maxFiles === 1) return { [name]: { ...BINARY_SCHEMA, description: "The file." } };
  const description = "Files, each under this name.";
  return { [name]: { type: "array", items: BINARY_SCHEMA, maxItems: maxFiles, description } };
}

const SUCCESS_DESCRIPTIONS = { 200: "OK", 201: "Created", 204: "Done" };

function describeSuccess(
  { method, operation }: Endpoint,
  schemas: OpenApiSchemaComponents,
): OpenApiJsonObject {
  const { status, output, produces } = operation;
  const hasJson = output !== null && status !== 204;
  const content = {
    ...(hasJson ? { "application/json": { schema: schemas.describeOutput(output) } } : {}),
    ...Object.fromEntries(produces.map((type) => [type, { schema: describeMediaType(type) }])),
  };
  const isFile = method === "GET" && output === null && produces.some((type) => FILE_TYPES.has(type));
  const headers = {
    ...describeSuccessHeaders({ method, operation }),
    ...(isFile ? FILE_TAG_REF : {}),
    ...(produces.length > 0 ? DISPOSITION_REF : {}),
  };
  return {
    [status]: {
      description: SUCCESS_DESCRIPTIONS[status],
      headers,
      ...(Object.keys(content).length > 0 ? { content } : {}),
    },
    ...(isFile || (operation.version && method === "GET") ? { 304: describeNotModified(headers) } : {}),
    ...(isFile && produces.includes("*/*") ? { 206: describePartialContent(headers, content) } : {}),
  };
}

/** Media types of stored files, which clients may have already (contract 9.3). */
const FILE_TYPES = new Set(["*/*", "image/webp"]);
const FILE_TAG_REF: OpenApiJsonObject = { ETag: { $ref: "#/components/headers/FileTag" } };
const DISPOSITION_REF: OpenApiJsonObject = {
  "Content-Disposition": { $ref: "#/components/headers/Disposition" },
};

const describeNotModified = (headers: OpenApiJsonObject): OpenApiJsonObject => ({
  description: "The client has it already: `If-None-Match` names its `ETag`.",
  headers,
});

const describePartialContent = (
  headers: OpenApiJsonObject,
  content: OpenApiJsonObject,
): OpenApiJsonObject => ({
  description: "The part that `Range` names.",
  headers: { ...headers, "Content-Range": { $ref: "#/components/headers/ContentRange" } },
  content,
});

function describeSuccessHeaders({ method, operation }: Omit<Endpoint, "path">): OpenApiJsonObject {
  const { input, once, status, limit, version, output, ignoresUnknownNames } = operation;
  const mayIgnore = ignoresUnknownNames || !input || isRecordUpdate(operation, method);
  return {
    ...REQUEST_ID_HEADER_REF,
    ...(limit === "none" ? {} : RATE_LIMIT_HEADER_REFS),
    ...(status === 201 ? { Location: { $ref: "#/components/headers/Location" } } : {}),
    ...(mayIgnore ? { "X-Ignored": { $ref: "#/components/headers/Ignored" } } : {}),
    ...(once ? { "Idempotent-Replayed": { $ref: "#/components/headers/IdempotentReplayed" } } : {}),
    ...(version ? { ETag: { $ref: "#/components/headers/RecordTag" } } : {}),
    ...(hasPages(output) ? { Link: { $ref: "#/components/headers/PageLinks" } } : {}),
  };
}

const hasPages = (output: z.ZodType | null): boolean =>
  (output instanceof z.ZodUnion ? output.options : [output]).some(
    (one) => one instanceof z.ZodObject && "pagination" in one.shape,
  );

const SUCCESS_HEADER_COMPONENTS: OpenApiJsonObject = {
  RecordTag: {
    description: "The version of the record and a hash of the response, for `If-Match` and `If-None-Match`.",
    schema: { type: "string" },
  },
  FileTag: {
    description: "Names the content, for `If-None-Match` and `If-Range`.",
    schema: { type: "string" },
  },
  Disposition: {
    description: "The name of a file that is to be saved.",
    schema: { type: "string" },
  },
  ContentRange: { description: "Which bytes of how many these are.", schema: { type: "string" } },
  PageLinks: {
    description: "The first, previous, next and last page (RFC 8288), where there is one.",
    schema: { type: "string" },
  },
  Ignored: {
    description:
      "Names in the request that had no effect, since they aren't known or can only be read, separated by commas and percent-encoded.",
    schema: { type: "string" },
  },
  Location: {
    description: "A path at which GET reads what was created: the record itself, or the list that has it.",
    schema: { type: "string", format: "uri-reference" },
  },
  IdempotentReplayed: {
    description: "Already sent with the same Idempotency-Key; nothing was done this time.",
    schema: { type: "string", const: "true" },
  },
};

/** Schema of a response that the operation writes itself: any JSON, text, or bytes. */
function describeMediaType(type: string): OpenApiJsonObject {
  if (type === "application/json") return {};
  if (type.startsWith("text/")) return { type: "string" };
  return BINARY_SCHEMA;
}

function describeWebhook(webhook: WebhookDescription, { schemas }: Components): OpenApiJsonObject {
  const { name, summary, description, headers, body } = webhook;
  return {
    operationId: `webhook_${name}`,
    summary,
    description,
    security: [],
    parameters: describeSchemaAsOpenApiParameters(headers, { where: "header", schemas }),
    requestBody: {
      required: true,
      content: { "application/json": { schema: schemas.describeOutput(body) } },
    },
    responses: { "2XX": { description: "Accepted" }, default: { description: "Will be retried" } },
  };
}
