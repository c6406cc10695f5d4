import { SyntaxKind as Kind } from "typescript/unstable/ast";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { listNodes, describeLocation, type Node, type Sources } from "./sources.ts";

/**
 * Computes the texts that an SQL expression can have, from the source alone: it inlines fragments, and takes each
 * branch of a condition that is decided at run time. Values other than SQL stay parameters.
 */

/** A value that is only known at run time. */
class Unknown {
  readonly node: Node | undefined;
  constructor(node?: Node) {
    this.node = node;
  }
}

/** The evaluation needs an exported constant, whose module must be loaded first. */
export class ModuleNeeded extends Error {
  readonly file: string;
  constructor(file: string) {
    super(`load ${file}`);
    this.file = file;
  }
}
/** The branch throws, so it produces no statement. */
class Abandoned extends Error {}

/** Values of parameters, by the declaration of their name. */
type Scope = Map<Node, unknown>;
type Modules = Map<string, Record<string, unknown>>;

/** Chooses the branch at each fork: the first one, unless another one is to be tried. */
export class Forks {
  readonly #chosen: Map<string, number>;
  readonly seen = new Map<string, number>();
  readonly #literals = new Map<string, string[]>();
  constructor(chosen: Map<string, number> = new Map()) {
    this.#chosen = chosen;
  }
  choose(key: string, count: number): number {
    this.seen.set(key, count);
    return this.#chosen.get(key) ?? 0;
  }
  /** Chooses one of a few texts for a name; the same one where conditions have narrowed its type in the meantime. */
  chooseLiteral(name: string, literals: string[]): string {
    const earlier = this.#literals.get(name)?.find((one) => literals.includes(one));
    if (earlier !== undefined) return earlier;
    const chosen = literals[this.choose(`${name}: ${literals.join(" | ")}`, literals.length)] as string;
    this.#literals.set(name, [...(this.#literals.get(name) ?? []), chosen]);
    return chosen;
  }
}

type Context = { sources: Sources; modules: Modules; forks: Forks; visited: Set<Node> };

/**
 * Evaluates an SQL expression in all its variants; a text that depends on anything but forks has none. @throws
 * ModuleNeeded
 */
export function evaluateSql(
  node: Node,
  { sources, modules, visited }: Omit<Context, "forks">,
): (Prisma.Sql | string)[] {
  const results: (Prisma.Sql | string)[] = [];
  const queue: Map<string, number>[] = [new Map()];
  const known = new Set<string>();
  for (let chosen = queue.shift(); chosen; chosen = queue.shift()) {
    const forks = new Forks(chosen);
    try {
      const value = new Evaluator({ sources, modules, forks, visited }).evaluate(node, new Map());
      if (isSql(value) || typeof value === "string") results.push(value);
    } catch (error) {
      if (!(error instanceof Abandoned)) throw error;
    }
    for (const [key, count] of forks.seen) {
      if (known.has(key)) continue;
      known.add(key);
      for (let way = 1; way < count; way += 1) queue.push(new Map([...chosen, [key, way]]));
    }
  }
  return results;
}

const isSql = (value: unknown): value is Prisma.Sql => value instanceof Prisma.Sql;
const describe = (node: Node) => `${describeLocation(node)} ${node.getText().slice(0, 80)}`;
const PARAMETER = Symbol("parameter");
/** Marks an object that has more members than are known. */
const OPEN = Symbol("open");

/** Marks a list whose length is only known at run time; its element stands for all of them. */
const openList = (items: unknown[]) => Object.assign(items, { [OPEN]: true });

const memberOf = (object: any, name: string): unknown =>
  object[OPEN] && (!(name in object) || name === "length") ? new Unknown() : object[name];

class Evaluator {
  readonly #context: Context;
  constructor(context: Context) {
    this.#context = context;
  }

