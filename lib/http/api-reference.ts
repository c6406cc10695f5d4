/**
 * The API reference, derived from the OpenAPI document: each endpoint once, grouped, with an example to copy and paste.
 */

export const API_REFERENCE_GROUPS = [
  "auth",
  "account",
  "notifications",
  "incidents",
  "conversation",
  "files",
  "events",
  "people",
  "invites",
  "organizations",
  "webhooks",
  "audit",
  "admin",
  "service",
] as const;
type ApiReferenceGroup = (typeof API_REFERENCE_GROUPS)[number];

export const isApiReferenceGroup = (value: unknown): value is ApiReferenceGroup =>
  API_REFERENCE_GROUPS.some((group) => group === value);

export type ApiReferenceField = { name: string; type: string; required: boolean; about: string };

export type ApiReferenceEndpoint = {
  /** The anchor on the page: the operationId without the part that names the path. */
  id: string;
  group: ApiReferenceGroup;
  method: string;
  path: string;
  /** Other paths that lead to the same operation. */
  also: string[];
  summary: string;
  access: "public" | "session" | "token";
  query: ApiReferenceField[];
  /** Headers that it accepts in addition to those of every call. */
  headers: ApiReferenceField[];
  /** Fields of the body; null when there is none. */
  body: { type: string; fields: ApiReferenceField[] } | null;
  status: string;
  /** Fields of the response, parents before their children. */
  answer: ApiReferenceField[];
  answerTypes: string[];
  curl: string;
};

/** Returns an example call with a token. */
export const buildTokenCurlExample = (base: string): string =>
  `curl "${base}/api/users/me" \\\n  -H "Authorization: Bearer $TOKEN"`;

/** Returns an example that signs in and stores the cookie. */
export const buildSignInCurlExample = (base: string): string =>
  `curl "${base}/api/auth/login" -c cookies.txt \\\n  -H "Content-Type: application/json" \\\n  -d '{"email":"maya@example.org","password":"…"}'`;

export const ERROR_RESPONSE_EXAMPLE_JSON = `{
  "error": "Not found.",
  "details": "This incident doesn't exist, or you can't see it.",
  "code": "NOT_FOUND"
}`;

type JsonSchema = {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  contentMediaType?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  default?: unknown;
  examples?: Record<string, unknown>[];
};
type Parameter = { name: string; in: string; required: boolean; schema: JsonSchema };
type Content = Record<string, { schema?: JsonSchema }>;
type OpenApiOperation = {
  operationId: string;
  summary: string;
  security: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
};
export type OpenApiDocument = {
  servers: { url: string }[];
  components?: Record<string, unknown>;
  paths: Record<string, Record<string, unknown>>;
};

/** Lists every endpoint of the document, in the order of groups and paths; the path without a slug comes first. */
export function listApiReferenceEndpoints(document: OpenApiDocument): ApiReferenceEndpoint[] {
  const base = document.servers[0]?.url ?? "";
  const paths = Object.entries(inlineReferences(document).paths).filter(
    ([path]) => !path.startsWith("/events/"),
  );
  const all = paths.flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== "parameters")
      .map(([method, operation]) =>
        toEndpoint({ method: method.toUpperCase(), path, base }, operation as OpenApiOperation),
      ),
  );
  const merged = new Map<string, ApiReferenceEndpoint>();
  for (const one of all) {
    const existing = merged.get(`${one.method} ${one.id}`);
    if (existing) existing.also.push(one.path);
    else merged.set(`${one.method} ${one.id}`, one);
  }
  return [...merged.values()].toSorted(
    (a, b) =>
      API_REFERENCE_GROUPS.indexOf(a.group) - API_REFERENCE_GROUPS.indexOf(b.group) ||
      a.path.localeCompare(b.path, "en"),
  );
}

/** Replaces each `$ref` of a document with what it refers to. */
function inlineReferences(document: OpenApiDocument): OpenApiDocument {
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline);
    if (typeof value !== "object" || value === null) return value;
    const { $ref, ...others } = value as { $ref?: unknown };
    const entries = Object.entries(others).map(([name, inner]) => [name, inline(inner)]);
    const target = typeof $ref === "string" ? (inline(findTarget(document, $ref)) as object) : {};
    return { ...target, ...Object.fromEntries(entries) };
  };
  return { ...document, paths: inline(document.paths) as OpenApiDocument["paths"] };
}

/** Resolves a reference such as `#/components/schemas/Incident`. */
const findTarget = (document: OpenApiDocument, reference: string): unknown =>
  reference
    .replace(/^#\//, "")
    .split("/")
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], document);

