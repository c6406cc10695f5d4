import { SaxesParser } from "saxes";

/** An element at its start tag; `parent` is the enclosing element. Names without prefixes. */
export type XmlElement = {
  local: string;
  uri: string;
  parent: string;
  attributes: readonly XmlAttribute[];
};
/** `value` may be changed; null removes the attribute. */
export type XmlAttribute = { name: string; local: string; uri: string; value: string | null };

/** Returns an attribute's value, or "" if it is missing. */
export const readXmlAttribute = ({ attributes }: Pick<XmlElement, "attributes">, name: string): string =>
  attributes.find(({ local }) => local === name)?.value ?? "";

/** The handling of an element: `drop` it with its content, or replace its content. `text` gets and returns XML source. */
export type XmlElementAction = "keep" | "drop" | { text: (was: string) => string };

/**
 * Returns an XML document without comments and processing instructions, with some elements and attributes changed, and
 * every other character as it was.
 * @param decide called for each element in order; may change its attributes
 * @throws Error when the document isn't UTF-8, isn't well-formed, or has a document type declaration
 */
export function editXml(bytes: Buffer, decide: (element: XmlElement) => XmlElementAction): Buffer {
  const text = UTF8.decode(bytes);
  const editor = new XmlEditor(text);
  parseXml(text, {
    open: (element, place) => editor.open(element, { place, decide }),
    close: (place) => editor.close(place),
    aside: (place) => editor.removeAside(place),
  });
  return editor.changed ? Buffer.from(editor.text()) : bytes;
}

type OpenTagContext = { place: TagRange; decide: (element: XmlElement) => XmlElementAction };

/** Builds the edited text as elements pass: unchanged slices, and the replacements between them. */
class XmlEditor {
  readonly #text: string;
  readonly #pieces: string[] = [];
  #position = 0;
  /** The element that is dropped or whose content is replaced, and the current depth within it. */
  #skippedElement: { depth: number; text: ((was: string) => string) | null; asides: Place[] } | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  get changed(): boolean {
    return this.#pieces.length > 0;
  }

  text(): string {
    return this.#pieces.join("") + this.#text.slice(this.#position);
  }

  open(element: NamedElement, { place, decide }: OpenTagContext): void {
    if (this.#skippedElement) this.#skippedElement.depth += 1;
    else {
      const before = element.attributes.map(({ value }) => value);
      const action = decide(element);
      const same = element.attributes.every(({ value }, index) => value === before[index]);
      if (action === "drop") this.#startSkipping(place, { tag: "", text: null });
      else if (action !== "keep")
        this.#startSkipping(place, { tag: renderTag(element, place), text: action.text });
      else if (!same) this.#replaceTag(place, renderTag(element, place));
    }
  }

  #replaceTag({ start, end }: Place, tag: string): void {
    this.#pieces.push(this.#text.slice(this.#position, start), tag);
    this.#position = end;
  }

  #startSkipping(
    place: TagRange,
    { tag, text }: { tag: string; text: ((was: string) => string) | null },
  ): void {
    this.#replaceTag(place, tag);
    this.#skippedElement = { depth: 1, text, asides: [] };
  }

  /** Removes a comment or an instruction. */
  removeAside({ start, end }: Place): void {
    if (this.#skippedElement) this.#skippedElement.asides.push({ start, end });
    else this.#replaceTag({ start, end }, "");
  }

  close({ start, end }: Place): void {
    if (!this.#skippedElement || (this.#skippedElement.depth -= 1) > 0) return;
    const { text, asides } = this.#skippedElement;
    this.#skippedElement = null;
    let was = "";
    let from = this.#position;
    for (const aside of asides) {
      was += this.#text.slice(from, aside.start);
      from = aside.end;
    }
    was += this.#text.slice(from, start);
    // A self-closing element has no content.
    if (!text || this.#position === end) this.#position = end;
    else {
      this.#pieces.push(text(was));
      this.#position = start;
    }
  }
}

/**
 * Lists the names of the filled metadata fields of an XML property list: for each element that holds text, its `name`
 * attribute, else that of the enclosing element, else the element's own name.
 * @throws Error like `editXml`
 */
export function listXmlMetadataFieldNames(bytes: Buffer): string[] {
  const open: { local: string; given: string | undefined }[] = [];
  const names = new Set<string>();
  parseXml(UTF8.decode(bytes), {
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

/** Returns the text in the source of an element's content. @throws Error for malformed source */
export function readXmlText(source: string): string {
  const pieces: string[] = [];
  const parser = new SaxesParser({ fragment: true });
  parser.on("error", (error) => {
    throw error;
  });
  for (const kind of ["text", "cdata"] as const) parser.on(kind, (piece) => void pieces.push(piece));
  parser.write(source).close();
  return pieces.join("");
}

/** Reads an XML document without changing it. @throws Error like `editXml` */
export const readXml = (bytes: Buffer, handlers: XmlHandlers): void => parseXml(UTF8.decode(bytes), handlers);

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** No program nests deeper, and namespace lookups take longer the deeper an element is. */
const MAX_DEPTH = 1_000;

type Place = { start: number; end: number };
type TagRange = Place & { selfClosing: boolean };
type NamedElement = XmlElement & { name: string };
type XmlHandlers = {
  open: (element: NamedElement, place: TagRange) => void;
  text?: (text: string) => void;
  close: (place: Place) => void;
  /** Called for each comment and processing instruction; the XML declaration is neither. */
  aside?: (place: Place) => void;
};

/** Rejects document types: office formats have none, and expanding entities is never needed. */
function parseXml(text: string, handlers: XmlHandlers): void {
  const parser = new SaxesParser({ xmlns: true, position: true });
  const parents: string[] = [];
  // A tag contains no other "<".
  const start = () => text.lastIndexOf("<", parser.position - 1);
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("doctype", () => {
    throw new Error("This document brings its type along.");
  });
  parser.on("text", (piece) => handlers.text?.(piece));
  parser.on("cdata", (piece) => handlers.text?.(piece));
  // The parser reports these before their last letter.
  const aside = (opening: string, ending: string) => () => {
    const begin = text.lastIndexOf(opening, parser.position - 1);
    handlers.aside?.({ start: begin, end: text.indexOf(ending, begin) + ending.length });
  };
  parser.on("comment", aside("<!--", "-->"));
  parser.on("processinginstruction", aside("<?", "?>"));
  parser.on("opentag", ({ name, local, uri, attributes, isSelfClosing: selfClosing }) => {
    const element = { name, local, uri, parent: parents.at(-1) ?? "", attributes: Object.values(attributes) };
    if (parents.push(local) > MAX_DEPTH) throw new Error("This document nests too deep.");
    handlers.open(element, { start: start(), end: parser.position, selfClosing });
  });
  parser.on("closetag", () => {
    parents.pop();
    handlers.close({ start: start(), end: parser.position });
  });
  parser.write(text).close();
}

function renderTag({ name, attributes }: NamedElement, { selfClosing }: TagRange): string {
  const given = attributes.filter(({ value }) => value !== null);
  const list = given.map((one) => ` ${one.name}="${escapeXml(one.value ?? "")}"`);
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
const escapeXml = (text: string): string => text.replace(/[&<>"\t\n\r]/g, (one) => ESCAPES[one] ?? one);
