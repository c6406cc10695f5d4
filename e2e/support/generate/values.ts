import fc from "fast-check";
import type { Json } from "#e2e/support/api-description.ts";
import { PLACEHOLDER_NAMES, Placeholder, type PlaceholderName } from "./placeholders.ts";

/** Values from the schemas of the OpenAPI document: valid ones, nearly valid ones, and hostile ones. */

export type ValueArbitrary = fc.Arbitrary<unknown>;

/** A file of a multipart body. */
export type FileValue = { file: string; name: string; type: string };

/** Generates values that match the schema. @param name of the field, which suggests fitting ids */
export function arbitraryValidValue(schema: Json, name: string): ValueArbitrary {
  const { examples, ...withoutExamples } = schema;
  // An example also follows the rules that the schema can't say.
  if (examples) return fc.oneof(fc.constantFrom(...examples), arbitraryValidValue(withoutExamples, name));
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one: Json) => arbitraryValidValue(one, name)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if ("const" in schema) return fc.constant(schema.const);
  return (ARBITRARIES_BY_TYPE[schema.type] ?? arbitraryJson)(schema, name);
}

/** Generates values just outside the schema: one too short, one too long, of another type, not in the list. */
export function arbitraryBoundaryValue(schema: Json, name: string): ValueArbitrary {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one: Json) => arbitraryBoundaryValue(one, name)));
  const beside = [
    ...listLimitViolations(schema),
    ...listFormatViolations(schema),
    null,
    "",
    " ",
    true,
    0,
    [],
    {},
  ];
  const again = arbitraryValidValue(schema, name).map((value) => [value]);
  const cased = arbitraryValidValue(schema, name).map((value) =>
    typeof value === "string" ? ` ${value.toUpperCase()}` : JSON.stringify(value),
  );
  return fc.oneof({ weight: 4, arbitrary: fc.constantFrom<unknown>(...beside) }, again, cased);
}

/** Generates values that commonly break services, whatever the schema. */
export const arbitraryHostileValue: ValueArbitrary = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<unknown>(...listHostileValues()) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 2, arbitrary: fc.constantFrom(...PLACEHOLDER_NAMES).map((known) => new Placeholder(known)) },
);

const arbitraryJson = (): ValueArbitrary => fc.jsonValue({ maxDepth: 2 });

const ARBITRARIES_BY_TYPE: Record<string, (schema: Json, name: string) => ValueArbitrary> = {
  string: arbitraryText,
  integer: ({ minimum = -1000, maximum = 1_000_000 }) =>
    fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum)),
  number: () => fc.double({ noNaN: true }),
  boolean: () => fc.boolean(),
  null: () => fc.constant(null),
  array: ({ items = {}, minItems = 0, maxItems = 4 }, name) =>
    fc.array(arbitraryValidValue(items, name), {
      minLength: minItems,
      maxLength: Math.min(maxItems, minItems + 3),
    }),
  object: ({ properties = {}, required = [] }) =>
    fc.record(
      Object.fromEntries(
        Object.entries<Json>(properties).map(([name, one]) => [name, arbitraryValidValue(one, name)]),
      ),
      { requiredKeys: required },
    ) as ValueArbitrary,
};

function arbitraryText(schema: Json, name: string): ValueArbitrary {
  if (schema.contentMediaType) return arbitraryFile;
  const ofForm = ARBITRARIES_BY_FORMAT[schema.format];
  if (ofForm) return ofForm(name);
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern));
  const { minLength = 0, maxLength = 200 } = schema;
  const upTo = Math.min(maxLength, minLength + 40);
  return fc.oneof(
    fc.string({ unit: "grapheme-ascii", minLength, maxLength: upTo }),
    fc.string({ unit: "grapheme", minLength, maxLength: upTo }),
    fc.constantFrom("a".repeat(maxLength), "é".repeat(minLength), "words with spaces".padEnd(minLength, ".")),
    arbitraryLikelyReference(name),
  );
}

const ARBITRARIES_BY_FORMAT: Record<string, (name: string) => ValueArbitrary> = {
  uuid: (name) => fc.oneof(arbitraryLikelyReference(name), fc.uuid({ version: 4 })),
  email: () => fc.oneof(arbitraryKnown(/\.email$/), fc.emailAddress().map(small)),
  "date-time": () =>
    fc.oneof(
      fc
        .date({ min: new Date("1900-01-01"), max: new Date("2100-12-31"), noInvalidDate: true })
        .map((date) => date.toISOString()),
      fc.constantFrom("2026-05-02", "2026-05-02T10:00:00+02:00", "2000-02-29T23:59:59.999Z"),
    ),
  uri: () => fc.oneof(fc.constant("https://example.org/here"), fc.webUrl({ validSchemes: ["https"] })),
  password: () => fc.constantFrom("a quiet river at dawn", "seven small lanterns", "p".repeat(72)),
};

