import fs from "node:fs";
import path from "node:path";
import { parse } from "@babel/parser";
import { listNodes, type SyntaxNode } from "#lib/syntax-tree.ts";

/**
 * Finds every error sentence in the sources under lib, for the test that each one is translated. Template values appear
 * as `{}`.
 */

type ProblemSentence = { file: string; text: string };

const ROOT = path.resolve(import.meta.dirname, "../..");

/** Errors that only API clients meet, about bodies and addresses that no form of the service produces. */
const EXCLUDED_PATHS = [
  "lib/http/query.ts",
  "lib/http/json-body.ts",
  "lib/http/endpoint.ts",
  "lib/files/download/ranges.ts",
  "lib/files/upload/multipart-parts.ts",
  "lib/live/",
  "lib/demo/",
  "lib/build/",
  "lib/scripts/",
  "lib/server/",
  "lib/database/embedded/",
  "lib/database/migrate.ts",
  "lib/generated/",
  "lib/i18n/",
];

export function collectProblemSentences(): ProblemSentence[] {
  const files = fs
    .readdirSync(path.join(ROOT, "lib"), { recursive: true, encoding: "utf8" })
    .map((name) => path.join("lib", name))
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .filter((file) => !EXCLUDED_PATHS.some((one) => file.startsWith(one)));
  const programs = files.map((file) => ({ file, program: parseFile(file) }));
  const shared = programs.flatMap(({ program }) =>
    listTextConstants(program).filter(([name]) => /^[A-Z_]+$/.test(name)),
  );
  return programs.flatMap(({ file, program }) =>
    findSentences(program, new Map([...shared, ...listTextConstants(program)])).map((text) => ({
      file,
      text,
    })),
  );
}

type Constants = ReadonlyMap<string, SyntaxNode>;

const parseFile = (file: string): SyntaxNode =>
  parse(fs.readFileSync(path.join(ROOT, file), "utf8"), { sourceType: "module", plugins: ["typescript"] })
    .program as unknown as SyntaxNode;

/** Finds sentences in named constants, such as `const FOR_THE_TEAM = "…"`; names in capitals are known in all files. */
function listTextConstants(program: SyntaxNode): [string, SyntaxNode][] {
  return listNodes(program).flatMap((node): [string, SyntaxNode][] => {
    const name = (node.id as { name?: string } | undefined)?.name;
    const init = node.init as SyntaxNode | null | undefined;
    return node.type === "VariableDeclarator" && name && init && isTextLiteral(init) ? [[name, init]] : [];
  });
}

function findSentences(program: SyntaxNode, constants: Constants): string[] {
  const collectTexts = (by: (node: SyntaxNode) => SyntaxNode[]) =>
    listNodes(program)
      .flatMap(by)
      .flatMap((node) => resolveTexts(node, constants))
      .filter((text) => /\p{L}/u.test(text));
  return [
    ...collectTexts(findErrorTexts),
    ...collectTexts(findCheckTexts).filter((text) => PROBLEM_START.test(text)),
  ];
}

/** Functions that make an error from a sentence. */
const ERROR_FACTORIES = new Set(["forbidden", "tokenScopeExceeded", "tooMany"]);

function findErrorTexts(node: SyntaxNode): SyntaxNode[] {
  const argumentNodes = (node.arguments ?? []) as SyntaxNode[];
  const name = (node.callee as { name?: string } | undefined)?.name ?? "";
  if (node.type === "NewExpression" && name === "AppError") return argumentNodes.slice(1, 3);
  if (node.type === "NewExpression" && name === "InvalidInputError")
    return listPropertyValues(argumentNodes[0]);
  return node.type === "CallExpression" && ERROR_FACTORIES.has(name) ? argumentNodes : [];
}

/** The beginning of a field problem: "must be …", "is …". */
const PROBLEM_START = /^(must|is|are|needs|contains|can't|give|takes|was|has|at) /;

/** Schema checks that take a sentence as their last argument. */
const SCHEMA_CHECKS = new Set(
  "refine regex min max int string number boolean enum array union literal url email uuid object".split(" "),
);

function findCheckTexts(node: SyntaxNode): SyntaxNode[] {
  if (node.type === "ReturnStatement" && node.argument) return [node.argument as SyntaxNode];
  if (node.type === "ObjectProperty" && (node.key as { name?: string }).name === "message")
    return [node.value as SyntaxNode];
  const method = (node.callee as { property?: { name?: string } } | undefined)?.property?.name ?? "";
  return node.type === "CallExpression" && SCHEMA_CHECKS.has(method)
    ? ((node.arguments ?? []) as SyntaxNode[]).slice(-1)
    : [];
}

const listPropertyValues = (node: SyntaxNode | undefined): SyntaxNode[] =>
  ((node?.properties ?? []) as SyntaxNode[]).flatMap(({ value }) => (value ? [value as SyntaxNode] : []));

function resolveTexts(node: SyntaxNode, constants: Constants): string[] {
  if (node.type === "StringLiteral") return [String(node.value)];
  if (node.type === "TemplateLiteral") return [templateText(node)];
  if (node.type === "ConditionalExpression")
    return [node.consequent, node.alternate].flatMap((way) => resolveTexts(way as SyntaxNode, constants));
  const named = node.type === "Identifier" ? constants.get(String(node.name)) : undefined;
  return named ? resolveTexts(named, constants) : [];
}

const isTextLiteral = ({ type }: SyntaxNode) => type === "StringLiteral" || type === "TemplateLiteral";

const templateText = (node: SyntaxNode): string =>
  (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join("{}");