type EndpointLocation = { method: string; path: string; base: string };

function toEndpoint(location: EndpointLocation, operation: OpenApiOperation): ApiReferenceEndpoint {
  const { method, path } = location;
  const [status = "200", reply] =
    Object.entries(operation.responses).find(([code]) => code !== "default") ?? [];
  const json = reply?.content?.["application/json"]?.schema;
  const body = findBody(operation);
  const parametersIn = (where: string) =>
    (operation.parameters ?? [])
      .filter((parameter) => parameter.in === where)
      .map(({ name, schema, required }) => toField(name, schema, required));
  return {
    id: operation.operationId.split("_")[0] ?? operation.operationId,
    group: groupOf(path),
    method,
    path,
    also: [],
    summary: operation.summary,
    access: describeAccess(operation),
    query: parametersIn("query"),
    headers: parametersIn("header"),
    body: body && { type: body.type, fields: listFields(body.schema) },
    status,
    answer: json ? listFields(json) : [],
    answerTypes: Object.keys(reply?.content ?? {}),
    curl: buildCurl(location, operation, body),
  };
}

/** Returns the group of a path, by the last resource that it names. */
function groupOf(path: string): ApiReferenceGroup {
  const found = GROUPS_BY_PATH.find(([part]) => part.test(path));
  return found?.[1] ?? "service";
}

