import { showOpenApiDocument } from "#app/api/description.ts";
import { listDocumentedErrors } from "./documented-errors.ts";

/** A program that prints the errors of the OpenAPI document as JSON. */

const document = await showOpenApiDocument.perform(
  { actor: null, call: { responseHeaders: {} } as never },
  { params: {}, readInput: async () => undefined },
  {} as never,
);
process.stdout.write(JSON.stringify(listDocumentedErrors(document as object)), () => process.exit(0));
