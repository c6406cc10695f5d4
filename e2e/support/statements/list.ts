import { SyntaxKind as Kind } from "typescript/unstable/ast";
import { TypeFlags } from "typescript/unstable/sync";
import type { Prisma } from "#lib/generated/prisma/client.ts";
import { evaluateSql, ModuleNeeded } from "./evaluate.ts";
import { listSampleTexts, SAMPLED_LOCATION_PATTERN } from "./samples.ts";
import {
  findDeclarationPlace,
  listNodes,
  openSources,
  describeLocation,
  type Node,
  type Sources,
  type Type,
} from "./sources.ts";

/** A place in `lib` that sends SQL: the texts that it can have, and the row type that its caller expects. */
export type Statement = { location: string; texts: string[]; columns: Column[] | undefined };
/** @property unreached the declarations with templates that belong to no statement */
export type ListedStatements = { statements: Statement[]; unreached: string[] };
/** @property kinds of values: `string`, `Date`, `null`, and so on; `undefined` where the column may be left out */
export type Column = { name: string; kinds: string[] };

/**
 * Lists the statements of `lib` and the samples, and the declarations with templates that belong to none of them.
 * @param isListed whether the statements of a file are listed; by default those of all files
 */
export async function listStatements(
  isListed: (file: string) => boolean = () => true,
): Promise<ListedStatements> {
  const sources = openSources();
  const context = { sources, modules: new Map<string, Record<string, unknown>>(), visited: new Set<Node>() };
  try {
    const nodes = sources.files
      .filter(
        ({ fileName, text }) =>
          isListed(fileName) && /\$queryRaw|\$executeRaw|Prisma\.sql|\.query\b/.test(text),
      )
      .flatMap(listNodes);
    const statements: Statement[] = [];
    for (const root of nodes.flatMap((node) => toRoot(sources, node))) {
      const texts = await retryWithModules(context.modules, () => evaluateSql(root.sql, context));
      statements.push({
        location: describeLocation(root.node),
        texts: [...new Set(texts.map((text) => (typeof text === "string" ? text : numberParameters(text))))],
        columns: root.row && listColumns(sources, root.row),
      });
    }
    const samples = listSampleTexts();
    for (const { inputs, text } of samples)
      statements.push({ location: `a list with ${inputs}`, texts: [text], columns: undefined });
    const unreached = nodes
      .filter(
        (node: any) => node.kind === Kind.TaggedTemplateExpression && node.tag.getText() === "Prisma.sql",
      )
      .filter((node) => !context.visited.has(node))
      .filter((node) => !isSampled(node, samples))
      .map(findDeclarationPlace);
    return { statements, unreached: [...new Set(unreached)] };
  } finally {
    sources.close();
  }
}

const isSampled = (node: Node, samples: { text: string }[]): boolean =>
  SAMPLED_LOCATION_PATTERN.test(describeLocation(node)) &&
  samples.some(({ text }) => containsTemplate(text, node));

/** Whether a text has all pieces of a template, in their order. */
function containsTemplate(text: string, { template }: any): boolean {
  const pieces: string[] =
    template.kind === Kind.NoSubstitutionTemplateLiteral
      ? [template.text]
      : [template.head.text, ...template.templateSpans.map((span: any) => span.literal.text)];
  let from = 0;
  return pieces.every((piece) => {
    const at = text.indexOf(piece, from);
    from = at + piece.length;
    return at >= 0;
  });
}

type Root = { node: Node; sql: Node; row?: Node };

function toRoot(sources: Sources, node: any): Root[] {
  if (node.kind === Kind.TaggedTemplateExpression && /\.\$(queryRaw|executeRaw)$/.test(node.tag.getText()))
    return [{ node, sql: node, row: node.typeArguments?.[0] }];
  if (node.kind !== Kind.CallExpression) return [];
  const name = node.expression.name?.text ?? node.expression.text;
  const root = { node, sql: node.arguments[0], row: node.typeArguments?.[0] };
  // The statement inside queryWithCustomPlan is its parameter; each call of it is listed instead.
  if (/^\$(queryRaw|executeRaw)$/.test(name)) return isWithin("queryWithCustomPlan", node) ? [] : [root];
  if (name === "queryWithCustomPlan") return [root];
  if (
    name !== "query" ||
    !node.expression.name ||
    !/Client|Pool/.test(sources.typeTextOf(node.expression.expression))
  )
    return [];
  const declaration: any = root.sql.kind === Kind.Identifier && sources.declarationOf(root.sql)?.node;
  // `const { text, values } = …`
  const whole = declaration?.kind === Kind.BindingElement && declaration.parent.parent.initializer;
  return [whole ? { ...root, sql: whole } : root];
}

async function retryWithModules<T>(
  modules: Map<string, Record<string, unknown>>,
  evaluate: () => T,
): Promise<T> {
  for (;;) {
    try {
      return evaluate();
    } catch (error) {
      if (!(error instanceof ModuleNeeded)) throw error;
      modules.set(error.file, (await import(error.file)) as Record<string, unknown>);
    }
  }
}

const numberParameters = ({ strings }: Prisma.Sql): string =>
  strings.reduce((text, string, index) => `${text}$${index}${string}`);

/** Undefined for rows whose columns don't matter. */
function listColumns({ checker }: Sources, row: Node): Column[] | undefined {
  const type = checker.getTypeFromTypeNode(row as never)!;
  const element = checker.isArrayType(type) ? checker.getTypeArguments(type as never)[0]! : type;
  if (element.flags & TypeFlags.Unknown) return undefined;
  return checker.getPropertiesOfType(element).map((property) => ({
    name: property.name,
    kinds: listKinds(checker, checker.getTypeOfSymbol(property)!),
  }));
}

/** The kinds of values that a type allows. */
function listKinds(checker: Sources["checker"], type: Type): string[] {
  if (type.isUnionType()) return [...new Set(type.getTypes().flatMap((one) => listKinds(checker, one)))];
  const primitive = PRIMITIVES.find(([flag]) => type.flags & flag);
  if (primitive) return [primitive[1]];
  if (checker.isArrayType(type))
    return listKinds(checker, checker.getTypeArguments(type as never)[0]!).map((kind) => `${kind}[]`);
  const name = type.getSymbol()?.name ?? "";
  return [OBJECTS[name] ?? "json"];
}

const PRIMITIVES: [number, string][] = [
  [TypeFlags.Any | TypeFlags.Unknown, "unknown"],
  [TypeFlags.StringLike, "string"],
  [TypeFlags.NumberLike, "number"],
  [TypeFlags.BigIntLike, "bigint"],
  [TypeFlags.BooleanLike, "boolean"],
  [TypeFlags.Null, "null"],
  [TypeFlags.Undefined, "undefined"],
];
const OBJECTS: Record<string, string> = {
  Date: "Date",
  Uint8Array: "bytes",
  Buffer: "bytes",
  Decimal: "Decimal",
};

function isWithin(name: string, node: any): boolean {
  for (let above = node.parent; above; above = above.parent)
    if (above.kind === Kind.VariableDeclaration && above.name.text === name) return true;
  return false;
}
