import fs from "node:fs";
import path from "node:path";
import { parse, type ParserPlugin } from "@babel/parser";
import { expect, test } from "vitest";

/** What people read comes from the catalogue (lib/i18n), and never stands in a page. */

const ROOT = path.resolve(import.meta.dirname, "..");

/** Not part of what people use: a page for those who build it, and the last resort, which has no catalogue at hand. */
const WITHOUT = ["app/styleguide/", "app/global-error.tsx", "app/api/"];

/** Pages whose words have not moved to the catalogue yet. */
const NOT_YET: readonly string[] = [];

const files = ["app", "components"]
  .flatMap((folder) =>
    fs
      .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
      .map((name) => path.join(folder, name)),
  )
  .filter((file) => !WITHOUT.some((one) => file.startsWith(one)));

test("there are pages to look at", () => {
  expect(files.length).toBeGreaterThan(60);
});

const literalsOf = (file: string) => literalsIn(fs.readFileSync(path.join(ROOT, file), "utf8"));

test.each(files.filter((file) => !NOT_YET.includes(file)))("%s has no words of its own", (file) => {
  expect(literalsOf(file)).toEqual([]);
});

test("a literal is found in text, attributes, branches and templates", () => {
  const page = (inner: string) => `const P = () => <div>${inner}</div>;`;
  expect(literalsIn(page("Hello"))).toEqual(["Hello"]);
  expect(literalsIn(page('<p title="Hello" className="x" />'))).toEqual(["Hello"]);
  expect(literalsIn(page('{late ? "Late" : t("now")}'))).toEqual(["Late"]);
  expect(literalsIn(page("<p aria-label={`Page ${n}`} />"))).toEqual(["Page "]);
  expect(literalsIn('const DONE = { saved: "It is saved." };')).toEqual(["It is saved."]);
  expect(literalsIn(page("· {t('x')} – 3 %"))).toEqual([]);
  expect(literalsIn('throw new Error("Only we read this.");')).toEqual([]);
});

/** Attributes whose text somebody reads or hears. */
const READ =
  /^(title|label|hint|alt|placeholder|prompt|any|caption|header|note|message|text|name of|trigger|pendingLabel|error|summary|aria-(label|description|roledescription|valuetext|placeholder))$/;

type Node = { type: string; [key: string]: unknown };

function literalsIn(source: string): string[] {
  const plugins: ParserPlugin[] = ["typescript", "jsx"];
  const found: string[] = [];
  walk(parse(source, { sourceType: "module", plugins }).program as unknown as Node, found);
  return [...new Set(found)];
}

function walk(node: Node, found: string[]): void {
  if (node.type === "JSXText") note(node.value, found);
  if (node.type === "NewExpression" && (node.callee as { name?: string }).name === "Error") return;
  if (node.type === "StringLiteral" && SENTENCE.test(String(node.value))) note(node.value, found);
  if (node.type === "TemplateElement") sentence((node.value as { cooked: string }).cooked, found);
  if (node.type === "JSXAttribute") return attribute(node, found);
  if (node.type === "JSXExpressionContainer") said(node.expression as Node, found);
  for (const child of childrenOf(node)) walk(child, found);
}

function attribute(node: Node, found: string[]): void {
  const name = (node.name as Node & { name: string }).name;
  const value = node.value as Node | null;
  if (!value) return;
  if (READ.test(name))
    said(value.type === "JSXExpressionContainer" ? (value.expression as Node) : value, found);
  for (const child of childrenOf(value)) walk(child, found);
}

/** What begins like a sentence, wherever it stands. */
const SENTENCE = /^\p{Lu}\p{L}*[’']?\p{L}*(?:[ ,.…!?:]|$)(?!\S*[/_])/u;

function sentence(text: string, found: string[]): void {
  if (/^\p{Lu}\p{Ll}+ \p{L}/u.test(text)) note(text, found);
}

/** Texts that an expression can come to. */
function said(node: Node, found: string[]): void {
  if (node.type === "StringLiteral") note(node.value, found);
  if (node.type === "TemplateLiteral")
    for (const part of node.quasis as { value: { cooked: string } }[]) note(part.value.cooked, found);
  if (node.type === "ConditionalExpression")
    for (const way of ["consequent", "alternate"]) said(node[way] as Node, found);
  if (node.type === "LogicalExpression") for (const way of ["left", "right"]) said(node[way] as Node, found);
}

/** The name of the service, of roles, of keys and of methods are the same in every language. */
const NAMES =
  /^(Heed|Reporter|Responder|Admin|SystemAdmin|Control|Meta|Escape|Enter|Shift|Tab|Home|End|Arrow(Up|Down|Left|Right)|[A-Z-]+)$/;

function note(text: unknown, found: string[]): void {
  if (typeof text === "string" && (NAMES.test(text.trim()) || /^\/[\w/-]*$/.test(text))) return;
  if (typeof text === "string" && /\p{L}{2}/u.test(text))
    found.push(text.trim() === "" ? text : text.replace(/^\n\s*|\n\s*$/g, ""));
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

const childrenOf = (node: Node): Node[] =>
  Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );
