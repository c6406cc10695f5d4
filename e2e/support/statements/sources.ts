import path from "node:path";
import { type Node, SyntaxKind } from "typescript/unstable/ast";
import { API, type Symbol as TypeSymbol, type Type } from "typescript/unstable/sync";

/** The sources of `lib` with their types, for reading statements and the types of their rows. */

const ROOT = path.resolve(import.meta.dirname, "../../..");

/** Only `lib` and what it imports: the types of the whole tree take half as long again. */
const PROJECT = path.join(import.meta.dirname, "tsconfig.lib.json");

export type Sources = ReturnType<typeof openSources>;

export function openSources() {
  const api = new API({ cwd: ROOT });
  const [project] = api.updateSnapshot({ openProjects: [PROJECT] }).getProjects();
  if (!project) throw new Error(`${PROJECT} has no project`);
  const { checker, program } = project;
  const files = program
    .getSourceFileNames()
    .filter(
      (name) => name.startsWith(path.join(ROOT, "lib/")) && !/\/generated\/|\.test\.ts$|\.d\.ts$/.test(name),
    )
    .map((name) => program.getSourceFile(name)!);
  function followAlias(symbol: TypeSymbol): TypeSymbol {
    return symbol.flags & ALIAS ? checker.getAliasedSymbol(symbol) : symbol;
  }
  const callsByCallee = new Map<number, Node[]>();
  const sqlByType = new Map<string, boolean>();

  function mayHoldSql(type: Type, depth: number): boolean {
    const text = checker.typeToString(type);
    if (/\bSql\b/.test(text)) return true;
    if (depth === 0 || /\[\]$|^(string|number|Date|boolean|"|SqlClient|Actor\b)/.test(text)) return false;
    return checker.getPropertiesOfType(type).some((property) => {
      const of = checker.getTypeOfSymbol(property);
      return of && holdsSql(of, depth - 1);
    });
  }
  /** Whether a type is SQL, or has it in a member, or in a member of one. */
  function holdsSql(type: Type, depth = 2): boolean {
    const key = `${type.id}:${depth}`;
    const known = sqlByType.get(key) ?? mayHoldSql(type, depth);
    sqlByType.set(key, known);
    return known;
  }

  return {
    checker,
    files,
    close: () => api.close(),
    /** Lists the calls of a function, by the symbol of its name, including calls through a namespace import. */
    callsOf(symbol: TypeSymbol): Node[] {
      const known = callsByCallee.get(symbol.id);
      if (known) return known;
      const calls = files
        .filter(({ text }) => text.includes(`${symbol.name}(`))
        .flatMap(listNodes)
        .filter(
          (node: any) => node.kind === SyntaxKind.CallExpression && calleeNameOf(node)?.text === symbol.name,
        )
        .filter((call: any) => {
          const callee = checker.getSymbolAtLocation(calleeNameOf(call));
          return callee && followAlias(callee).id === symbol.id;
        });
      callsByCallee.set(symbol.id, calls);
      return calls;
    },
    declarationOf: remember((identifier: Node): { symbol: TypeSymbol; node: Node } | undefined => {
      const found =
        identifier.parent.kind === SyntaxKind.ShorthandPropertyAssignment
          ? checker.getShorthandAssignmentValueSymbol(identifier.parent)
          : checker.getSymbolAtLocation(identifier);
      const symbol = found && followAlias(found);
      const node = symbol?.valueDeclaration?.resolve();
      return symbol && node ? { symbol, node } : undefined;
    }),
    holdsSql,
    typeOf: remember((node: Node) => checker.getTypeAtLocation(node)),
    typeTextOf: remember((node: Node): string => {
      const type = checker.getTypeAtLocation(node);
      return type ? checker.typeToString(type) : "";
    }),
    /** Lists the texts that an expression can be, where its type has literals. */
    literalsOf: remember((node: Node): string[] | undefined => {
      const type = checker.getTypeAtLocation(node);
      const members = type?.isUnionType() ? type.getTypes() : [type];
      const texts = members.flatMap((one) => (one?.isStringLiteralType() ? one.value : []));
      return texts.length === members.length ? texts : undefined;
    }),
  };
}

/** Caches the result for each node, since the type checker is a separate process. */
function remember<T>(find: (node: Node) => T): (node: Node) => T {
  const found = new Map<Node, T>();
  return (node) => {
    if (!found.has(node)) found.set(node, find(node));
    return found.get(node) as T;
  };
}

const ALIAS = 1 << 21;

export function listNodes(node: Node): Node[] {
  const nodes: Node[] = [node];
  node.forEachChild((child) => void nodes.push(...listNodes(child)));
  return nodes;
}

export function describeLocation(node: Node): string {
  const file = node.getSourceFile();
  const line = file.text.slice(0, node.getStart(file)).split("\n").length;
  return `${path.relative(ROOT, file.fileName)}:${line}`;
}

/** Returns the file of a node, and the name of the declaration that contains it. */
export function findDeclarationPlace(node: any): string {
  const file = node.getSourceFile();
  let statement = node;
  while (statement.parent !== file) statement = statement.parent;
  const { name } = statement.declarationList?.declarations[0] ?? statement;
  return `${path.relative(ROOT, file.fileName)}: ${name.text}`;
}

export type { Node, Type };

/** Returns the name of the called function: `load` in `load(…)` and in `queries.load(…)`. */
const calleeNameOf = ({ expression }: any) =>
  expression.kind === SyntaxKind.PropertyAccessExpression ? expression.name : expression;
