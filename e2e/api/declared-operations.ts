import { ROUTES } from "#app/api/generated/routes.ts";
import type { Row } from "#e2e/api/routes.ts";
import { findOperationOfHandler } from "#lib/http/endpoint.ts";
import type { Operation } from "#lib/operation/operation.ts";

const handlersByPath = new Map<string, (typeof ROUTES)[number]["handlers"]>(
  ROUTES.map(({ path, handlers }) => [path, handlers]),
);

/** Returns the declaration behind a row; undefined for what isn't in the generated table, such as the OpenAPI document. */
export function findOperationOfRow({ method, path }: Row): Operation | undefined {
  const handler = handlersByPath.get(path)?.[method];
  return handler && (findOperationOfHandler(handler) as Operation | undefined);
}
