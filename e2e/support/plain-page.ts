import assert from "node:assert/strict";
import { DomUtils, type parseDocument } from "htmlparser2";
import type { PlainBrowser } from "./plain-browser.ts";

/** What is on a page of `PlainBrowser`, found as people find it: by its label or text. */

export type PageNode = ReturnType<typeof parseDocument>["children"][number];
export type PageElement = Extract<PageNode, { attribs: Record<string, string> }>;

/** A label or a text: part of it, without regard to case, unless the whole of one is the same. */
type Text = string | RegExp;

export type ChosenFile = { name: string; bytes: Uint8Array | string; type?: string };

export const isElement = (node: PageNode): node is PageElement => "attribs" in node;
const MARKS = /[\u2066-\u2069]/g;
export const clean = (text: string): string => text.replace(MARKS, "").replace(/\s+/g, " ").trim();

/** What an element says, also to those who hear it. */
export function textOf(node: PageNode | undefined): string {
  if (!node) return "";
  if (!isElement(node)) return "data" in node && node.type === "text" ? node.data : "";
  if (/^(script|style|template|svg)$/.test(node.name) || node.attribs.hidden !== undefined) return "";
  if (node.name === "br") return "\n";
  const parts = node.children.map((child) => textOf(child as PageNode)).join("");
  return /^(a|abbr|b|bdi|code|em|i|span|strong|time|label)$/.test(node.name) ? parts : ` ${parts} `;
}

export const readText = (node: PageNode | undefined): string => clean(textOf(node));

export const within = (root: PageNode[], test: (element: PageElement) => boolean): PageElement[] =>
  DomUtils.findAll((node) => test(node as PageElement), root as never) as unknown as PageElement[];

const isSame = (text: string, wanted: Text): boolean =>
  typeof wanted === "string" ? text === wanted : wanted.test(text);
const isLike = (text: string, wanted: Text): boolean =>
  typeof wanted === "string" ? text.toLowerCase().includes(wanted.toLowerCase()) : wanted.test(text);

/** Finds the one whose text is wanted, or that has it in its text. @throws AssertionError if it isn't exactly one */
function findOne<Found>(found: readonly (readonly [string, Found])[], wanted: Text, kind: string): Found {
  const same = found.filter(([text]) => isSame(text, wanted));
  const all = same.length > 0 ? same : found.filter(([text]) => isLike(text, wanted));
  const [one] = all;
  const texts = (all.length > 0 ? all : found).map(([text]) => text).join(" | ");
  assert.ok(one && all.length === 1, `${all.length} × ${kind} ${wanted}: ${texts}`);
  return one[1];
}

/** A page, or a part of one, as it is and as somebody has filled it in. */
export class PagePart {
  readonly browser: PlainBrowser;
  roots: PageNode[];

  /** @param browser in which it is; the whole page is its browser's own part */
  constructor(roots: PageNode[], browser?: PlainBrowser) {
    this.roots = roots;
    this.browser = browser ?? (this as unknown as PlainBrowser);
  }

  /** All that it says. */
  get text(): string {
    return clean(this.roots.map(textOf).join(" "));
  }

  /** The text of each element of a name, such as `h2`, `li` or `th`. */
  texts(...names: string[]): string[] {
    return this.#elements((element) => names.includes(element.name)).map(readText);
  }

  /** What its alerts say. */
  get alert(): string {
    return this.#elements(({ attribs }) => attribs.role === "alert")
      .map(readText)
      .join("\n");
  }