  evaluate(node: any, scope: Scope): unknown {
    switch (node.kind) {
      case Kind.ParenthesizedExpression:
      case Kind.AsExpression:
      case Kind.SatisfiesExpression:
      case Kind.NonNullExpression:
      case Kind.AwaitExpression:
        return this.evaluate(node.expression, scope);
      case Kind.StringLiteral:
      case Kind.NoSubstitutionTemplateLiteral:
        return node.text;
      case Kind.NumericLiteral:
        return Number(node.text);
      case Kind.TrueKeyword:
        return true;
      case Kind.FalseKeyword:
        return false;
      case Kind.NullKeyword:
        return null;
      case Kind.TaggedTemplateExpression:
        return this.#sqlTemplate(node, scope);
      case Kind.TemplateExpression:
        return this.#text(node, scope);
      case Kind.Identifier:
        return node.text === "undefined" ? undefined : this.#identifier(node, scope);
      case Kind.PropertyAccessExpression:
        return this.#member(node, node.expression, () => node.name.text, scope);
      case Kind.ElementAccessExpression:
        return this.#member(node, node.expression, () => this.#known(node.argumentExpression, scope), scope);
      case Kind.ConditionalExpression:
        return this.evaluate(this.#test(node.condition, scope) ? node.whenTrue : node.whenFalse, scope);
      case Kind.BinaryExpression:
        return this.#binary(node, scope);
      case Kind.PrefixUnaryExpression:
        return this.#negation(node, scope);
      case Kind.ArrayLiteralExpression:
        return this.#array(node, scope);
      case Kind.ObjectLiteralExpression:
        return this.#object(node, scope);
      case Kind.ArrowFunction:
      case Kind.FunctionExpression:
        return this.#closure(node, scope);
      case Kind.CallExpression:
        return this.#call(node, scope);
      default:
        return new Unknown(node);
    }
  }

  #sqlTemplate(node: any, scope: Scope): unknown {
    if (!/^Prisma\.sql$|\.\$(queryRaw|executeRaw)$/.test(node.tag.getText())) return new Unknown(node);
    this.#context.visited.add(node);
    const { template } = node;
    if (template.kind === Kind.NoSubstitutionTemplateLiteral) return Prisma.sql([template.text]);
    const strings = [template.head.text, ...template.templateSpans.map((span: any) => span.literal.text)];
    const values = template.templateSpans.map((span: any) => this.#placeholder(span.expression, scope));
    return Prisma.sql(strings, ...values);
  }

  #placeholder(node: Node, scope: Scope): unknown {
    if (!/\bSql\b/.test(this.#context.sources.typeTextOf(node))) return PARAMETER;
    const value = this.evaluate(node, scope);
    if (!isSql(value)) throw new Error(`can't tell which SQL this is: ${describe(node)}`);
    return value;
  }

  #text(node: any, scope: Scope): unknown {
    let text = node.head.text as string;
    for (const span of node.templateSpans) {
      const value = this.#known(span.expression, scope);
      if (value instanceof Unknown) return new Unknown(node);
      text += `${String(value)}${span.literal.text}`;
    }
    return text;
  }

  /** A value, chosen among those of its type where it is one of a few texts; the same one wherever it has that name. */
  #known(node: any, scope: Scope): unknown {
    if (node.kind === Kind.AsExpression) return this.#known(node.expression, scope);
    const value = this.evaluate(node, scope);
    if (!(value instanceof Unknown)) return value;
    const literals = this.#context.sources.literalsOf(node);
    return literals ? this.#context.forks.chooseLiteral(node.name?.text ?? node.getText(), literals) : value;
  }