const small = (text: string) => text.toLowerCase();

const arbitraryKnown = (names: RegExp): ValueArbitrary =>
  fc
    .constantFrom(...PLACEHOLDER_NAMES.filter((name) => names.test(name)))
    .map((name: PlaceholderName) => new Placeholder(name));

/** Generates ids, slugs and codes of either tenant for a field whose name suggests them. */
function arbitraryLikelyReference(name: string): ValueArbitrary {
  if (/user|responder|actor|mentions/i.test(name))
    return arbitraryKnown(/^(?!.*(report|event|organ)).*\.id$/i);
  if (/incident|^ids$/i.test(name)) return arbitraryKnown(/report\.id$/i);
  if (/event/i.test(name)) return arbitraryKnown(/event\.(id|slug)$/i);
  if (/org/i.test(name)) return arbitraryKnown(/organization\.(id|slug)$/i);
  if (/code|token/i.test(name)) return arbitraryKnown(/\.code$/);
  if (/slug/i.test(name)) return arbitraryKnown(/\.slug$/);
  if (/role/i.test(name))
    return fc.constantFrom("Reporter", "responder", "Admin", "org_admin", "SystemAdmin");
  return arbitraryKnown(/\.id$/);
}

const arbitraryFile: fc.Arbitrary<FileValue> = fc.record({
  file: fc.constantFrom("png", "jpeg", "text", "html", "svg", "empty", "cut", "random", "pdf"),
  name: fc.constantFrom(
    "photo.png",
    "../../etc/passwd",
    "CON",
    "=cmd()",
    "a\u202egnp.exe",
    "n".repeat(400),
    " .",
  ),
  type: fc.constantFrom("image/png", "text/plain", "application/octet-stream", "text/html", "x/y"),
});

function listLimitViolations({ minLength, maxLength, minimum, maximum, maxItems }: Json): unknown[] {
  const beside: unknown[] = [];
  if (minLength) beside.push("a".repeat(minLength - 1), " ".repeat(minLength), "😀".repeat(minLength - 1));
  if (maxLength) beside.push("a".repeat(Number(maxLength) + 1), "😀".repeat(Math.min(maxLength, 5000) + 1));
  if (minimum !== undefined) beside.push(minimum - 1, minimum + 0.5, String(minimum), -0);
  if (maximum !== undefined) beside.push(maximum + 1, 2 ** 53, 1e308);
  if (maxItems) beside.push(Array.from({ length: Math.min(maxItems, 600) + 1 }, () => "x"));
  return beside;
}

function listFormatViolations({ format, pattern, enum: listed }: Json): unknown[] {
  if (listed)
    return listed.flatMap((one: unknown) => [`${one} `, String(one).toUpperCase(), `${one},${one}`]);
  if (format === "uuid")
    return ["{0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a}", "0a0a0a0a", "urn:uuid:0", "a".repeat(36)];
  if (format === "date-time")
    return [
      "2024-02-30",
      "1899-12-31",
      "2101-01-01",
      "2026-05-02T25:00:00Z",
      "12345",
      0,
      "now",
      "10000-01-01",
    ];
  if (format === "email") return ["a@", "@b", "a b@c.de", "a@example.org\r\nBcc: b@example.org", "ä@ö.de"];
  if (format === "uri")
    return ["javascript:alert(1)", "data:text/html,x", "//x", "http://a:b@c", "http://[::1]", "https://"];
  if (pattern) return ["0x10", "1e3", "-1", "1.5", " 5 ", "9".repeat(16), "9".repeat(400), "٣"];
  return [];
}

function listHostileValues(): unknown[] {
  return [
    "\u0000",
    "before\u0000after the zero",
    "\ud800 half a character",
    "\udfff",
    "\ufffd",
    "'; drop table users; --",
    "%' or '1'='1",
    "\\",
    "%_%",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[link](javascript:alert(1))",
    '=HYPERLINK("http://evil.test")',
    "../../../../etc/passwd",
    "line\r\nSet-Cookie: session=x",
    "\u202etxt.exe\u2066",
    "\u001b[31mred",
    "e" + "\u0301".repeat(300),
    "x".repeat(60_000),
    "${7*7}{{7*7}}",
    "true",
    "null",
    "NaN",
    "-1",
    "9".repeat(400),
    -1,
    1.5,
    2 ** 31,
    2 ** 53,
    1e308,
    -1e308,
    true,
    null,
    [],
    [[]],
    ["a", "a"],
    {},
    { contains: "@" },
    { not: "" },
    { toString: "x", valueOf: 1 },
    { length: 5 },
    JSON.parse('{"__proto__":{"isAdmin":true}}'),
    { constructor: { prototype: { polluted: 1 } } },
  ];
}
