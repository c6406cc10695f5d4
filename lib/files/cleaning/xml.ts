import { SaxesParser } from "saxes";

/** An element as it begins; `parent` is the one around it. Names without prefixes. */
export type Element = {
  local: string;
  uri: string;
  parent: string;
  attributes: readonly Attribute[];
};
/** `value` may be set; null takes the attribute away. */
export type Attribute = { name: string; local: string; uri: string; value: string | null };

/** What an attribute says; "" where it is missing. */
export const valueOf = ({ attributes }: Pick<Element, "attributes">, name: string): string =>
  attributes.find(({ local }) => local === name)?.value ?? "";

/** What becomes of an element: `drop` it with all that is in it, or put another text in the place of what is in it. */
export type Fate = "keep" | "drop" | { text: (was: string) => string };

/**
 * A document in XML with some of its elements and attributes changed, and every other character as it was.
 * @param decide asked for each element in turn; may change its attributes
 * @throws Error when it isn't UTF-8 or not well-formed, and when it brings a document type along
 */
export function edited(bytes: Buffer, decide: (element: Element) => Fate): Buffer {
  const text = UTF8.decode(bytes);
  const edition = new Edition(text);
  walk(text, {
    open: (element, place) => edition.open(element, { place, decide }),
    close: (place) => edition.close(place),
  });
  return edition.changed ? Buffer.from(edition.text()) : bytes;
}

type Opening = { place: Place; decide: (element: Element) => Fate };

/** What becomes of a text while its elements pass by: pieces of it, and what stands between them. */
class Edition {
  readonly #text: string;
  readonly #pieces: string[] = [];
  #from = 0;
  /** The element that goes, or whose text goes, and how deep in it we are. */
  #inside: { depth: number; text: ((was: string) => string) | null } | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  get changed(): boolean {
    return this.#pieces.length > 0;
  }

  text(): string {
    return this.#pieces.join("") + this.#text.slice(this.#from);
  }

  open(element: NamedElement, { place, decide }: Opening): void {
    if (this.#inside) this.#inside.depth += 1;
    else {
      const before = element.attributes.map(({ value }) => value);
      const fate = decide(element);
      const same = element.attributes.every(({ value }, index) => value === before[index]);
      if (fate === "drop") this.#skip(place, { tag: "", text: null });
      else if (fate !== "keep") this.#skip(place, { tag: tagOf(element, place), text: fate.text });
      else if (!same) this.#put(place, tagOf(element, place));
    }
  }

  #put({ start, end }: Place, tag: string): void {
    this.#pieces.push(this.#text.slice(this.#from, start), tag);
    this.#from = end;
  }

  #skip(place: Place, { tag, text }: { tag: string; text: ((was: string) => string) | null }): void {
    this.#put(place, tag);
    this.#inside = { depth: 1, text };
  }

  close({ start, end }: Omit<Place, "selfClosing">): void {
    if (!this.#inside || (this.#inside.depth -= 1) > 0) return;
    const { text } = this.#inside;
    this.#inside = null;
    const was = this.#text.slice(this.#from, start);
    // An element without an end of its own has no text either.
    if (!text || this.#from === end) this.#from = end;
    else {
      const now = text(was);
      this.#pieces.push(now === was ? was : escaped(now));
      this.#from = start;
    }
  }
}

/**
 * Names of the fields that a list of properties fills: those of the elements that hold text, or what an attribute
 * `name` of theirs or of the element around them calls them.
 * @throws Error as `edited` does
 */
export function fieldNames(bytes: Buffer): string[] {
  const open: { local: string; given: string | undefined }[] = [];
  const names = new Set<string>();
  walk(UTF8.decode(bytes), {
    open: ({ local, attributes }) => {
      const given = attributes.find((attribute) => attribute.local === "name")?.value ?? undefined;
      open.push({ local, given });
    },
    text: (text) => {
      const [around, element] = [open.at(-2), open.at(-1)];
      if (element && /\S/.test(text)) names.add(element.given ?? around?.given ?? element.local);
    },
    close: () => void open.pop(),
  });
  return [...names];
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** No program writes more, and looking up names takes the longer the deeper they stand. */
const MOST_DEEP = 1_000;

type Place = { start: number; end: number; selfClosing: boolean };
type NamedElement = Element & { name: string };
type Steps = {
  open: (element: NamedElement, place: Place) => void;
  text?: (text: string) => void;
  close: (place: Omit<Place, "selfClosing">) => void;
};

/** Office formats have no document types, and what unfolds entities is nothing that has to be read. */
function walk(text: string, steps: Steps): void {
  const parser = new SaxesParser({ xmlns: true, position: true });
  const parents: string[] = [];
  // A tag has no other "<" in it.
  const start = () => text.lastIndexOf("<", parser.position - 1);
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("doctype", () => {
    throw new Error("This document brings its type along.");
  });
  parser.on("text", (piece) => steps.text?.(piece));
  parser.on("cdata", (piece) => steps.text?.(piece));
  parser.on("opentag", ({ name, local, uri, attributes, isSelfClosing: selfClosing }) => {
    const element = { name, local, uri, parent: parents.at(-1) ?? "", attributes: Object.values(attributes) };
    if (parents.push(local) > MOST_DEEP) throw new Error("This document nests too deep.");
    steps.open(element, { start: start(), end: parser.position, selfClosing });
  });
  parser.on("closetag", () => {
    parents.pop();
    steps.close({ start: start(), end: parser.position });
  });
  parser.write(text).close();
}

function tagOf({ name, attributes }: NamedElement, { selfClosing }: Place): string {
  const given = attributes.filter(({ value }) => value !== null);
  const list = given.map((one) => ` ${one.name}="${escaped(one.value ?? "")}"`);
  return `<${name}${list.join("")}${selfClosing ? "/" : ""}>`;
}

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};
const escaped = (text: string): string => text.replace(/[&<>"\t\n\r]/g, (one) => ESCAPES[one] ?? one);
