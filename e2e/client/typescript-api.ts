import { createRequire, registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

/**
 * Loaded before openapi-typescript: it writes its output with the JavaScript API of TypeScript 5, which TypeScript 7
 * doesn't have. `@ts-morph/common` has it, and unlike a second `typescript` it has no `tsc` that takes the other's place.
 */

const resolve = createRequire(import.meta.url).resolve;
const api = pathToFileURL(resolve("@ts-morph/common").replace(/ts-morph-common\.js$/, "typescript.js")).href;

registerHooks({
  resolve: (specifier, context, next) => next(specifier === "typescript" ? api : specifier, context),
});
