import { showOpenApiDocument } from "#app/api/description.ts";
import { performOperation } from "#lib/http/perform.ts";
import { listDocumentedErrors } from "./documented-errors.ts";

/** A program that prints the errors of the OpenAPI document as JSON. */

const document = await performOperation(
  showOpenApiDocument,
  { actor: null, call: { responseHeaders: {} } as never },
  { params: {}, readInput: async () => undefined },
);
process.stdout.write(JSON.stringify(listDocumentedErrors(document as object)), () => process.exit(0));
