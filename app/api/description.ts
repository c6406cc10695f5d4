import { ROUTES } from "#app/api/generated/routes.ts";
import { findOperation } from "#lib/http/endpoint.ts";
import type { Route } from "#lib/http/openapi.ts";
import { createApiDescription } from "#lib/http/operations.ts";
import { PATH_ALIASES } from "#lib/server/path-aliases.ts";
import { WEBHOOK_DESCRIPTION } from "#lib/webhooks/message.ts";

const routeTable: Route[] = ROUTES.map(({ path, handlers }) => ({
  path,
  operations: Object.fromEntries(
    Object.entries(handlers).flatMap(([method, handler]) => {
      const operation = findOperation(handler);
      return operation ? [[method, operation]] : [];
    }),
  ),
})).filter(({ operations }) => Object.keys(operations).length > 0);

const aliases: Route[] = PATH_ALIASES.flatMap((alias) =>
  routeTable
    .filter(({ path }) => path === alias.target || path.startsWith(`${alias.target}/`))
    .map((route) => ({
      ...route,
      path: alias.path + route.path.slice(alias.target.length),
      aliasOf: route.path,
    })),
);

/** The operation that returns the OpenAPI document, for its route and for the API reference. */
export const describeApiOperation = createApiDescription([...routeTable, ...aliases], [WEBHOOK_DESCRIPTION]);
