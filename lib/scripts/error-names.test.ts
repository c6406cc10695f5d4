import { expect, test } from "vitest";
import { listSourceFiles, readSourceFile } from "#e2e/support/source-files.ts";

/** Logs and failed jobs show an error by its `name`, so that is the name of its class, by which people search. */

const FOLDERS = ["app", "components", "lib", "e2e", "bench"];
const CLASS = /^(?:export )?(?:abstract )?class (\w+)[^{]* extends \w*Error\b[^{]*\{([^]*?)^\}/gm;
const NAME = /^ {2}(?:override |readonly |static )*name(?:: \w+)? = "([^"]*)"|\bthis\.name = "([^"]*)"/gm;

type NamedError = { className: string; name: string };

const listNamedErrors = (source: string): NamedError[] =>
  [...source.matchAll(CLASS)].flatMap(([, className = "", body = ""]) =>
    [...body.matchAll(NAME)].map(([, field, assigned]) => ({ className, name: field ?? assigned ?? "" })),
  );

test("an error has the name of its class", () => {
  const named = listSourceFiles(FOLDERS).flatMap((file) => listNamedErrors(readSourceFile(file)));
  expect(named).toContainEqual({ className: "AppError", name: "AppError" });
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter(({ className, name }) => className !== name)).toEqual([]);
});

test.each([
  'export class LateError extends Error {\n  override readonly name = "Late";\n}\n',
  'class LateError extends AppError<"late"> {\n  constructor() {\n    super();\n    this.name = "Late";\n  }\n}\n',
])("another name is found, however it is set", (source) => {
  expect(listNamedErrors(source)).toEqual([{ className: "LateError", name: "Late" }]);
});
