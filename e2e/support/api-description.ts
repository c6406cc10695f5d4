import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Reply } from "./client.ts";

/**
 * The OpenAPI document of a service, and a check that a response matches it. Clients accept members that aren't
 * described; here, an additional member is a leak or a gap in the document.
 */

export type Json = Record<string, any>;

/** An operation of the document: its method, and its path as the document writes it. */
export type DescribedOperation = { title: string; method: string; path: string; item: Json; operation: Json };

/** Headers that belong to single responses. Those of all responses are compared by the client itself. */
const DESCRIBED_HEADERS = [
  "content-disposition",
  "content-range",
  "etag",
  "idempotent-replayed",
  "link",
  "location",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "www-authenticate",
  "x-ignored",
];

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

export class ApiDescription {
  /** The document with every reference inlined, and with responses that allow no other members. */
  readonly document: Json;
  /** Each operation once at each of its paths, except those under `/events`. */
  readonly operations: DescribedOperation[];
  /** The operations under `/events`. */
  readonly aliases: DescribedOperation[];
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(served: Json) {
    const document = closeResponses(inlineReferences(served, served));
    this.document = document;
    const operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
      METHODS.filter((method) => item[method]).map((method) => ({
        title: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        item,
        operation: item[method] as Json,
      })),
    );
    this.operations = operations.filter(({ path }) => !path.startsWith("/events/"));
    this.aliases = operations.filter(({ path }) => path.startsWith("/events/"));
    // Strict: an unknown keyword or an unchecked format is an error of the document.
    // Not optimized: that takes longer than the few responses that a validator checks.
    const options = { strictRequired: false, strictTypes: false, allErrors: true, code: { optimize: false } };
    this.#ajv = new Ajv2020({ strict: true, ...options });
    addFormats.default(this.#ajv);
    this.#ajv.addSchema({ ...document, $id: "heed" });
    this.#ajv.addVocabulary(Object.keys(document));
  }

  /** Returns the value at a pointer such as `#/paths/~1session/get`. */
  pointed(pointer: string): unknown {
    return pointer
      .replace(/^#\/?/, "")
      .split("/")
      .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<unknown>((value, part) => (value as Json | undefined)?.[part], this.document);
  }

  /** Returns the validator of the schema at a pointer; equal schemas share one, since compiling takes long. */
  validator(pointer: string): ValidateFunction {
    const key = JSON.stringify(this.pointed(pointer)) ?? pointer;
    const known = this.#validators.get(key) ?? this.#ajv.compile({ $ref: `heed${pointer}` });
    this.#validators.set(key, known);
    return known;
  }

  /** Lists how a response differs from the document; empty when it matches. */
  objections(
    { method, path, operation }: DescribedOperation,
    { status, headers, body, bytes }: Reply,
  ): unknown[] {
    if (!operation.responses[status]) return [`${status} ${body?.code} is not described`];
    const key = String(status);
    const at = `#/paths/${path.replaceAll("/", "~1")}/${method.toLowerCase()}/responses/${key}`;
    const { content, headers: described = {} } = this.pointed(at) as Json;
    const names = Object.keys(described).map((name) => name.toLowerCase());
    const undescribed = DESCRIBED_HEADERS.filter((name) => headers[name] && !names.includes(name));
    if (undescribed.length > 0) return [`${status} has headers that are not described: ${undescribed}`];
    if (!content) {
      const sent = headers["content-type"];
      return bytes.length > 0 || sent ? [`${status} has a body (${sent}) that is not described`] : [];
    }
    const sent = headers["content-type"]?.split(";")[0] ?? "";
    const type = content[sent] ? sent : "*/*";
    if (!content[type]) return [`${status} comes as ${sent}, not as ${Object.keys(content).join(" or ")}`];
    const validate = this.validator(`${at}/content/${encodeURIComponent(type.replaceAll("/", "~1"))}/schema`);
    const valid = validate(sent === "application/json" ? body : bytes.toString("latin1"));
    return valid ? [] : (validate.errors ?? []);
  }
}

/** Inlines every reference of the document. */
function inlineReferences(value: any, document: Json): any {
  if (Array.isArray(value)) return value.map((one) => inlineReferences(one, document));
  if (typeof value !== "object" || value === null) return value;
  const { $ref, ...others } = value;
  const target = typeof $ref === "string" ? followReference($ref, document) : {};
  const entries = Object.entries({ ...target, ...others }).map(([name, one]) => [
    name,
    inlineReferences(one, document),
  ]);
  return Object.fromEntries(entries);
}

/** Returns the value of a reference such as `#/components/schemas/Incident`. @throws Error when there is none */
function followReference(reference: string, document: Json): Json {
  const names = reference.replace(/^#\//, "").split("/");
  const target = names.reduce<Json | undefined>((value, name) => value?.[name], document);
  if (!target) throw new Error(`${reference} names nothing`);
  return target;
}

function closeResponses(document: Json): Json {
  for (const item of Object.values<Json>(document.paths))
    for (const method of METHODS.filter((name) => item[name])) closeObjects(item[method].responses);
  closeObjects(document.webhooks);
  return document;
}

/**
 * Closes each object schema. A part of an `allOf` stays open, since each part would refuse the members of the others.
 */
function closeObjects(value: any): void {
  if (typeof value !== "object" || value === null) return;
  if (value.type === "object" && value.properties) value.additionalProperties ??= false;
  if (value.allOf) value.unevaluatedProperties = false;
  for (const [name, inner] of Object.entries(value)) if (name !== "allOf") closeObjects(inner);
}
