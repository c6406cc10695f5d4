import { z } from "zod";
import { env } from "#lib/env.ts";
import { buildOpenApiDocument, type WebhookDescription, type OpenApiRouteTable } from "#lib/http/openapi.ts";
import type { OpenApiJsonObject } from "#lib/http/openapi-schemas.ts";
import { VERSION } from "#lib/version.ts";
import { globalScope, defineOperation, type Operation } from "#lib/operation/operation.ts";

/** Creates the operation that returns the OpenAPI document (contract 13.3), built once since routes don't change. */
export const createOpenApiDocumentOperation = (
  routes: OpenApiRouteTable,
  webhooks: readonly WebhookDescription[],
) => {
  let document: OpenApiJsonObject | undefined;
  // Its own route can't be in the table, which would import itself.
  const all = () => [...routes, { path: "/api/openapi.json", operations: { GET: description } }];
  const description: Operation = defineOperation({
    name: "openapi",
    summary: "Show this document",
    ignoresUnknownNames: true,
    on: globalScope,
    can: "account.open",
    output: z.looseObject({ openapi: z.string() }),
    version: () => VERSION,
    run: async ({ call }) => {
      call.responseHeaders["Cache-Control"] = "public, max-age=300";
      return (document ??= buildOpenApiDocument(all(), webhooks, env().baseUrl)) as OpenApiJsonObject & {
        openapi: string;
      };
    },
  });
  return description;
};
