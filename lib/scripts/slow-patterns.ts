import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parse } from "@babel/parser";
import { check } from "recheck";
import { listSyntaxNodes, type SyntaxNode } from "#lib/syntax-tree.ts";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";

/**
 * Finds regular expressions whose running time grows faster than their input: a single request with a suitable text
 * could block a process for seconds. Expressions that can't be judged in time count as slow.
 */

/** `source` and `flags` as in the program; `flags` is missing for an expression that is built at runtime. */
type RegexPattern = { file: string; line: number; source: string; flags?: string };

/** Expressions built at runtime, which can't be checked in advance, and why each is safe. */
const DYNAMIC_PATTERNS: { file: string; source: string; because: string }[] = [
  {
    file: "lib/files/cleaning/ooxml-vocabulary.ts",
    source: '`^${start}(${names.join("|")})(\\\\+xml)?$`',
    because: "Names of our own from its start to its end, without a repetition.",
  },
];

const FOLDERS = ["app", "components", "lib"];
/**
 * Limits of the check of one expression. Only the whole check has a time limit, in milliseconds. The limits of its
 * phases count steps, so that the verdict doesn't depend on how busy the machine is.
 */
const CHECK_LIMITS = { timeout: 120_000, attackTimeout: null, incubationTimeout: null, seedingTimeout: null };

/** Returns every regular expression in the code that the service runs. */
export const listRegexPatternsInSources = (): RegexPattern[] =>
  readSources().flatMap(({ file, program }) => listRegexPatternsInFile(file, program));

/** Finds Unicode normalization outside `unicode.ts`: it takes quadratic time in the number of combining marks. */
export const listUnicodeNormalizationsInSources = (): string[] =>
  readSources()
    .filter(({ file }) => file !== "lib/design/unicode.ts" && !file.startsWith("lib/demo/"))
    // Parsing the others would take a second.
    .filter(({ program }) => program.includes("normalize"))
    .flatMap(({ file, program }) => listUnicodeNormalizationsInFile(file, program));

export const listUnicodeNormalizationsInFile = (file: string, program: string): string[] =>
  parseNodes(file, program)
    .filter(isNormalization)
    .map(({ loc }) => `${file}:${loc.start.line}`);

function isNormalization({ type, callee, arguments: given }: LocatedNode): boolean {
  const isCall = type === "CallExpression" || type === "OptionalCallExpression";
  const name = (callee as { property?: { name?: string } } | undefined)?.property?.name;
  const form = (given as { value?: unknown }[] | undefined)?.[0];
  return isCall && name === "normalize" && (!form || /^NFK?[CD]$/.test(String(form.value)));
}

function readSources(): { file: string; program: string }[] {
  const files = FOLDERS.flatMap((folder) =>
    fs
      .readdirSync(path.join(PROJECT_ROOT, folder), { recursive: true, encoding: "utf8" })
      .map((name) => path.join(folder, name)),
  );
  return files
    .filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !/\.(test|d)\.tsx?$/.test(file))
    .filter((file) => !file.startsWith(path.join("lib", "generated")))
    .map((file) => ({ file, program: fs.readFileSync(path.join(PROJECT_ROOT, file), "utf8") }));
}

/** Returns the regular expressions of one program: literals, and calls of `RegExp`. */
export const listRegexPatternsInFile = (file: string, program: string): RegexPattern[] =>
  parseNodes(file, program).flatMap((node) => extractPatterns(file, program, node));

/** Returns one line for each expression that is slow or can't be judged. */
export async function listSlowRegexProblems(patterns: readonly RegexPattern[]): Promise<string[]> {
  const queue = [...new Map(patterns.filter(needsCheck).map((one) => [formatPattern(one), one])).values()];
  const problems: string[] = [];
  const worker = async () => {
    for (let next = queue.pop(); next; next = queue.pop()) {
      const problem = await findProblem(next);
      if (problem) problems.push(`${next.file}:${next.line} ${formatPattern(next)}: ${problem}`);
    }
  };
  await Promise.all(Array.from({ length: os.availableParallelism() }, worker));
  return problems.toSorted();
}

/** Without repetition, the expression itself bounds the running time. */
const needsCheck = ({ source, flags }: RegexPattern): boolean => flags === undefined || /[*+{]/.test(source);

const formatPattern = ({ source, flags }: RegexPattern): string =>
  flags === undefined ? source : `/${source}/${flags}`;

async function findProblem({ file, source, flags }: RegexPattern): Promise<string | undefined> {
  if (flags === undefined) {
    const known = DYNAMIC_PATTERNS.some((one) => one.file === file && one.source === source);
    return known ? undefined : "is put together while the program runs; write it out, or compare text";
  }
  const verdict = await check(source, flags, CHECK_LIMITS);
  if (verdict.status === "safe") return undefined;
  if (verdict.status === "unknown") return `can't be judged (${verdict.error.kind})`;
  return `${verdict.complexity.summary}, as with ${verdict.attack.pattern}`;
}

type LocatedNode = SyntaxNode & { start: number; end: number; loc: { start: { line: number } } };

function extractPatterns(file: string, program: string, node: LocatedNode): RegexPattern[] {
  const { line } = node.loc.start;
  if (node.type === "RegExpLiteral")
    return [{ file, line, source: String(node.pattern), flags: String(node.flags) }];
  const isCall = node.type === "NewExpression" || node.type === "CallExpression";
  if (!isCall || (node.callee as { name?: string }).name !== "RegExp") return [];
  const [source, flags] = node.arguments as (LocatedNode | undefined)[];
  if (source?.type === "StringLiteral" && (!flags || flags.type === "StringLiteral"))
    return [{ file, line, source: String(source.value), flags: String(flags?.value ?? "") }];
  return [{ file, line, source: source ? program.slice(source.start, source.end) : "" }];
}

function parseNodes(file: string, program: string): LocatedNode[] {
  const tree = parse(program, {
    sourceType: "module",
    plugins: file.endsWith(".tsx") ? ["typescript", "jsx"] : ["typescript"],
  });
  return listSyntaxNodes(tree.program as unknown as SyntaxNode) as LocatedNode[];
}