  #choose = (node: Node, count: number, key = node.getText()) =>
    this.#context.forks.choose(
      `${node.getSourceFile().fileName}:${functionOf(node)?.pos ?? 0}:${key}`,
      count,
    );

  /** Whether a condition holds; a fork where that is only known at run time. */
  #test(node: any, scope: Scope): boolean {
    if (node.kind === Kind.ParenthesizedExpression) return this.#test(node.expression, scope);
    if (node.kind === Kind.PrefixUnaryExpression && node.operator === Kind.ExclamationToken)
      return !this.#test(node.operand, scope);
    if (node.kind === Kind.BinaryExpression) {
      const operator = node.operatorToken.kind;
      if (operator === Kind.AmpersandAmpersandToken)
        return this.#test(node.left, scope) && this.#test(node.right, scope);
      if (operator === Kind.BarBarToken) return this.#test(node.left, scope) || this.#test(node.right, scope);
    }
    const value = this.evaluate(node, scope);
    return value instanceof Unknown ? this.#choose(node, 2) === 0 : Boolean(value);
  }

  #binary(node: any, scope: Scope): unknown {
    const operator = node.operatorToken.kind;
    if (operator === Kind.QuestionQuestionToken) {
      const left = this.evaluate(node.left, scope);
      if (left instanceof Unknown) {
        const isLeft = this.#choose(node.left, 2) === 0;
        return isLeft ? left : this.evaluate(node.right, scope);
      }
      return left ?? this.evaluate(node.right, scope);
    }
    if (operator === Kind.AmpersandAmpersandToken)
      return this.#test(node.left, scope) ? this.evaluate(node.right, scope) : false;
    if (operator === Kind.BarBarToken) {
      const left = this.evaluate(node.left, scope);
      return left instanceof Unknown || left ? left : this.evaluate(node.right, scope);
    }
    const left = this.#known(node.left, scope);
    const right = this.#known(node.right, scope);
    if (left instanceof Unknown || right instanceof Unknown) return new Unknown(node);
    if (operator === Kind.EqualsEqualsEqualsToken) return left === right;
    if (operator === Kind.ExclamationEqualsEqualsToken) return left !== right;
    if (operator === Kind.PlusToken) return (left as string) + (right as string);
    if (operator === Kind.LessThanToken) return (left as number) < (right as number);
    if (operator === Kind.GreaterThanToken) return (left as number) > (right as number);
    return new Unknown(node);
  }

  #negation(node: any, scope: Scope): unknown {
    if (node.operator !== Kind.ExclamationToken) return new Unknown(node);
    const value = this.evaluate(node.operand, scope);
    return value instanceof Unknown ? new Unknown(node) : !value;
  }

  #member(node: any, of: Node, name: () => unknown, scope: Scope): unknown {
    if (node.getText() === "Prisma.empty") return Prisma.empty;
    const object = this.evaluate(of, scope);
    if (object instanceof Unknown) return new Unknown(node);
    if (object === undefined || object === null) return undefined;
    const key = name();
    if (!(key instanceof Unknown)) return this.#absentSql(memberOf(object, key as string), node);
    const values = Object.values(object as object);
    return values[this.#choose(node, values.length)];
  }

  #array(node: any, scope: Scope): unknown {
    const items: unknown[] = [];
    for (const element of node.elements) {
      if (element.kind !== Kind.SpreadElement) items.push(this.evaluate(element, scope));
      else {
        const included = this.evaluate(element.expression, scope);
        if (included instanceof Unknown) return new Unknown(node);
        items.push(...(included as unknown[]));
      }
    }
    return items;
  }

  /** Members that are only known at run time make the others no less known. */
  #object(node: any, scope: Scope): unknown {
    const object: Record<string, unknown> = {};
    for (const property of node.properties) {
      if (property.kind === Kind.SpreadAssignment) {
        const included = this.evaluate(property.expression, scope);
        Object.assign(object, included instanceof Unknown ? { [OPEN]: true } : included);
      } else if (property.kind === Kind.ShorthandPropertyAssignment)
        object[property.name.text] = this.#identifier(property.name, scope);
      else if (property.kind === Kind.PropertyAssignment)
        object[property.name.text] = this.evaluate(property.initializer, scope);
      else return new Unknown(node);
    }
    return object;
  }

  #closure =
    (node: any, scope: Scope) =>
    (...given: unknown[]): unknown => {
      const inner: Scope = new Map(scope);
      for (const [index, parameter] of node.parameters.entries()) inner.set(parameter, given[index]);
      if (node.body.kind !== Kind.Block) return this.evaluate(node.body, inner);
      const returned = this.#block(node.body.statements, inner);
      return returned?.value;
    };

  #block(statements: readonly any[], scope: Scope): { value: unknown } | undefined {
    for (const statement of statements) {
      if (statement.kind === Kind.ReturnStatement)
        return { value: statement.expression ? this.evaluate(statement.expression, scope) : undefined };
      if (statement.kind === Kind.ThrowStatement) throw new Abandoned();
      const returned = this.#block(this.#inner(statement, scope), scope);
      if (returned) return returned;
    }
    return undefined;
  }

  /** The statements within a statement that run. */
  #inner(statement: any, scope: Scope): readonly Node[] {
    if (statement.kind === Kind.Block) return statement.statements;
    if (statement.kind === Kind.IfStatement) {
      // A branch that throws produces no statement.
      if (!statement.elseStatement && doesThrow(statement.thenStatement)) return [];
      const isTrue = this.#test(statement.expression, scope);
      return [isTrue ? statement.thenStatement : statement.elseStatement].filter(Boolean);
    }
    if (statement.kind === Kind.TryStatement) return statement.tryBlock.statements;
    if (statement.kind !== Kind.SwitchStatement) return [];
    const { clauses } = statement.caseBlock;
    const value = this.#known(statement.expression, scope);
    if (value instanceof Unknown)
      return clauses[this.#choose(statement.expression, clauses.length)].statements;
    const isDefault = ({ kind }: Node) => kind === Kind.DefaultClause;
    const matches = (clause: any) => !isDefault(clause) && this.evaluate(clause.expression, scope) === value;
    return (clauses.find(matches) ?? clauses.find(isDefault))?.statements ?? [];
  }

  #identifier(node: any, scope: Scope): unknown {
    const declared = this.#context.sources.declarationOf(node);
    if (!declared) return new Unknown(node);
    const value = this.#declared(declared.node, scope);
    return value instanceof Unknown ? new Unknown(node) : value;
  }

  #declared(declaration: any, scope: Scope): unknown {
    if (scope.has(declaration)) return scope.get(declaration);
    switch (declaration.kind) {
      case Kind.FunctionDeclaration:
        // An overload or a library's function has no body.
        return declaration.body ? this.#closure(declaration, new Map()) : new Unknown();
      case Kind.VariableDeclaration:
        return this.#variable(declaration, scope);
      case Kind.BindingElement:
        return this.#bound(declaration, scope);
      case Kind.Parameter:
        return this.#parameter(declaration);
      default:
        return new Unknown();
    }
  }

  #variable(declaration: any, scope: Scope): unknown {
    if (!declaration.initializer) return new Unknown();
    const exported = this.#exported(declaration);
    if (exported) return exported.value;
    const value = this.evaluate(declaration.initializer, scope);
    if (!Array.isArray(value)) return value;
    const items = [...value, ...this.#pushed(declaration, scope)];
    return OPEN in value ? openList(items) : items;
  }

  /** A constant of a module that is no SQL, or SQL from a text: as it is at run time. */
  #exported(declaration: any): { value: unknown } | undefined {
    const statement = declaration.parent.parent;
    if (!statement.modifiers?.some(({ kind }: Node) => kind === Kind.ExportKeyword)) return undefined;
    const { initializer } = declaration;
    if ([Kind.ArrowFunction, Kind.FunctionExpression].includes(initializer.kind)) return undefined;
    const isRaw = initializer.getText().startsWith("Prisma.raw(");
    if (!isRaw && /\bSql\b/.test(this.#context.sources.typeTextOf(declaration.name))) return undefined;
    const file = declaration.getSourceFile().fileName;
    const loaded = this.#context.modules.get(file);
    if (!loaded) throw new ModuleNeeded(file);
    return { value: loaded[declaration.name.text] };
  }

  /** Elements that are pushed to a list, unless it is known that they aren't. */
  #pushed(declaration: any, scope: Scope): unknown[] {
    const owner = functionOf(declaration);
    if (!owner) return [];
    const start = `${declaration.name.text}.push(`;
    return listNodes(owner)
      .filter((node: any) => node.kind === Kind.CallExpression && node.getText().startsWith(start))
      .filter((call) => this.#mayRun(call, owner, scope))
      .flatMap((call: any) => call.arguments.map((one: Node) => this.evaluate(one, scope)));
  }

  #mayRun(call: Node, owner: Node, scope: Scope): boolean {
    for (let above: any = call; above !== owner; above = above.parent)
      if (above.kind === Kind.IfStatement && !this.evaluate(above.expression, scope)) return false;
    return true;
  }

  #bound(element: any, scope: Scope): unknown {
    const pattern = element.parent;
    const owner = pattern.parent;
    const whole =
      owner.kind === Kind.BindingElement || owner.kind === Kind.Parameter
        ? this.#declared(owner, scope)
        : owner.initializer
          ? this.evaluate(owner.initializer, scope)
          : new Unknown();
    if (whole instanceof Unknown || whole === undefined || whole === null) return whole;
    if (pattern.kind === Kind.ArrayBindingPattern)
      return (whole as unknown[])[pattern.elements.indexOf(element)];
    if (element.dotDotDotToken) {
      const taken = pattern.elements.map((one: any) => (one.propertyName ?? one.name).text);
      const others = Object.entries(whole).filter(([name]) => !taken.includes(name));
      return { ...Object.fromEntries(others), ...((whole as any)[OPEN] && { [OPEN]: true }) };
    }
    const value = this.#absentSql(memberOf(whole, (element.propertyName ?? element.name).text), element.name);
    return value === undefined && element.initializer ? this.evaluate(element.initializer, scope) : value;
  }

  /** Returns undefined for optional SQL that is only known at run time: nothing in the source makes it. */
  #absentSql(value: unknown, node: Node): unknown {
    const isMissing =
      value instanceof Unknown && /\bSql \| undefined/.test(this.#context.sources.typeTextOf(node));
    return isMissing ? undefined : value;
  }

  /** A parameter that holds SQL: what one of the callers passes. Any other one is known at run time only. */
  #parameter(parameter: any): unknown {
    if (!this.#mayHoldSql(parameter)) return new Unknown();
    const owner = parameter.parent;
    const calls = this.#callsOf(owner);
    if (calls.length === 0) return new Unknown();
    const call: any = calls[this.#choose(owner.body, calls.length, "caller")];
    const argument = call.arguments[owner.parameters.indexOf(parameter)];
    if (argument) return this.evaluate(argument, new Map());
    return parameter.initializer ? this.evaluate(parameter.initializer, new Map()) : undefined;
  }

  #mayHoldSql(parameter: any): boolean {
    const type = this.#context.sources.typeOf(parameter.name);
    return Boolean(type && this.#context.sources.holdsSql(type));
  }

  #callsOf(owner: any): Node[] {
    const { sources } = this.#context;
    const name =
      owner.name ?? (owner.parent.kind === Kind.VariableDeclaration ? owner.parent.name : undefined);
    if (name) {
      const declared = sources.declarationOf(name);
      return declared ? sources.callsOf(declared.symbol) : [];
    }
    // A function that is passed on is called where its receiver calls the parameter.
    const call = owner.parent;
    if (call.kind !== Kind.CallExpression) return [];
    const receiver: any = sources.declarationOf(call.expression)?.node;
    const received = (receiver?.initializer ?? receiver)?.parameters?.[call.arguments.indexOf(owner)];
    const declared = received && sources.declarationOf(received.name);
    return declared ? sources.callsOf(declared.symbol) : [];
  }

  #call(node: any, scope: Scope): unknown {
    const callee = node.expression;
    const text = callee.getText();
    const args = () => node.arguments.map((one: Node) => this.evaluate(one, scope));
    if (text === "Prisma.raw") return this.#raw(node.arguments[0], scope);
    if (text === "Prisma.join") return this.#joined(args());
    if (/^Object\.(entries|values|keys)$/.test(text))
      return this.#ofObject(callee.name.text, args()[0], node);
    if (callee.kind === Kind.PropertyAccessExpression) return this.#method(node, callee, args, scope);
    const called = this.evaluate(callee, scope);
    return typeof called === "function" ? called(...args()) : new Unknown(node);
  }

  #raw(node: Node, scope: Scope): unknown {
    const text = this.#known(node, scope);
    if (text instanceof Unknown) throw new Error(`can't tell the text: ${describe(node)}`);
    return Prisma.raw(String(text));
  }

  #joined([parts, ...others]: unknown[]): unknown {
    if (!Array.isArray(parts)) return new Unknown();
    const known = parts.map((part) => (part instanceof Unknown ? PARAMETER : part));
    return known.length > 0 ? Prisma.join(known, ...(others as string[])) : Prisma.empty;
  }

  #ofObject(method: string, object: unknown, node: Node): unknown {
    const isKnown = !(object instanceof Unknown) && !(object as any)[OPEN];
    return isKnown ? (Object as any)[method](object) : new Unknown(node);
  }

  #method(node: any, callee: any, args: () => unknown[], scope: Scope): unknown {
    const name = callee.name.text;
    const object: any = this.evaluate(callee.expression, scope);
    if (object instanceof Unknown) {
      const [first] = name === "map" || name === "flatMap" ? args() : [];
      return typeof first === "function" ? openList([first(new Unknown(), 0)].flat()) : new Unknown(node);
    }
    const given = args();
    if (typeof object?.[name] !== "function" || given.some((one) => one instanceof Unknown))
      return new Unknown(node);
    const result = object[name](...given);
    return result;
  }
}

const doesThrow = (statement: any): boolean =>
  statement.kind === Kind.ThrowStatement ||
  (statement.kind === Kind.Block && statement.statements.at(-1)?.kind === Kind.ThrowStatement);

function functionOf(node: any): Node | undefined {
  for (let above = node.parent; above; above = above.parent)
    if ([Kind.ArrowFunction, Kind.FunctionDeclaration, Kind.FunctionExpression].includes(above.kind))
      return above;
  return undefined;
}
