import { ROUTES } from "#app/api/generated/routes.ts";
import { findOperationOfHandler } from "#lib/http/endpoint.ts";
import type { OpenApiRoute } from "#lib/http/openapi.ts";
import { createOpenApiDocumentOperation } from "#lib/http/openapi-operations.ts";
import { API_PATH_ALIASES } from "#lib/server/path-aliases.ts";
import { WEBHOOK_OPENAPI_DESCRIPTION } from "#lib/webhooks/message.ts";

const routeTable: OpenApiRoute[] = ROUTES.map(({ path, handlers }) => ({
  path,
  operations: Object.fromEntries(
    Object.entries(handlers).flatMap(([method, handler]) => {
      const operation = findOperationOfHandler(handler);
      return operation ? [[method, operation]] : [];
    }),
  ),
})).filter(({ operations }) => Object.keys(operations).length > 0);

const aliases: OpenApiRoute[] = API_PATH_ALIASES.flatMap((alias) =>
  routeTable
    .filter(({ path }) => path === alias.target || path.startsWith(`${alias.target}/`))
    .map((route) => ({
      ...route,
      path: alias.path + route.path.slice(alias.target.length),
      aliasOf: route.path,
    })),
);

/** The operation that returns the OpenAPI document, for its route and for the API reference. */
export const showOpenApiDocument = createOpenApiDocumentOperation(
  [...routeTable, ...aliases],
  [WEBHOOK_OPENAPI_DESCRIPTION],
);
