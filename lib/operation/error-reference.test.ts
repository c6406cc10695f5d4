import path from "node:path";
import { describe, expect, test } from "vitest";
import { buildErrorReferenceMarkdown } from "./error-reference-document.ts";
import { ERROR_DESCRIPTIONS, listErrorReference } from "./error-reference.ts";
import { ERROR_STATUS } from "./errors.ts";

test("docs/errors.md is what the list of codes says", async () => {
  const file = path.resolve(import.meta.dirname, "../../docs/errors.md");
  await expect(buildErrorReferenceMarkdown()).toMatchFileSnapshot(file);
});

test("every code has an entry, ordered by status", () => {
  const entries = listErrorReference();
  expect(entries.map(({ code }) => code).toSorted()).toEqual(Object.keys(ERROR_STATUS).toSorted());
  expect(entries.map(({ status }) => status)).toEqual(entries.map(({ status }) => status).toSorted());
});

describe("the entry of", () => {
  test.each(Object.entries(ERROR_DESCRIPTIONS))(
    "%s has examples with that code",
    (code, { meaning, examples }) => {
      expect(meaning).toMatch(/\.$/);
      expect(examples.length).toBeGreaterThan(0);
      expect(examples.map((error) => error.code)).toEqual(examples.map(() => code));
    },
  );
});
