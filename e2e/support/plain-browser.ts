import assert from "node:assert/strict";
import { DomUtils, parseDocument } from "htmlparser2";
import {
  clean,
  isElement,
  PagePart,
  readText,
  textOf,
  within,
  type ChosenFile,
  type PageElement,
  type PageNode,
} from "./plain-page.ts";

/**
 * A browser without script, over HTTP: it opens pages, finds what people find by its label or text, fills in forms and
 * sends them as HTML says. For all that a page says and does by itself; what it looks like needs a real browser.
 */

const MAX_REDIRECTS = 5;

export class PlainBrowser extends PagePart {
  readonly entered = new Map<PageElement, string>();
  readonly checked = new Map<PageElement, boolean>();
  readonly files = new Map<PageElement, ChosenFile[]>();
  readonly cookies = new Map<string, string>();
  readonly #base: string;
  readonly #language: string;
  status = 0;
  /** The path of the page, with its query. */
  path = "";
  html = "";

  /** @param cookie the session of who is signed in, such as `session=…` */
  constructor(base: string, cookie?: string, language = "en") {
    super([]);
    this.#base = base;
    this.#language = language;
    if (cookie) this.useCookie(cookie);
  }

  /** Takes a cookie such as `session=…`, whoever was signed in before. */
  useCookie(pair: string): void {
    const at = pair.indexOf("=");
    this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
  }

  open(path: string): Promise<void> {
    return this.#load(path, { method: "GET" });
  }

  get heading(): string {
    return this.texts("h1").join("\n");
  }

  get title(): string {
    return readText(within(this.roots, ({ name }) => name === "title")[0]);
  }

  /** Changes the value of hidden fields, as somebody might who changes the page. */
  replaceHidden(name: string, value: string): void {
    const fields = within(this.roots, ({ attribs }) => attribs.type === "hidden" && attribs.name === name);
    for (const field of fields) field.attribs.value = value;
  }

  elementOf(id: string): PageElement | undefined {
    return within(this.roots, ({ attribs }) => attribs.id === id)[0];
  }

  /** Without script nothing opens a dialog. */
  isClosed(element: PageElement): boolean {
    for (let around: PageNode | null = element; around; around = around.parent as PageNode | null)
      if (
        isElement(around) &&
        (around.attribs.hidden !== undefined ||
          (around.name === "dialog" && around.attribs.open === undefined))
      )
        return true;
    return false;
  }

  labelOf(field: PageElement): string {
    const { id, "aria-label": own, "aria-labelledby": ids } = field.attribs;
    if (own) return clean(own);
    if (ids)
      return clean(
        ids
          .split(" ")
          .map((one) => textOf(this.elementOf(one)))
          .join(" "),
      );
    const labels = within(
      this.roots,
      ({ name, attribs }) => name === "label" && attribs.for === id && id !== undefined,
    );
    for (let around = field.parent as PageNode | null; around; around = around.parent as PageNode | null)
      if (isElement(around) && around.name === "label") labels.push(around);
    return clean([...new Set(labels)].map(textOf).join(" "));
  }

  readValue(field: PageElement): string {
    const entered = this.entered.get(field);
    if (entered !== undefined) return entered;
    if (field.name === "textarea") return DomUtils.textContent(field as never).replace(/^\n/, "");
    if (field.name !== "select")
      return field.attribs.value ?? (/^(checkbox|radio)$/.test(field.attribs.type ?? "") ? "on" : "");
    const options = within(field.children as PageNode[], ({ name }) => name === "option");
    const chosen = options.find(({ attribs }) => attribs.selected !== undefined) ?? options[0];
    return chosen ? (chosen.attribs.value ?? readText(chosen)) : "";
  }

  readChecked(field: PageElement): boolean {
    return this.checked.get(field) ?? field.attribs.checked !== undefined;
  }

