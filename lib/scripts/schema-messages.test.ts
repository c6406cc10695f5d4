import { globSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { z } from "zod";
import { parseFieldProblemFromIssueMessage } from "#lib/i18n/error-text.ts";

/**
 * The compiler checks the keys of errors, but a schema check takes any text as its message. Pages and the API would
 * say only that the field is not valid.
 */

const LIB = path.resolve(import.meta.dirname, "..");

type Definition = Record<string, unknown> & { error?: (issue: object) => unknown };
type Node = { _zod?: { def: Definition } };

/** Lists the messages of all checks in a schema, at any depth. */
function listMessages(root: unknown): string[] {
  const visited = new Set<unknown>();
  const messages: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null || visited.has(value)) return;
    visited.add(value);
    const definition = (value as Node)._zod?.def;
    const message = definition?.error?.({});
    if (typeof message === "string") messages.push(message);
    if (definition) Object.values(definition).forEach(visit);
    else if (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype)
      Object.values(value).forEach(visit);
  };
  visit(root);
  return messages;
}

test("every message of a check of an operation's input is the key of a text in five languages", async () => {
  const files = globSync("*/*operations.ts", { cwd: LIB });
  const modules = await Promise.all(
    files.map((file) => import(path.join(LIB, file)) as Promise<Record<string, { input?: z.ZodType }>>),
  );
  const messages = modules.flatMap((exported) =>
    Object.values(exported).flatMap((operation) => listMessages(operation?.input)),
  );
  expect(messages.length).toBeGreaterThan(150);
  expect([...new Set(messages)].filter((message) => !parseFieldProblemFromIssueMessage(message))).toEqual([]);
});
