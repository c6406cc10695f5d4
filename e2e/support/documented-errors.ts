import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import type { Json } from "./described.ts";

/** The errors that the OpenAPI document has for each operation, and whether one that was received is among them. */

/** By method and path, such as "GET /api/events/{eventId}": status and code, such as "404 NOT_FOUND". */
export type DocumentedErrors = Record<string, string[]>;

/** Reads the document of the code that is checked out, in a process of its own since it loads every operation. */
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
  /** What names a segment stands before what takes any, as in the router. */
  readonly #patterns: Pattern[];

  constructor(errors: DocumentedErrors) {
    this.#errors = errors;
    const patterns = new Set(Object.keys(errors).map((title) => title.split(" ")[1] ?? ""));
    this.#patterns = [...patterns]
      .map((pattern) => ({ pattern, segments: pattern.split("/") }))
      .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  }

  /** True also where the document has no such operation, since then no operation refused the request. */
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