  radiosBeside(field: PageElement): PageElement[] {
    const form = this.#formOf(field);
    return within(
      this.roots,
      (one) => one.attribs.type === "radio" && one.attribs.name === field.attribs.name,
    ).filter((one) => this.#formOf(one) === form);
  }

  submitFrom(field: PageElement): Promise<void> {
    const form = this.#formOf(field);
    const [first] = within(this.roots, ({ name }) => name === "button").filter(
      (one) => this.#formOf(one) === form,
    );
    assert.ok(form && first, "the field's form has a button");
    return this.submit(first);
  }

  async submit(button: PageElement): Promise<void> {
    const form = this.#formOf(button);
    assert.ok(form, "the button has a form");
    const body = this.#collect(form, button);
    const action = button.attribs.formaction ?? form.attribs.action ?? "";
    assert.ok(!action.startsWith("javascript:"), "the form can be sent without script");
    const target = new URL(action || this.path, this.#base + this.path);
    if ((form.attribs.method ?? "get").toLowerCase() === "get") {
      target.search = new URLSearchParams([...body].map(([name, value]) => [name, String(value)])).toString();
      return this.open(target.pathname + target.search);
    }
    const isMultipart =
      (button.attribs.formenctype ?? form.attribs.enctype)?.toLowerCase() === "multipart/form-data";
    const sent = isMultipart
      ? body
      : new URLSearchParams([...body].map(([name, value]) => [name, String(value)]));
    return this.#load(target.pathname + target.search, { method: "POST", body: sent });
  }

  #formOf(element: PageElement): PageElement | undefined {
    const { form } = element.attribs;
    if (form !== undefined) return this.elementOf(form);
    for (let around = element.parent as PageNode | null; around; around = around.parent as PageNode | null)
      if (isElement(around) && around.name === "form") return around;
    return undefined;
  }

  #collect(form: PageElement, button: PageElement): FormData {
    const body = new FormData();
    const controls = within(this.roots, ({ name }) => /^(input|select|textarea|button)$/.test(name)).filter(
      (one) => this.#formOf(one) === form && one.attribs.name && !this.#isDisabled(one),
    );
    for (const one of controls) {
      const { name = "", type = "text" } = one.attribs;
      if (one.name === "button") {
        if (one === button) body.append(name, one.attribs.value ?? "");
      } else if (type === "file") {
        const files = this.files.get(one) ?? [{ name: "", bytes: "" }];
        for (const file of files)
          body.append(
            name,
            new File([file.bytes as BlobPart], file.name, { type: file.type ?? "application/octet-stream" }),
          );
      } else if (!/^(checkbox|radio)$/.test(type) || this.readChecked(one))
        body.append(name, this.readValue(one));
    }
    return body;
  }

  #isDisabled(element: PageElement): boolean {
    for (let around: PageNode | null = element; around; around = around.parent as PageNode | null)
      if (isElement(around) && around.attribs.disabled !== undefined) return true;
    return false;
  }

  async #load(path: string, init: RequestInit, redirects = 0): Promise<void> {
    const url = new URL(path, this.#base + (this.path || "/"));
    assert.equal(url.origin, new URL(this.#base).origin, "nothing leads to another site");
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      headers: {
        accept: "text/html",
        "accept-language": this.#language,
        cookie: [...this.cookies].map((pair) => pair.join("=")).join("; "),
        // As under the service's `Referrer-Policy: no-referrer`.
        ...(init.method === "POST" && { origin: "null", "sec-fetch-site": "same-origin" }),
      },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      if (/max-age=0(;|$)/i.test(line)) this.cookies.delete(pair.slice(0, pair.indexOf("=")));
      else this.useCookie(pair);
    }
    const location = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && location) {
      await response.arrayBuffer();
      assert.ok(redirects < MAX_REDIRECTS, `${path} redirects for ever`);
      this.path = url.pathname + url.search;
      return this.#load(location, { method: "GET" }, redirects + 1);
    }
    const html = await response.text();
    for (const kept of [this.entered, this.checked, this.files]) kept.clear();
    this.status = response.status;
    this.path = url.pathname + url.search;
    this.html = html.replace(/<script[\s\S]*?<\/script>/g, "");
    this.roots = parseDocument(html).children;
  }
}
