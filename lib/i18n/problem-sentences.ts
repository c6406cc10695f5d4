import fs from "node:fs";
import path from "node:path";
import { parse } from "@babel/parser";

/**
 * Every sentence with which the sources under lib refuse something, for the test that each has its translations.
 * What a template puts in stands as `{}`.
 */

type Sentence = { file: string; text: string };

const ROOT = path.resolve(import.meta.dirname, "../..");

/** Refusals that only a program meets: of bodies and addresses that no form of ours makes. */
const FOR_PROGRAMS = [
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

export function problemSentences(): Sentence[] {
  const files = fs
    .readdirSync(path.join(ROOT, "lib"), { recursive: true, encoding: "utf8" })
    .map((name) => path.join("lib", name))
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .filter((file) => !FOR_PROGRAMS.some((one) => file.startsWith(one)));
  const programs = files.map((file) => ({ file, program: read(file) }));
  const shared = programs.flatMap(({ program }) =>
    constantsIn(program).filter(([name]) => /^[A-Z_]+$/.test(name)),
  );
  return programs.flatMap(({ file, program }) =>
    sentencesIn(program, new Map([...shared, ...constantsIn(program)])).map((text) => ({ file, text })),
  );
}

type Node = { type: string; [key: string]: unknown };
type Constants = ReadonlyMap<string, Node>;

const read = (file: string): Node =>
  parse(fs.readFileSync(path.join(ROOT, file), "utf8"), { sourceType: "module", plugins: ["typescript"] })
    .program as unknown as Node;

/** Sentences that stand under a name, such as `const FOR_THE_TEAM = "…"`; those in capitals are known everywhere. */
function constantsIn(program: Node): [string, Node][] {
  return nodesOf(program).flatMap((node): [string, Node][] => {
    const name = (node.id as { name?: string } | undefined)?.name;
    const init = node.init as Node | null | undefined;
    return node.type === "VariableDeclarator" && name && init && isText(init) ? [[name, init]] : [];
  });
}

function sentencesIn(program: Node, constants: Constants): string[] {
  const said = (by: (node: Node) => Node[]) =>
    nodesOf(program)
      .flatMap(by)
      .flatMap((node) => textsOf(node, constants))
      .filter((text) => /\p{L}/u.test(text));
  return [...said(refusedBy), ...said(checkedBy).filter((text) => PROBLEM.test(text))];
}

/** Functions that take a sentence and make an error of it. */
const REFUSALS = new Set(["forbidden", "beyondToken", "tooMany"]);

function refusedBy(node: Node): Node[] {
  const given = (node.arguments ?? []) as Node[];
  const name = (node.callee as { name?: string } | undefined)?.name ?? "";
  if (node.type === "NewExpression" && name === "AppError") return given.slice(1, 3);
  if (node.type === "NewExpression" && name === "InvalidInput") return valuesOf(given[0]);
  return node.type === "CallExpression" && REFUSALS.has(name) ? given : [];
}

/** The beginning of what is wrong with a field: "must be …", "is …". */
const PROBLEM = /^(must|is|are|needs|holds|can't|give|takes|was|has|at) /;

/** Checks of a schema, which take a sentence at their end. */
const CHECKS = new Set(
  "refine regex min max int string number boolean enum array union literal url email uuid object".split(" "),
);

function checkedBy(node: Node): Node[] {
  if (node.type === "ReturnStatement" && node.argument) return [node.argument as Node];
  if (node.type === "ObjectProperty" && (node.key as { name?: string }).name === "message")
    return [node.value as Node];
  const method = (node.callee as { property?: { name?: string } } | undefined)?.property?.name ?? "";
  return node.type === "CallExpression" && CHECKS.has(method)
    ? ((node.arguments ?? []) as Node[]).slice(-1)
    : [];
}

const valuesOf = (node: Node | undefined): Node[] =>
  ((node?.properties ?? []) as Node[]).flatMap(({ value }) => (value ? [value as Node] : []));

function textsOf(node: Node, constants: Constants): string[] {
  if (node.type === "StringLiteral") return [String(node.value)];
  if (node.type === "TemplateLiteral") return [rawOf(node)];
  if (node.type === "ConditionalExpression")
    return [node.consequent, node.alternate].flatMap((way) => textsOf(way as Node, constants));
  const named = node.type === "Identifier" ? constants.get(String(node.name)) : undefined;
  return named ? textsOf(named, constants) : [];
}

const isText = ({ type }: Node) => type === "StringLiteral" || type === "TemplateLiteral";

const rawOf = (node: Node): string =>
  (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join("{}");

function nodesOf(node: Node): Node[] {
  const below = Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );
  return [node, ...below.flatMap(nodesOf)];
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";
