import { ROUTES } from "#app/api/generated/routes.ts";
import { operationOf } from "#lib/http/endpoint.ts";
import { apiDescription } from "#lib/http/operations.ts";
import { DELIVERY } from "#lib/webhooks/letter.ts";

const table = ROUTES.map(({ path, handlers }) => ({
  path,
  operations: Object.fromEntries(
    Object.entries(handlers).flatMap(([method, handler]) => {
      const operation = operationOf(handler);
      return operation ? [[method, operation]] : [];
    }),
  ),
})).filter(({ operations }) => Object.keys(operations).length > 0);

// The session check has two more addresses (contract 3.1).
const session = table.filter(({ path }) => path === "/api/auth/session");
for (const path of ["/api/session", "/session"]) table.push(...session.map((row) => ({ ...row, path })));

/** The operation that answers with the OpenAPI document, for its route and for the reference. */
export const description = apiDescription(table, [DELIVERY]);
