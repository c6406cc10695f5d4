import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import type { Json } from "./api-description.ts";

/** The errors of each operation in the OpenAPI document, and a check that a received error is one of them. */

/** Status and code of errors, such as "404 NOT_FOUND", by method and path, such as "GET /api/events/{eventId}". */
export type DocumentedErrors = Record<string, string[]>;

/** Generates the document from the current sources, in a separate process, since it loads every operation. */
export async function loadDocumentedErrors(): Promise<DocumentedErrors> {
  const program = path.join(import.meta.dirname, "print-documented-errors.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [program], {
    maxBuffer: 32 * 1024 ** 2,
    // Vitest sets it to "/", and to the service it is an address.
    env: { ...process.env, BASE_URL: "" },
  });
  return JSON.parse(stdout) as DocumentedErrors;
}

export function listDocumentedErrors({ paths, components }: Json): DocumentedErrors {
  const codesIn = ({ $ref = "" }: Json): string[] => {
    const response = components.responses[String($ref).split("/").at(-1) ?? ""];
    return response?.content["application/json"].schema.allOf[1].properties.code.enum ?? [];
  };
  const errors: DocumentedErrors = {};
  for (const [pathPattern, item] of Object.entries<Json>(paths))
    for (const [method, { responses = {} }] of Object.entries<Json>(item))
      errors[`${method.toUpperCase()} ${pathPattern}`] = Object.entries<Json>(responses).flatMap(
        ([status, response]) => codesIn(response).map((code) => `${status} ${code}`),
      );
  return errors;
}

type Pattern = { segments: string[]; pattern: string };

export class ErrorCatalog {
  readonly #errors: DocumentedErrors;
  /** Literal segments precede parameters, as in the router. */
  readonly #patterns: Pattern[];

  constructor(errors: DocumentedErrors) {
    this.#errors = errors;
    const patterns = new Set(Object.keys(errors).map((title) => title.split(" ")[1] ?? ""));
    this.#patterns = [...patterns]
      .map((pattern) => ({ pattern, segments: pattern.split("/") }))
      .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  }

  /**
   * Returns whether the error is documented. True for an unknown operation, since no operation refused the request
   * then.
   */
  has(method: string, url: string, error: string): boolean {
    const segments = (url.split("?")[0] ?? "").split("/");
    const found = this.#patterns.find((one) => isMatch(one.segments, segments))?.pattern;
    const documented = this.#errors[`${method === "HEAD" ? "GET" : method} ${found}`];
    return documented === undefined || documented.includes(error);
  }
}

const isParameter = (segment: string): boolean => segment.startsWith("{");

const sortKey = ({ segments }: Pattern): string =>
  segments.map((segment) => (isParameter(segment) ? "~" : segment)).join("/");

const isMatch = (pattern: string[], segments: string[]): boolean =>
  pattern.length === segments.length &&
  pattern.every((segment, at) => isParameter(segment) || segment === segments[at]);
