import { ROUTES } from "#app/api/generated/routes.ts";
import { findOperation } from "#lib/http/endpoint.ts";
import { apiDescription } from "#lib/http/operations.ts";
import { WEBHOOK_DESCRIPTION } from "#lib/webhooks/letter.ts";

const routeTable = ROUTES.map(({ path, handlers }) => ({
  path,
  operations: Object.fromEntries(
    Object.entries(handlers).flatMap(([method, handler]) => {
      const operation = findOperation(handler);
      return operation ? [[method, operation]] : [];
    }),
  ),
})).filter(({ operations }) => Object.keys(operations).length > 0);

// The session check has two more paths (contract 3.1).
const sessionRoutes = routeTable.filter(({ path }) => path === "/api/auth/session");
for (const path of ["/api/session", "/session"])
  routeTable.push(...sessionRoutes.map((row) => ({ ...row, path })));

/** The operation that returns the OpenAPI document, for its route and for the API reference. */
export const describeApiOperation = apiDescription(routeTable, [WEBHOOK_DESCRIPTION]);