const GROUPS_BY_PATH: [RegExp, ApiReferenceGroup][] = [
  [/^\/(api\/)?session/, "auth"],
  [/^\/api\/auth\//, "auth"],
  [/^\/api\/admin\/audit|\/audit(\/|$)/, "audit"],
  [/^\/api\/admin\//, "admin"],
  [/\/(notifications|notification-settings|stream)(\/|$)/, "notifications"],
  [/\/webhooks(\/|$)/, "webhooks"],
  [/\/comments(\/|$)/, "conversation"],
  [/\/(related-files|evidence)(\/|$)/, "files"],
  [/\/(incidents|pins|saved-views|jump)(\/|$)/, "incidents"],
  [/\/(invites?|qr)(\/|$)/, "invites"],
  [/^\/api\/users\//, "account"],
  [/\/(users|roles|my-roles)(\/|$)/, "people"],
  [/^\/api\/events\//, "events"],
  [/^\/api\/organizations/, "organizations"],
];

function describeAccess({ security }: OpenApiOperation): ApiReferenceEndpoint["access"] {
  if (security.length === 0) return "public";
  return security.some((one) => "token" in one) ? "token" : "session";
}

type Body = { type: string; schema: JsonSchema };

/** Returns the JSON body where it is accepted, else the form body. */
function findBody({ requestBody }: OpenApiOperation): Body | null {
  const content = requestBody?.content ?? {};
  const type = "application/json" in content ? "application/json" : Object.keys(content)[0];
  return type ? { type, schema: content[type]?.schema ?? {} } : null;
}

const MAX_FIELD_DEPTH = 3;

/** Lists fields with their nested fields: "incident.event.name", "incidents[].title". */
function listFields(schema: JsonSchema, prefix = "", depth = 0): ApiReferenceField[] {
  const inner = findObjectSchema(schema);
  if (!inner) return [];
  return Object.entries(inner.properties ?? {}).flatMap(([name, value]) => {
    const list = listAlternatives(value).some(({ type }) => type === "array");
    const full = `${prefix}${name}${list ? "[]" : ""}`;
    const required = inner.required?.includes(name) ?? false;
    const below = depth < MAX_FIELD_DEPTH ? listFields(value, `${full}.`, depth + 1) : [];
    return [toField(full, value, required), ...below];
  });
}

const listAlternatives = (schema: JsonSchema): JsonSchema[] => schema.anyOf ?? schema.oneOf ?? [schema];

/** Finds the object that a schema describes, also inside a list or next to null. */
function findObjectSchema(schema: JsonSchema): JsonSchema | undefined {
  for (const one of listAlternatives(schema)) {
    if (one.properties) return one;
    const items = one.items && findObjectSchema(one.items);
    if (items) return items;
  }
  return undefined;
}

const toField = (name: string, schema: JsonSchema, required: boolean): ApiReferenceField => ({
  name,
  type: describeType(schema),
  required,
  about: describeLimits(schema),
});

function describeType(schema: JsonSchema): string {
  const names = listAlternatives(schema).map((one) => {
    if (one.enum) return one.enum.map(String).join(" | ");
    if (one.const !== undefined) return String(one.const);
    if (one.contentMediaType) return "file";
    if (one.type === "array") return `${describeType(one.items ?? {})}[]`;
    return one.format ?? ([one.type].flat().filter(Boolean).join(" | ") || "any");
  });
  return [...new Set(names)].join(" | ");
}

function describeLimits(schema: JsonSchema): string {
  const parts = listAlternatives(schema).flatMap((one) => [
    formatRange(one.minLength, one.maxLength, "characters"),
    one.type === "integer" || one.type === "number" ? formatRange(one.minimum, one.maximum, "") : "",
    one.default === undefined ? "" : `default ${JSON.stringify(one.default)}`,
  ]);
  return parts.filter(Boolean).join(", ");
}

function formatRange(min: number | undefined, max: number | undefined, unit: string): string {
  const upperBound = max !== undefined && max < Number.MAX_SAFE_INTEGER ? max : undefined;
  const lowerBound = min !== undefined && min > Number.MIN_SAFE_INTEGER ? min : undefined;
  if (lowerBound === undefined && upperBound === undefined) return "";
  if (upperBound === undefined) return lowerBound ? `from ${lowerBound} ${unit}`.trim() : "";
  return `${lowerBound ?? 0} to ${upperBound} ${unit}`.trim();
}

/** Builds a call to paste into a shell, with TOKEN standing for an API token. */
function buildCurl(
  { method, path, base }: EndpointLocation,
  operation: OpenApiOperation,
  body: Body | null,
): string {
  const query = (operation.parameters ?? []).filter((one) => one.in === "query" && one.required);
  const queryParts = query.map(
    ({ name, schema }) => `${name}=${encodeURIComponent(String(buildExampleValue(schema)))}`,
  );
  const url = `${base}${path.replace(/\{(\w+)\}/g, (_, name: string) => `$${toScreamingSnakeCase(name)}`)}`;
  const access = describeAccess(operation);
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}"${url}${queryParts.length > 0 ? `?${queryParts.join("&")}` : ""}"`,
    ...(access === "token" ? [`-H "Authorization: Bearer $TOKEN"`] : []),
    ...(access === "session" ? [`-b cookies.txt`] : []),
    ...buildCurlBodyLines(body),
  ];
  return lines.join(" \\\n  ");
}

const toScreamingSnakeCase = (name: string) => name.replace(/([a-z])([A-Z])/g, "$1_$2").toUpperCase();

function buildCurlBodyLines(body: Body | null): string[] {
  if (!body) return [];
  const { properties = {}, required = [], examples = [] } = findObjectSchema(body.schema) ?? {};
  const isFile = ({ contentMediaType, items }: JsonSchema) => contentMediaType ?? items?.contentMediaType;
  const [files, names] = partition(Object.keys(properties), (name) => isFile(properties[name] ?? {}));
  const shown = names.filter((name) => required.length === 0 || required.includes(name));
  const example =
    examples[0] ?? Object.fromEntries(shown.map((name) => [name, buildExampleValue(properties[name] ?? {})]));
  if (body.type === "application/json")
    return [`-H "Content-Type: application/json"`, `-d '${JSON.stringify(example)}'`];
  const texts = Object.entries(example).map(([name, value]) => `-F "${name}=${String(value)}"`);
  return [...texts, ...files.map((name) => `-F "${name}=@photo.jpg"`)];
}

const partition = (names: string[], isFirst: (name: string) => unknown): [string[], string[]] => [
  names.filter((name) => isFirst(name)),
  names.filter((name) => !isFirst(name)),
];

/** Returns an example value that matches the schema, as far as the schema says. */
function buildExampleValue(schema: JsonSchema): unknown {
  const [one = {}] = listAlternatives(schema).filter(({ type }) => type !== "null");
  if (one.enum) return one.enum[0];
  if (one.const !== undefined) return one.const;
  const type = [one.type].flat()[0];
  if (type === "array") return [buildExampleValue(one.items ?? {})];
  if (type === "object") {
    const names = one.required ?? Object.keys(one.properties ?? {});
    return Object.fromEntries(names.map((name) => [name, buildExampleValue(one.properties?.[name] ?? {})]));
  }
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return Math.max(1, one.minimum ?? 1);
  return (
    EXAMPLES_BY_FORMAT[one.format ?? ""] ??
    "words ".repeat(Math.ceil(Math.min(one.minLength ?? 1, 60) / 6)).trim()
  );
}

const EXAMPLES_BY_FORMAT: Record<string, string> = {
  uuid: "4f1c2b9e-0d55-4d0e-9a51-2f6f0c7d8e21",
  "date-time": "2026-11-21T14:30:00.000Z",
  email: "maya@example.org",
  uri: "https://example.org",
};
