import { parse } from "@babel/parser";
import { expect, test } from "vitest";
import { listSourceFiles, readSourceFile } from "#e2e/support/source-files.ts";
import { isSyntaxNode, listSyntaxNodes, type SyntaxNode } from "#lib/syntax-tree.ts";

/**
 * Audit entries are built by `buildAuditEntry` and the builders beside it, so that place, actor, right and request of
 * an operation stand once. An entry that is written out member by member is listed here, with the reason.
 */

const ADVICE = "build the entry with buildAuditEntry, buildActorlessAuditEntry or buildAccountAuditEntry";

const EXCEPTIONS: Record<string, string> = {
  "lib/audit/audit.ts buildAuditEntry": "the builder itself",
  "lib/audit/audit.ts buildActorlessAuditEntry": "the builder itself",
  "lib/organizations/organizations.ts deleteOrganizationAndRecordErasure":
    "a person deletes the organization, or the service again after a restore",
};

type Source = { file: string; program: string };

/** Lists literals with `action` and `object`, and other literals that are passed to `appendAuditEntry`. */
function listEntryLiterals({ file, program }: Source): { key: string; line: number }[] {
  const { body } = parse(program, { sourceType: "module", plugins: ["typescript"] }).program;
  return body.flatMap((statement) => {
    const nodes = listSyntaxNodes(statement as unknown as SyntaxNode);
    const literals = [...nodes.filter(isEntry), ...nodes.flatMap(listAppendedLiterals)];
    return [...new Set(literals)].map((node) => ({
      key: `${file} ${declaredName(statement as unknown as SyntaxNode)}`,
      line: (node.loc as { start: { line: number } }).start.line,
    }));
  });
}

function isEntry({ type, properties }: SyntaxNode): boolean {
  if (type !== "ObjectExpression") return false;
  const names = (properties as { key?: { name?: string } }[]).map(({ key }) => key?.name);
  return names.includes("action") && names.includes("object");
}

function listAppendedLiterals({ type, callee, arguments: given }: SyntaxNode): SyntaxNode[] {
  const { name } = (callee ?? {}) as { name?: string };
  if (type !== "CallExpression" || !/^appendAuditEntr(y|ies)$/.test(name ?? "")) return [];
  return (given as unknown[]).filter(isSyntaxNode).filter((node) => node.type === "ObjectExpression");
}

/** The name that a statement of a module declares, or "" when it declares none. */
function declaredName(statement: SyntaxNode): string {
  const declaration = (statement.declaration ?? statement) as {
    id?: { name: string };
    declarations?: { id: { name?: string } }[];
  };
  return declaration.id?.name ?? declaration.declarations?.[0]?.id.name ?? "";
}

const literals = listSourceFiles(["lib", "app", "components"])
  .filter((file) => file.endsWith(".ts") && !/\.(test|d)\.ts$/.test(file))
  .filter((file) => !file.startsWith("lib/generated/"))
  .map((file) => ({ file, program: readSourceFile(file) }))
  .filter(({ program }) => /[aA]uditEntr|#lib\/audit\//.test(program))
  .flatMap(listEntryLiterals);

test("audit entries are built by the builders", () => {
  const others = literals.filter(({ key }) => !(key in EXCEPTIONS));
  expect(others.map(({ key, line }) => `${key}, line ${line}: ${ADVICE}`)).toEqual([]);
});

test("each listed exception is needed", () => {
  const found = new Set(literals.map(({ key }) => key));
  expect(Object.keys(EXCEPTIONS).filter((key) => !found.has(key))).toEqual([]);
});

test.each([
  ["a literal", "appendAuditEntry(tx, { action, actorId, right, object })"],
  ["a literal with a spread", "appendAuditEntry(tx, { ...entry, eventId })"],
  ["a literal that is appended elsewhere", "await write({ action: 'event.leave', object, ...by })"],
])("finds %s", (_, call) => {
  const program = `export async function leave() {\n  ${call};\n}`;
  expect(listEntryLiterals({ file: "lib/incidents/pins.ts", program })).toEqual([
    { key: "lib/incidents/pins.ts leave", line: 2 },
  ]);
});

test("leaves a built entry", () => {
  const program = `const entry = buildAuditEntry({ eventId, actor, right, call }, "event.leave", object, { roles });`;
  expect(listEntryLiterals({ file: "lib/incidents/pins.ts", program })).toEqual([]);
});
