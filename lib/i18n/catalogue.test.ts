import compile from "icu-minify/compile";
import { describe, expect, test } from "vitest";
import { getMessages, MESSAGE_NAMESPACES, createTranslatorForLocale } from "./catalogue.ts";
import { LOCALES } from "./locales.ts";
import ar from "#lib/i18n/messages/ar/index.ts";
import de from "#lib/i18n/messages/de/index.ts";
import en from "#lib/i18n/messages/en/index.ts";
import es from "#lib/i18n/messages/es/index.ts";
import fr from "#lib/i18n/messages/fr/index.ts";

type Catalogue = Record<string, Record<string, string> | undefined>;
const OTHERS: Record<string, Catalogue> = { de, es, fr, ar };
const english: Catalogue = en;

const both = Object.keys(OTHERS).flatMap((locale) =>
  MESSAGE_NAMESPACES.map((name) => [locale, name] as const),
);

test.each(both)("%s has every message of %s, and no other", (locale, name) => {
  expect(Object.keys(OTHERS[locale]?.[name] ?? {}).toSorted()).toEqual(
    Object.keys(english[name] ?? {}).toSorted(),
  );
});

test.each(both)("every message of %s in %s has the placeholders of the English one", (locale, name) => {
  for (const [key, message] of Object.entries(OTHERS[locale]?.[name] ?? {}))
    expect([key, listPlaceholders(message)]).toEqual([key, listPlaceholders(english[name]?.[key] ?? "")]);
});

test.each(both)("no message of %s in %s is blank, and each is trimmed", (locale, name) => {
  const odd = Object.entries(OTHERS[locale]?.[name] ?? {}).filter(
    ([, message]) => message.trim() === "" || message !== message.trim(),
  );
  expect(odd).toEqual([]);
});

test.each(["errors", "errorTerms", "fieldProblems"] as const)(
  "the English %s, which the compiler and the API read, have only plain placeholders and plurals, and typographic apostrophes",
  (name) => {
    for (const message of Object.values(en[name])) {
      const plurals = /\{\w+, plural, one \{# \w+\} other \{# \w+\}\}/g;
      expect(message.replace(plurals, "").replace(/\{\w+\}/g, "")).not.toMatch(/[{}']/);
    }
  },
);

test("no line of a French message begins or ends with a mark that belongs to the word beside it", () => {
  const breakable = Object.values<Record<string, string>>(fr)
    .flatMap((messages) => Object.values(messages))
    .filter((message) => /\S [:;!?»](?!\w)|« /.test(message));
  expect(breakable).toEqual([]);
});

test("every namespace compiles in every language", () => {
  for (const locale of LOCALES)
    for (const name of MESSAGE_NAMESPACES)
      expect(Object.keys(getMessages(locale, name)).length).toBeGreaterThan(0);
});

describe("a message", () => {
  test("is formatted with its values", () => {
    expect(createTranslatorForLocale("en", "ui")("pageOf", { page: 2, pages: 1200 })).toBe("Page 2 of 1,200");
  });

  test("a missing value throws", () => {
    expect(() => createTranslatorForLocale("en", "ui")("page")).toThrow(/page/);
  });
});

/** Lists the names of arguments and tags in a message, at any depth. */
function listPlaceholders(message: string): string[] {
  const names = new Set<string>();
  const visitNode = (node: unknown): void => {
    if (!Array.isArray(node)) return;
    const [first, second] = node as [unknown, unknown];
    if (
      typeof first === "string" &&
      (node.length === 1 || typeof second === "number" || second !== undefined)
    )
      names.add(first);
    for (const part of node.slice(1)) {
      if (Array.isArray(part)) visitNode(part);
      else if (part && typeof part === "object") for (const branch of Object.values(part)) each(branch);
    }
  };
  const each = (branch: unknown) => Array.isArray(branch) && branch.forEach(visitNode);
  each(compile(message));
  return [...names].toSorted();
}

test.each(LOCALES)(
  "the number of reports without a first response has one name on every page in %s",
  (locale) => {
    const organization = createTranslatorForLocale(locale, "organization");
    const name = createTranslatorForLocale(locale, "insights")("waiting");
    expect([organization("waitingNow"), organization("waiting")]).toEqual([name, name]);
  },
);
