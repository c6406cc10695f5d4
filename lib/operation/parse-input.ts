import type { z } from "zod";
import {
  createFieldProblem,
  parseFieldProblemFromIssueMessage,
  type FieldProblem,
} from "#lib/i18n/error-text.ts";
import { InvalidInputError } from "#lib/operation/errors.ts";

/**
 * Parses input with a schema.
 * @throws InvalidInputError that says for each field what is wrong with it
 */
export function parseInput<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parseResult = schema.safeParse(value);
  if (parseResult.success) return parseResult.data;
  const fields: Record<string, FieldProblem> = {};
  for (const issue of parseResult.error.issues) {
    const field = issue.path.map(String).join(".");
    fields[field] ??= describeIssue(issue, value);
  }
  throw new InvalidInputError(fields);
}

function describeIssue(issue: z.core.$ZodIssue, input: unknown): FieldProblem {
  if (issue.code === "invalid_type" && issue.path.length > 0 && valueAt(input, issue.path) === undefined)
    return createFieldProblem("missing");
  if (issue.code === "invalid_type" && issue.path.length === 0) return createFieldProblem("mustBeObject");
  if (issue.code === "invalid_value")
    return createFieldProblem("mustBeOneOf", { values: issue.values.map(String).join(", ") });
  // The library's own messages may quote the input; ours never do.
  return parseFieldProblemFromIssueMessage(issue.message) ?? createFieldProblem("invalid");
}

const valueAt = (input: unknown, path: PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | undefined | null)?.[key],
    input,
  );
