import { z } from "zod";
import { createFieldProblem, type FieldProblem } from "#lib/i18n/error-text.ts";
import { InvalidInputError, getPrintableFieldNameOrPlaceholder } from "#lib/operation/errors.ts";
import type { Operation } from "#lib/operation/operation.ts";

/**
 * Names in a body or query that an operation doesn't know (contract 3.9). They are refused or named in the response, so
 * that a misspelled name is never ignored unnoticed.
 */

// oxlint-disable-next-line typescript/no-explicit-any -- operations of every type
type AnyOperation = Operation<any, any>;
type JsonSchema = {
  type?: string;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
};
type UnknownName = { name: string; known: string[] };

/**
 * Returns the names that the operation ignores.
 * @param request PUT and PATCH ignore what their record has for reading only
 * @throws InvalidInputError for a known name in another spelling, for files in JSON and, unless the API began with the
 *   operation, for each unknown name
 */
export function validateInputNamesAndListIgnored(
  operation: AnyOperation,
  { method }: { method: string },
  input: unknown,
): string[] {
  const problems: Record<string, FieldProblem> = {};
  const ignored: string[] = [];
  const ofRecord = isRecordUpdate(operation, method) ? listRecordNames(operation) : [];
  const files = operation.upload?.fields ?? [];
  for (const { name, known } of listUnknownNames(input, createInputSchema(operation))) {
    const meant = findSpelling(name, known);
    if (ofRecord.includes(name)) ignored.push(name);
    else if (files.includes(name)) {
      if (!isEmpty((input as Record<string, unknown>)[name]))
        problems[name] = createFieldProblem("filesNeedMultipart");
    } else if (meant !== undefined)
      problems[getPrintableFieldNameOrPlaceholder(name)] = createFieldProblem("mustBeNamed", { name: meant });
    else if (operation.ignoresUnknownNames) ignored.push(name);
    else problems[getPrintableFieldNameOrPlaceholder(name)] = createFieldProblem("unknownName");
  }
  if (Object.keys(problems).length > 0) throw new InvalidInputError(problems);
  return ignored;
}

/** In characters. Proxies and clients refuse headers of 8 KiB in all, or drop the response. */
const MAX_HEADER_LENGTH = 4000;

/**
 * Writes the value of the header X-Ignored, which can hold ASCII only: each name once, cut after 100 characters. If not
 * all fit, the last element is an ellipsis, which stands in no name, since names are percent-encoded.
 */
export function formatIgnoredNamesHeader(names: readonly string[]): string {
  const written = [...new Set(names)].map((name) =>
    encodeURIComponent(name.toWellFormed())
      .replaceAll(/%5B|%5D/g, decodeURIComponent)
      .slice(0, 100),
  );
  const all = written.join(", ");
  if (all.length <= MAX_HEADER_LENGTH) return all;
  return `${all.slice(0, all.lastIndexOf(", ", MAX_HEADER_LENGTH))}, ...`;
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** Finds the known name that differs in brackets, capitals and separators only. */
function findSpelling(name: string, known: readonly string[]): string | undefined {
  const last = name.split(".").at(-1) ?? name;
  const plain = toPlainName(last);
  return plain === "" ? undefined : known.find((one) => toPlainName(one) === plain);
}

function toPlainName(name: string): string {
  const bracket = name.indexOf("[");
  const base = bracket > 0 ? name.slice(0, bracket) : name;
  return base.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase();
}

/** Returns whether a member of an operation's input is a list, whose name may be repeated in a query or a form. */
export function isListOfInput(operation: AnyOperation, name: string): boolean {
  const { properties = {} } = createInputSchema(operation);
  return listVariants((Object.hasOwn(properties, name) && properties[name]) || {}).some(
    ({ type }) => type === "array",
  );
}

/**
 * Returns whether a request changes a record and returns it, and so takes it back as it was read (contract 3.9). Answers
 * and steps, which return nothing, don't.
 */
export const isRecordUpdate = (operation: AnyOperation, method: string): boolean =>
  (method === "PUT" || method === "PATCH") && listRecordNames(operation).length > 0;

const recordNames = new WeakMap<AnyOperation, string[]>();

/** Lists the members of what the operation returns, and of the objects in it: `webhook`, and all that a webhook has. */
function listRecordNames(operation: AnyOperation): string[] {
  const cached = recordNames.get(operation);
  if (cached) return cached;
  const output = operation.output
    ? (z.toJSONSchema(operation.output, { io: "output", unrepresentable: "any" }) as JsonSchema)
    : {};
  const names = listMemberNames(output);
  recordNames.set(operation, names);
  return names;
}

const listMemberNames = (schema: JsonSchema): string[] =>
  listVariants(schema).flatMap(({ properties = {} }) =>
    Object.entries(properties).flatMap(([name, member]) => [name, ...listMemberNames(member)]),
  );

const schemas = new WeakMap<AnyOperation, JsonSchema>();

function createInputSchema(operation: AnyOperation): JsonSchema {
  const cached = schemas.get(operation);
  if (cached) return cached;
  const schema = operation.input
    ? (z.toJSONSchema(operation.input, { io: "input", unrepresentable: "any" }) as JsonSchema)
    : { properties: {} };
  schemas.set(operation, schema);
  return schema;
}

/** Compares the names in a value with its schema. Where the schema doesn't restrict names, every name is known. */
function* listUnknownNames(value: unknown, schema: JsonSchema, path = ""): Generator<UnknownName> {
  if (typeof value !== "object" || value === null) return;
  const variants = listVariants(schema);
  if (Array.isArray(value)) {
    const items = variants.flatMap((variant) => variant.items ?? []);
    // Without a schema there are no names to compare, however deep the value is.
    if (items.length === 0) return;
    for (const [index, element] of value.entries())
      yield* listUnknownNames(element, { anyOf: items }, `${path}${index}.`);
    return;
  }
  const described = variants.filter((variant) => variant.properties);
  if (described.length === 0 || variants.some((variant) => variant.additionalProperties)) return;
  const known = [...new Set(described.flatMap((variant) => Object.keys(variant.properties ?? {})))];
  for (const [name, member] of Object.entries(value)) {
    const members = described.flatMap(({ properties = {} }) =>
      Object.hasOwn(properties, name) ? (properties[name] ?? []) : [],
    );
    if (members.length === 0) yield { name: `${path}${name}`, known };
    else yield* listUnknownNames(member, { anyOf: members }, `${path}${name}.`);
  }
}

const listVariants = (schema: JsonSchema): JsonSchema[] => [
  schema,
  ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap(listVariants),
];
