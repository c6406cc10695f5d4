import {
  PDFArray,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFNull,
  PDFRawStream,
  PDFStream,
  PDFString,
  type PDFContext,
  type PDFObject,
} from "@cantoo/pdf-lib";
import { getDict, isAnnotation, isFormField, readName, readText } from "./pdf-vocabulary.ts";
import { PDF_KINDS, type PdfKindName, type PdfValueKind } from "./pdf-kinds.ts";
import { readXmlText } from "./xml.ts";

/** What the allow list leaves of a document, and what it removed. */
type PdfStructure = {
  /** The streams with drawing operators: of pages, forms, patterns and glyphs. */
  contents: Set<PDFRawStream>;
  /** Names of metadata fields that the removed entries count as. */
  removedFields: string[];
  isChanged: boolean;
  hasPages: boolean;
};

/**
 * Removes from a document every entry of which the format doesn't say that it draws a page, leads somewhere, or holds
 * what somebody wrote (pdf-kinds.ts): begins at the catalog, knows of each dictionary what it is by the way that led to
 * it, and keeps the entries that such a dictionary has. Not recursive, because documents can nest deeper than the call
 * stack allows.
 */
export function keepKnownEntries(context: PDFContext): PdfStructure {
  const visit = new StructureVisit(context);
  visit.run();
  return visit.result;
}

class StructureVisit {
  readonly result: PdfStructure;
  readonly #context: PDFContext;
  readonly #pages: ReadonlySet<PDFObject>;
  readonly #pending: { object: PDFDict | PDFStream; kind: PdfKindName }[] = [];
  readonly #seen = new Map<PDFObject, Set<string>>();

  constructor(context: PDFContext) {
    this.#context = context;
    this.#pages = listPageTree(context);
    const hasPages = [...this.#pages].some(
      (page) => page instanceof PDFDict && readName(page, "Type") === "Page",
    );
    this.result = { contents: new Set(), removedFields: [], isChanged: false, hasPages };
  }

  run(): void {
    this.#isPreserved(this.#context.trailerInfo.Root, "catalog");
    for (let next = this.#pending.pop(); next; next = this.#pending.pop()) this.#keepEntries(next);
  }

  #keepEntries({ object, kind }: { object: PDFDict | PDFStream; kind: PdfKindName }): void {
    const dict = getDict(object);
    if (kind === "annotation") this.#keepRichTextAsPlain(dict);
    if (object instanceof PDFRawStream && isContent(dict, kind)) this.result.contents.add(object);
    for (const [key, value] of dict.entries()) {
      const name = key.decodeText();
      const expected = findExpectedKind(kind, dict, name);
      if (expected && this.#isPreserved(value, expected) && !isOddIconName(dict, kind, name)) continue;
      this.result.removedFields.push(...this.#listRemovedFields(dict, name, value));
      this.result.isChanged = true;
      dict.delete(key);
    }
  }

  /** Returns whether a value is what is expected in its place; queues the dictionaries that it holds. */
  #isPreserved(value: PDFObject | undefined, expected: PdfValueKind): boolean {
    const object = this.#context.lookup(value);
    // A reference to nothing shows nothing.
    if (object === undefined || object === PDFNull) return true;
    if (object instanceof PDFArray) return this.#isArrayPreserved(object, expected);
    if (object instanceof PDFDict || object instanceof PDFStream) return this.#isQueued(object, expected);
    if (object instanceof PDFString || object instanceof PDFHexString) return HOLDS_TEXT.has(expected);
    return true;
  }

  #isArrayPreserved(array: PDFArray, expected: PdfValueKind): boolean {
    if (!this.#isFirstVisit(array, expected)) return true;
    const kind = expected === "openAction" ? "destination" : expected;
    const odd = [...array.asArray().keys()].filter((index) => !this.#isPreserved(array.get(index), kind));
    if (odd.length > 0 && (kind === "scalar" || kind === "text")) return false;
    for (const index of odd) array.set(index, PDFNull);
    if (odd.length > 0) this.result.isChanged = true;
    return true;
  }

  #isQueued(object: PDFDict | PDFStream, expected: PdfValueKind): boolean {
    const kind = this.#resolveKind(object, expected);
    if (kind === "page" && !this.#pages.has(object)) return false;
    if (kind && this.#isFirstVisit(object, kind)) this.#pending.push({ object, kind });
    return kind !== null;
  }

  #isFirstVisit(object: PDFObject, kind: string): boolean {
    const kinds = this.#seen.get(object) ?? new Set();
    this.#seen.set(object, kinds);
    return !kinds.has(kind) && Boolean(kinds.add(kind));
  }

  /** Tells kinds apart that may stand in one place; null for what isn't expected there. */
  #resolveKind(object: PDFDict | PDFStream, expected: PdfValueKind): PdfKindName | null {
    const dict = getDict(object);
    const isStream = object instanceof PDFStream;
    switch (expected) {
      case "scalar":
        return null;
      case "text":
        return isStream ? "data" : null;
      case "xObject":
        return isStream ? (XOBJECT_KINDS[readName(dict, "Subtype")] ?? null) : null;
      case "content":
        return readName(dict, "Subtype") === "Form" ? "form" : "content";
      case "appearance":
        return isStream ? "form" : "forms";
      case "openAction":
        return readName(dict, "S") === "GoTo" ? "action" : null;
      case "action":
        return PRESSED_ACTIONS.has(readName(dict, "S")) ? "action" : null;
      case "properties":
        return LAYER_TYPES.has(readName(dict, "Type")) ? "layer" : "markedContent";
      case "layer":
        return LAYER_TYPES.has(readName(dict, "Type")) ? "layer" : null;
      case "fieldName":
        return "annotation";
      case "structure":
      case "structureName":
        return readName(dict, "Type") === "StructTreeRoot" ? "structureRoot" : "structure";
      case "structuredObject":
        return XOBJECT_KINDS[readName(dict, "Subtype")] ?? (isAnnotation(dict) ? "annotation" : null);
      case "destination":
        return PAGE_TYPES.has(readName(dict, "Type")) ? "page" : "destination";
      case "attributes":
        return readName(dict, "O") === "UserProperties" ? null : "attributes";
      default:
        return expected;
    }
  }

  /** Rich text also names the program that wrote it, and its version. The same words are in the plain text. */
  #keepRichTextAsPlain(dict: PDFDict): void {
    const isField = isFormField(dict);
    const [rich, plain] = isField ? ["RV", "V"] : ["RC", "Contents"];
    const source = dict.lookup(PDFName.of(rich));
    if (!source || readText(dict.lookup(PDFName.of(plain))).trim() !== "") return;
    if (source instanceof PDFStream) throw new Error("This document holds a text that can't be read.");
    dict.set(PDFName.of(plain), PDFHexString.fromText(readXmlText(stripXmlDeclaration(readText(source)))));
  }

