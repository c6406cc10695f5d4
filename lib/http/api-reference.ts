/** The OpenAPI document as people read it: by group, each endpoint once, with an example that can be pasted. */

export const GROUPS = [
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
export type Group = (typeof GROUPS)[number];

export const isGroup = (value: unknown): value is Group => GROUPS.some((group) => group === value);

export type Field = { name: string; type: string; required: boolean; about: string };

export type Endpoint = {
  /** operationId without its path: the anchor on the page. */
  id: string;
  group: Group;
  method: string;
  path: string;
  /** Other paths that lead to the same. */
  also: string[];
  summary: string;
  access: "public" | "session" | "token";
  pathParameters: string[];
  query: Field[];
  /** Headers that it takes beside those of every call. */
  headers: Field[];
  /** Fields of the body; null where none is taken. */
  body: { type: string; fields: Field[] } | null;
  status: string;
  /** Fields of the answer, from the outermost in. */
  answer: Field[];
  answerTypes: string[];
  curl: string;
};

/** How a call with a token looks. */
export const withToken = (base: string): string =>
  `curl "${base}/api/users/me" \\\n  -H "Authorization: Bearer $TOKEN"`;

/** How one signs in and keeps the cookie. */
export const signIn = (base: string): string =>
  `curl "${base}/api/auth/login" -c cookies.txt \\\n  -H "Content-Type: application/json" \\\n  -d '{"email":"maya@example.org","password":"…"}'`;

/** How an error looks. */
export const REFUSAL = `{
  "error": "Not found.",
  "details": "This incident doesn't exist, or you can't see it.",
  "code": "NOT_FOUND"
}`;

type Schema = {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  contentMediaType?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  default?: unknown;
};
type Parameter = { name: string; in: string; required: boolean; schema: Schema };
type Content = Record<string, { schema?: Schema }>;
type Described = {
  operationId: string;
  summary: string;
  security: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
};
export type Document = {
  servers: { url: string }[];
  paths: Record<string, Record<string, unknown>>;
};

/** Every endpoint of the document, in the order of its groups and paths. The path without a slug comes first. */
export function endpointsOf(document: Document): Endpoint[] {
  const base = document.servers[0]?.url ?? "";
  const all = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== "parameters")
      .map(([method, described]) =>
        endpoint({ method: method.toUpperCase(), path, base }, described as Described),
      ),
  );
  const merged = new Map<string, Endpoint>();
  for (const one of all) {
    const present = merged.get(`${one.method} ${one.id}`);
    if (present) present.also.push(one.path);
    else merged.set(`${one.method} ${one.id}`, one);
  }
  return [...merged.values()].toSorted(
    (a, b) => GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group) || a.path.localeCompare(b.path, "en"),
  );
}

type Place = { method: string; path: string; base: string };

function endpoint(place: Place, described: Described): Endpoint {
  const { method, path } = place;
  const [status = "200", reply] =
    Object.entries(described.responses).find(([code]) => code !== "default") ?? [];
  const json = reply?.content?.["application/json"]?.schema;
  const body = bodyOf(described);
  const parametersIn = (where: string) =>
    (described.parameters ?? [])
      .filter((parameter) => parameter.in === where)
      .map(({ name, schema, required }) => fieldOf(name, schema, required));
  return {
    id: described.operationId.split("_")[0] ?? described.operationId,
    group: groupOf(path),
    method,
    path,
    also: [],
    summary: described.summary,
    access: accessOf(described),
    pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ""),
    query: parametersIn("query"),
    headers: parametersIn("header"),
    body: body && { type: body.type, fields: fieldsOf(body.schema) },
    status,
    answer: json ? fieldsOf(json) : [],
    answerTypes: Object.keys(reply?.content ?? {}),
    curl: curlOf(place, described, body),
  };
}

/** What a path is about: the last thing that it names. */
function groupOf(path: string): Group {
  const found = BY_PATH.find(([part]) => part.test(path));
  return found?.[1] ?? "service";
}

