import type { paths } from "./schema.ts";

/** A client as a developer would write it on top of types that a generator made from the OpenAPI document. */

type Method = "get" | "post" | "put" | "patch" | "delete";
type PathWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: object }> ? P : never;
}[keyof paths];
type Operation<M extends Method, P extends PathWith<M>> = Extract<paths[P], Record<M, unknown>>[M];

type Content<Response> = Response extends { content: infer Types }
  ? "application/json" extends keyof Types
    ? Types["application/json"]
    : Types[keyof Types]
  : undefined;
type Success<O> = O extends { responses: infer Responses }
  ? { [Status in keyof Responses & (200 | 201 | 204)]: Content<Responses[Status]> }[keyof Responses &
      (200 | 201 | 204)]
  : never;

type Parameters<O, Where extends string> = O extends { parameters: Record<Where, infer Given> }
  ? Given
  : object;
type Optional<O, Where extends string> = O extends { parameters: Partial<Record<Where, infer Given>> }
  ? Given
  : never;
/** Generators type the bytes of a file as text. */
type WithFiles<Given> = {
  [Name in keyof Given]: Name extends "relatedFiles" ? File[] : Given[Name];
};
type Body<O> = O extends { requestBody: { content: { "application/json": infer Given } } }
  ? { body: Given; form?: undefined }
  : O extends { requestBody: { content: { "multipart/form-data": infer Given } } }
    ? { body?: undefined; form: WithFiles<Given> }
    : { body?: undefined; form?: undefined };
type Request<O> = {
  path: Parameters<O, "path">;
  query?: Optional<O, "query">;
  headers?: Optional<O, "header">;
} & Body<O>;

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, { code, details }: { code: string; details: string }) {
    super(details);
    this.status = status;
    this.code = code;
  }
}

export class ApiClient {
  readonly #base: string;
  #credentials: Record<string, string>;

  constructor(base: string, credentials: Record<string, string> = {}) {
    this.#base = base;
    this.#credentials = credentials;
  }

  async call<M extends Method, P extends PathWith<M>>(
    method: M,
    path: P,
    { path: names, query, headers, body, form }: Request<Operation<M, P>>,
  ): Promise<Success<Operation<M, P>>> {
    const url = new URL(fillPath(path, names ?? {}), this.#base);
    for (const [name, value] of Object.entries(query ?? {}))
      for (const one of [value].flat()) url.searchParams.append(name, String(one));
    const response = await fetch(url, {
      method: method.toUpperCase(),
      headers: {
        ...this.#credentials,
        ...(headers as Record<string, string> | undefined),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(form === undefined ? {} : { body: toFormData(form) }),
    });
    const [cookie] = response.headers.getSetCookie().filter((one) => /session=/.test(one));
    if (cookie) this.#credentials = { cookie: cookie.split(";")[0] ?? "" };
    const isJson = /^application\/json\b/.test(response.headers.get("content-type") ?? "");
    const content: unknown = isJson ? await response.json() : await response.text();
    if (!response.ok) throw new ApiError(response.status, content as ApiError & { details: string });
    return content as Success<Operation<M, P>>;
  }
}

/** Repeats the name of a list, as generated clients do. */
function toFormData(form: object): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(form))
    for (const one of [value].flat()) data.append(name, one instanceof File ? one : String(one));
  return data;
}

const fillPath = (path: string, names: object): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String((names as Record<string, unknown>)[name])),
  );
