import fs from "node:fs";
import path from "node:path";
import { parse } from "@babel/parser";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";

/** Finds raw SQL of `lib` that no test has run, from the texts of the statements that a whole test run sent. */

/** A piece of SQL: the parts of one template, between its values. */
type SqlTemplate = { location: string; parts: string[] };

/** Shorter parts say too little: `and`, parentheses, casts. */
const LEAST_PART_LENGTH = 10;

/**
 * Lists the places, as "file:line", whose SQL is in none of the statements.
 * @param folder where e2e/support/record-statements.ts wrote them
 */
export function listSqlThatNoTestRan(folder: string): string[] {
  const ran = new Set(
    fs
      .readdirSync(folder)
      .flatMap((name) => fs.readFileSync(path.join(folder, name), "utf8").split("\n"))
      // The last line of a process that was killed may be cut off.
      .filter((line) => line.endsWith('"'))
      .map((line) => JSON.parse(line) as string),
  );
  const all = [...ran].join("\0");
  return listSqlTemplates()
    .filter(({ parts }) => parts.some((part) => !all.includes(part)))
    .map(({ location }) => location);
}

const listSqlTemplates = (): SqlTemplate[] =>
  fs
    .readdirSync(path.join(PROJECT_ROOT, "lib"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.startsWith("generated"))
    .toSorted()
    .flatMap((name) => listTemplatesOfFile(path.join("lib", name)));

type Node = { type: string; [member: string]: unknown };

function listTemplatesOfFile(file: string): SqlTemplate[] {
  const source = fs.readFileSync(path.join(PROJECT_ROOT, file), "utf8");
  if (!/Prisma\.sql`|\$(queryRaw|executeRaw)/.test(source)) return [];
  const found: SqlTemplate[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (!isNode(node)) return;
    if (node.type === "TaggedTemplateExpression" && isSqlTag(node.tag as Node))
      found.push(toSqlTemplate(file, node));
    for (const member of Object.values(node)) visit(member);
  };
  visit(parse(source, { sourceType: "module", plugins: ["typescript"] }).program);
  return found;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

/** `Prisma.sql`, `tx.$queryRaw` and `tx.$executeRaw`. */
const isSqlTag = (tag: Node): boolean =>
  tag.type === "MemberExpression" &&
  ["sql", "$queryRaw", "$executeRaw"].includes(String((tag.property as { name?: string }).name));

function toSqlTemplate(file: string, node: Node): SqlTemplate {
  const { quasis } = node.quasi as { quasis: { value: { cooked: string } }[] };
  const { line } = (node.loc as { start: { line: number } }).start;
  return {
    location: `${file}:${line}`,
    parts: quasis.map(({ value }) => value.cooked.trim()).filter(({ length }) => length >= LEAST_PART_LENGTH),
  };
}