  #listRemovedFields(dict: PDFDict, key: string, value: PDFObject): string[] {
    const known = REMOVED_FIELD_NAMES[key];
    if (known && (key !== "T" || isAnnotation(dict))) return known;
    return this.#holdsText(value) ? UNKNOWN_FIELD_NAMES : [];
  }

  #holdsText(value: PDFObject): boolean {
    const pending = [value];
    const seen = new Set<PDFObject>();
    for (let next = pending.pop(); next; next = pending.pop()) {
      const object = this.#context.lookup(next);
      if (readText(object).trim() !== "") return true;
      if (!object || seen.has(object) || this.#pages.has(object)) continue;
      seen.add(object);
      if (object instanceof PDFArray) pending.push(...object.asArray());
      if (object instanceof PDFDict) pending.push(...object.values());
      if (object instanceof PDFStream) return true;
    }
    return false;
  }
}

const stripXmlDeclaration = (xml: string): string => xml.replace(/^\ufeff?\s*<\?xml[^>]*>/, "");

/** The nodes and leaves of the page tree. A page that was deleted may still be what a bookmark leads to. */
function listPageTree(context: PDFContext): Set<PDFObject> {
  const pages = new Set<PDFObject>();
  const catalog = context.lookup(context.trailerInfo.Root);
  const pending = catalog instanceof PDFDict ? [catalog.get(PDFName.of("Pages"))] : [];
  while (pending.length > 0) {
    const node = context.lookup(pending.pop());
    if (!(node instanceof PDFDict) || pages.has(node)) continue;
    pages.add(node);
    const kids = node.lookup(PDFName.of("Kids"));
    if (kids instanceof PDFArray) pending.push(...kids.asArray());
  }
  return pages;
}

function findExpectedKind(kind: PdfKindName, dict: PDFDict, key: string): PdfValueKind | undefined {
  const { entries, any } = PDF_KINDS[kind];
  if (kind === "annotation" && isFormField(dict)) return entries.get(key) ?? PDF_KINDS.field.entries.get(key);
  return entries.get(key) ?? any;
}

const isContent = (dict: PDFDict, kind: PdfKindName): boolean =>
  kind === "content" ||
  kind === "form" ||
  kind === "pattern" ||
  (kind === "function" && String(dict.get(PDFName.of("FunctionType"))) === "4");

/** Matches the name of an icon or stamp that isn't one of the format: programs also put other things there. */
const isOddIconName = (dict: PDFDict, kind: PdfKindName, key: string): boolean =>
  kind === "annotation" && key === "Name" && !ICON_NAMES.has(readName(dict, key));

const splitNames = (names: string): ReadonlySet<string> => new Set(names.split(" "));

const ICON_NAMES = splitNames(
  "Comment Key Note Help NewParagraph Paragraph Insert Graph PushPin Paperclip Tag Approved Experimental NotApproved AsIs Expired NotForPublicRelease Confidential Final Sold Departmental ForComment TopSecret Draft ForPublicRelease",
);
/** Actions that may follow a press on a link, a bookmark or a button. */
const PRESSED_ACTIONS = splitNames("GoTo URI Named Hide SetOCGState ResetForm");
const LAYER_TYPES = splitNames("OCG OCMD");
const PAGE_TYPES = splitNames("Page Pages Template");
const XOBJECT_KINDS: Record<string, PdfKindName | undefined> = { Image: "image", Form: "form" };

/** What may be, or hold, a string. */
const HOLDS_TEXT: ReadonlySet<PdfValueKind> = new Set<PdfValueKind>([
  "text",
  "color",
  "destination",
  "destinationTree",
  "openAction",
  "layer",
  "structureName",
  "fieldName",
]);

/** The metadata fields that removed entries count as, if not as any: what programs store for themselves may be anything. */
const UNKNOWN_FIELD_NAMES = ["Author", "ModDate"];
const REMOVED_FIELD_NAMES: Record<string, string[] | undefined> = {
  T: ["Author"],
  M: ["ModDate"],
  CreationDate: ["ModDate"],
  LastModified: ["ModDate"],
  RC: ["CreatorTool"],
  RV: ["CreatorTool"],
  CreatorInfo: ["CreatorTool"],
  // XMP is read for itself.
  Metadata: [],
  Thumb: [],
  NM: [],
  HT: [],
  OutputIntents: [],
  Creator: ["Creator"],
  VP: ["GPSPosition"],
  Measure: ["GPSPosition"],
  ...Object.fromEntries(["A", "AA", "OpenAction", "Next", "JavaScript", "PA"].map((key) => [key, []])),
};