  /** The form of this name. */
  form(name: Text): PagePart {
    const forms = this.#elements((element) => element.name === "form");
    const found = forms.map((form) => [this.#nameOf(form), form] as const);
    return new PagePart([findOne(found, name, "form")], this.browser);
  }

  /** The innermost element of these names that says something. */
  part(names: string, text: Text): PagePart {
    const all = this.#elements((element) => names.split(" ").includes(element.name)).filter((element) =>
      isLike(readText(element), text),
    );
    const [innermost] = all.filter(
      (element) =>
        !all.some(
          (other) =>
            other !== element && within(element.children as PageNode[], (one) => one === other).length > 0,
        ),
    );
    assert.ok(innermost, `no ${names} says ${text}: ${this.text}`);
    return new PagePart([innermost], this.browser);
  }

  has(kind: "button" | "link", text: Text): boolean {
    return (kind === "link" ? this.#links() : this.#buttons()).some(([name]) =>
      typeof text === "string" ? name === text : text.test(name),
    );
  }

  links(): string[] {
    return this.#links().map(([name]) => name);
  }

  /** Where a link leads. */
  hrefOf(text: Text): string {
    return findOne(this.#links(), text, "link").attribs.href ?? "";
  }

  follow(text: Text): Promise<void> {
    return this.browser.open(this.hrefOf(text));
  }

  fill(label: Text, value: string): this {
    this.browser.entered.set(this.#field(label), value);
    return this;
  }

  /** Chooses an option by its text. */
  select(label: Text, option: Text): this {
    const options = within(this.#field(label).children as PageNode[], ({ name }) => name === "option");
    const chosen = findOne(
      options.map((one) => [readText(one), one]),
      option,
      "option",
    );
    return this.fill(label, chosen.attribs.value ?? readText(chosen));
  }

  check(label: Text, isChecked = true): this {
    const field = this.#field(label);
    const group = field.attribs.type === "radio" ? this.browser.radiosBeside(field) : [];
    for (const other of group) this.browser.checked.set(other, false);
    this.browser.checked.set(field, isChecked);
    return this;
  }

  attach(label: Text, ...files: ChosenFile[]): this {
    this.browser.files.set(this.#field(label), files);
    return this;
  }

  valueOf(label: Text): string {
    return this.browser.readValue(this.#field(label));
  }

  isChecked(label: Text): boolean {
    return this.browser.readChecked(this.#field(label));
  }

  /** What explains a field, errors included. */
  describe(label: Text): string {
    const ids = this.#field(label).attribs["aria-describedby"]?.split(" ") ?? [];
    return clean(ids.map((id) => textOf(this.browser.elementOf(id))).join(" "));
  }

  isInvalid(label: Text): boolean {
    return this.#field(label).attribs["aria-invalid"] === "true";
  }

  hasField(label: Text): boolean {
    return this.#fields().some(([name]) => isLike(name, label));
  }

  /** Presses a button that sends its form. */
  press(text: Text): Promise<void> {
    return this.browser.submit(findOne(this.#buttons(), text, "button"));
  }

  /** Presses Enter in a field: the first button of its form sends it. */
  enter(label: Text): Promise<void> {
    return this.browser.submitFrom(this.#field(label));
  }

  #elements(test: (element: PageElement) => boolean): PageElement[] {
    return within(this.roots, test).filter((element) => !this.browser.isClosed(element));
  }

  #links(): [string, PageElement][] {
    const all = this.#elements(({ name, attribs }) => name === "a" && attribs.href !== undefined);
    return all.map((link) => [this.#nameOf(link), link]);
  }

  #buttons(): [string, PageElement][] {
    const all = this.#elements(
      ({ name, attribs }) => name === "button" && attribs.type !== "button" && attribs.disabled === undefined,
    );
    return all.map((button) => [this.#nameOf(button), button]);
  }

  #fields(): [string, PageElement][] {
    const all = this.#elements(
      ({ name, attribs }) => /^(input|select|textarea)$/.test(name) && attribs.type !== "hidden",
    );
    return all.map((field) => [this.browser.labelOf(field), field]);
  }

  #field(label: Text): PageElement {
    return findOne(this.#fields(), label, "field");
  }

  #nameOf(element: PageElement): string {
    const { "aria-label": label, "aria-labelledby": ids } = element.attribs;
    if (label) return clean(label);
    if (ids)
      return clean(
        ids
          .split(" ")
          .map((id) => textOf(this.browser.elementOf(id)))
          .join(" "),
      );
    return readText(element);
  }
}