const BY_PATH: [RegExp, Group][] = [
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

function accessOf({ security }: Described): Endpoint["access"] {
  if (security.length === 0) return "public";
  return security.some((one) => "token" in one) ? "token" : "session";
}

type Body = { type: string; schema: Schema };

/** JSON where it is taken, else the form. */
function bodyOf({ requestBody }: Described): Body | null {
  const content = requestBody?.content ?? {};
  const type = "application/json" in content ? "application/json" : Object.keys(content)[0];
  return type ? { type, schema: content[type]?.schema ?? {} } : null;
}

const DEEPEST = 3;

/** Fields with those within them: "incident.event.name", "incidents[].title". */
function fieldsOf(schema: Schema, prefix = "", depth = 0): Field[] {
  const inner = objectIn(schema);
  if (!inner) return [];
  return Object.entries(inner.properties ?? {}).flatMap(([name, value]) => {
    const list = alternatives(value).some(({ type }) => type === "array");
    const full = `${prefix}${name}${list ? "[]" : ""}`;
    const required = inner.required?.includes(name) ?? false;
    const below = depth < DEEPEST ? fieldsOf(value, `${full}.`, depth + 1) : [];
    return [fieldOf(full, value, required), ...below];
  });
}

const alternatives = (schema: Schema): Schema[] => schema.anyOf ?? schema.oneOf ?? [schema];

/** The object that a schema describes, in a list or beside null. */
function objectIn(schema: Schema): Schema | undefined {
  for (const one of alternatives(schema)) {
    if (one.properties) return one;
    const items = one.items && objectIn(one.items);
    if (items) return items;
  }
  return undefined;
}

const fieldOf = (name: string, schema: Schema, required: boolean): Field => ({
  name,
  type: typeOf(schema),
  required,
  about: limitsOf(schema),
});

function typeOf(schema: Schema): string {
  const names = alternatives(schema).map((one) => {
    if (one.enum) return one.enum.map(String).join(" | ");
    if (one.const !== undefined) return String(one.const);
    if (one.contentMediaType) return "file";
    if (one.type === "array") return `${typeOf(one.items ?? {})}[]`;
    return one.format ?? ([one.type].flat().filter(Boolean).join(" | ") || "any");
  });
  return [...new Set(names)].join(" | ");
}

function limitsOf(schema: Schema): string {
  const parts = alternatives(schema).flatMap((one) => [
    range(one.minLength, one.maxLength, "characters"),
    one.type === "integer" || one.type === "number" ? range(one.minimum, one.maximum, "") : "",
    one.default === undefined ? "" : `default ${JSON.stringify(one.default)}`,
  ]);
  return parts.filter(Boolean).join(", ");
}

function range(min: number | undefined, max: number | undefined, unit: string): string {
  const high = max !== undefined && max < Number.MAX_SAFE_INTEGER ? max : undefined;
  const low = min !== undefined && min > Number.MIN_SAFE_INTEGER ? min : undefined;
  if (low === undefined && high === undefined) return "";
  if (high === undefined) return low ? `from ${low} ${unit}`.trim() : "";
  return `${low ?? 0} to ${high} ${unit}`.trim();
}

/** A call that can be pasted into a shell, in which TOKEN stands for an API token. */
function curlOf({ method, path, base }: Place, described: Described, body: Body | null): string {
  const query = (described.parameters ?? []).filter((one) => one.in === "query" && one.required);
  const asked = query.map(({ name, schema }) => `${name}=${encodeURIComponent(String(example(schema)))}`);
  const url = `${base}${path.replace(/\{(\w+)\}/g, (_, name: string) => `$${screaming(name)}`)}`;
  const access = accessOf(described);
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}"${url}${asked.length > 0 ? `?${asked.join("&")}` : ""}"`,
    ...(access === "token" ? [`-H "Authorization: Bearer $TOKEN"`] : []),
    ...(access === "session" ? [`-b cookies.txt`] : []),
    ...bodyLines(body),
  ];
  return lines.join(" \\\n  ");
}

const screaming = (name: string) => name.replace(/([a-z])([A-Z])/g, "$1_$2").toUpperCase();

function bodyLines(body: Body | null): string[] {
  if (!body) return [];
  const { properties = {}, required = [] } = objectIn(body.schema) ?? {};
  const names = Object.keys(properties).filter((name) => required.length === 0 || required.includes(name));
  if (body.type === "application/json") {
    const shown = Object.fromEntries(names.map((name) => [name, example(properties[name] ?? {})]));
    return [`-H "Content-Type: application/json"`, `-d '${JSON.stringify(shown)}'`];
  }
  const fileOf = (schema: Schema) => schema.contentMediaType ?? schema.items?.contentMediaType;
  const files = Object.keys(properties).filter((name) => fileOf(properties[name] ?? {}));
  return [...new Set([...names, ...files])].map((name) => {
    const schema = properties[name] ?? {};
    return fileOf(schema) ? `-F "${name}=@photo.jpg"` : `-F "${name}=${String(example(schema))}"`;
  });
}

/** A value that fits, as far as a schema tells. */
function example(schema: Schema): unknown {
  const [one = {}] = alternatives(schema).filter(({ type }) => type !== "null");
  if (one.enum) return one.enum[0];
  if (one.const !== undefined) return one.const;
  const type = [one.type].flat()[0];
  if (type === "array") return [example(one.items ?? {})];
  if (type === "object") {
    const names = one.required ?? Object.keys(one.properties ?? {});
    return Object.fromEntries(names.map((name) => [name, example(one.properties?.[name] ?? {})]));
  }
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return Math.max(1, one.minimum ?? 1);
  return (
    EXAMPLES[one.format ?? ""] ?? "words ".repeat(Math.ceil(Math.min(one.minLength ?? 1, 60) / 6)).trim()
  );
}

const EXAMPLES: Record<string, string> = {
  uuid: "4f1c2b9e-0d55-4d0e-9a51-2f6f0c7d8e21",
  "date-time": "2026-11-21T14:30:00.000Z",
  email: "maya@example.org",
  uri: "https://example.org",
};
