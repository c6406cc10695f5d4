import { z } from "zod";
import { env } from "#lib/env.ts";
import { openApiDocument, type DescribedWebhook, type Json, type RouteTable } from "#lib/http/openapi.ts";
import { nothing, operation, type Operation } from "#lib/operation/operation.ts";

/** The operation that answers with the document (contract 13.3); made once, since the routes don't change. */
export const apiDescription = (routes: RouteTable, webhooks: readonly DescribedWebhook[] = []) => {
  let document: Json | undefined;
  // Its own route can't stand in the table that it imports.
  const all = () => [...routes, { path: "/api/openapi.json", operations: { GET: description } }];
  const description: Operation = operation({
    name: "openapi",
    summary: "This document",
    on: nothing,
    can: "account.open",
    output: z.looseObject({ openapi: z.string() }),
    run: async () =>
      (document ??= openApiDocument(all(), webhooks, env().baseUrl)) as Json & { openapi: string },
  });
  return description;
};
