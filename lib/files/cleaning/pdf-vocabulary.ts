import {
  PDFArray,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFStream,
  PDFString,
  type PDFObject,
} from "@cantoo/pdf-lib";

import { holdsHomePath } from "./home-paths.ts";
import { isDescribedByFile, NEUTRAL_PICTURE_DESCRIPTION } from "./ooxml-vocabulary.ts";

/** The PDF names of data that identifies a document's authors, and of the keys that show its pages (ISO 32000-2). */

const splitNames = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** Keys that hold metadata in any dictionary. pdfTeX records included documents under `PTEX.…`. */
const METADATA_KEYS = /^(Metadata|PieceInfo|LastModified|Thumb|CreatorInfo|SpiderInfo|OPI|PTEX\..*)$/;
/** Keys that programs of these vendors add for themselves. Apple's store the author of a note and its time. */
const VENDOR_KEYS = /^(AAPL|ADBE|MSFT):/;

/** Catalog keys that PDF viewers need to display the pages. */
export const ALLOWED_PDF_CATALOG_KEYS = splitNames(
  "Type Version Extensions Pages PageLabels Names Dests ViewerPreferences PageLayout PageMode Outlines OpenAction AcroForm StructTreeRoot MarkInfo Lang OCProperties",
);
/** Articles, which can name their authors. Viewers hardly show them. */
const ARTICLES_KEY = "Threads";

const PAGE_KEYS = splitNames(
  "Type Parent Kids Count Resources MediaBox CropBox BleedBox TrimBox ArtBox BoxColorInfo Contents Rotate Group Dur Trans Annots StructParents Tabs UserUnit VP SeparationInfo OutputIntents TemplateInstantiated PZ",
);
const PAGE_TYPES = splitNames("Page Pages Template");

/** Keys of an annotation that draw it, place it, or hold what somebody wrote. Its author and its times have others. */
const ANNOTATION_KEYS = splitNames(
  "Type Subtype Rect Contents P AP AS Border C F CA ca BM Lang StructParent OC " +
    // Notes and drawings
    "RC Subj Popup Parent Open IRT RT IT State StateModel Name QuadPoints DA DS Q CL BE BS RD LE IC L LL LLE LLO Cap CP CO Measure Vertices Path InkList Sy OverlayText RO Repeat " +
    // Links, watermarks and marks of printers
    "A Dest H FixedPrint MN AnnotStates Version",
);
/** Keys of a form field, which often is in one dictionary with its annotation. `T` is the name of the field. */
const FIELD_KEYS = splitNames("MK FT Kids T TU TM Ff V DV RV Opt TI I MaxLen Lock SV");

const ANNOTATION_SUBTYPES = splitNames(
  "Text FreeText Line Square Circle Polygon PolyLine Highlight Underline Squiggly StrikeOut Stamp Caret Ink Popup FileAttachment Sound Redact",
);

/** The metadata fields that keys of an annotation count as. What programs store for themselves may be anything. */
const ANNOTATION_FIELD_NAMES: Record<string, string[]> = {
  T: ["Author"],
  M: ["ModDate"],
  CreationDate: ["ModDate"],
};
const VENDOR_FIELD_NAMES = ["Author", "ModDate"];

export const getDict = (object: PDFDict | PDFStream): PDFDict =>
  object instanceof PDFStream ? object.dict : object;

/** Also reads a name that is an object of its own. */
export const readName = (dict: PDFDict, key: string): string => {
  const value = dict.lookup(PDFName.of(key));
  return value instanceof PDFName ? value.decodeText() : "";
};

export const readText = (object: PDFObject | undefined): string =>
  object instanceof PDFString || object instanceof PDFHexString ? object.decodeText() : "";

export const isAnnotation = (dict: PDFDict): boolean =>
  readName(dict, "Type") === "Annot" ||
  ANNOTATION_SUBTYPES.has(readName(dict, "Subtype")) ||
  (readName(dict, "Subtype") !== "" && dict.has(PDFName.of("Rect")));

/** Lists the keys of a dictionary that identify its authors, or that only the program that wrote them reads. */
export function listHiddenKeys(dict: PDFDict): PDFName[] {
  const isHidden = isAnnotation(dict)
    ? (key: string) => !ANNOTATION_KEYS.has(key) && !(isFormField(dict) && FIELD_KEYS.has(key))
    : PAGE_TYPES.has(readName(dict, "Type"))
      ? (key: string) => !PAGE_KEYS.has(key)
      : (key: string) => isHiddenInOtherDictionary(dict, key);
  return dict
    .keys()
    .filter(
      (key) =>
        VENDOR_KEYS.test(key.decodeText()) ||
        METADATA_KEYS.test(key.decodeText()) ||
        isHidden(key.decodeText()),
    );
}

/** Matches a form field, also one without a place of its own, which has others below it. */
export const isFormField = (dict: PDFDict): boolean =>
  readName(dict, "Subtype") === "Widget" || readName(dict, "FT") !== "";

function isHiddenInOtherDictionary(dict: PDFDict, key: string): boolean {
  // Elsewhere a colon may be in the name of a font, a destination or a glyph.
  if (key.includes(":")) return ["Type", "Subtype", "S"].some((one) => readName(dict, one) !== "");
  const value = dict.lookup(PDFName.of(key));
  return (
    (readName(dict, "Type") === "Catalog" && key === ARTICLES_KEY) ||
    // For whom a layer is meant.
    (key === "User" && value instanceof PDFDict && value.has(PDFName.of("Name"))) ||
    // The file that a form is a copy of.
    (key === "Ref" && readName(dict, "Subtype") === "Form")
  );
}

/** Replaces the file that Word describes a picture by. @returns whether there was one */
export function replaceFileDescription(dict: PDFDict): boolean {
  const key = PDFName.of("Alt");
  if (!isDescribedByFile(readText(dict.lookup(key)))) return false;
  dict.set(key, PDFString.of(NEUTRAL_PICTURE_DESCRIPTION));
  return true;
}

/** Lists the metadata fields that the hidden keys of a dictionary fill. */
export const listHiddenFieldNames = (dict: PDFDict): string[] =>
  listHiddenKeys(dict)
    .map((key) => key.decodeText())
    .flatMap((key) => {
      if (key.includes(":")) return VENDOR_FIELD_NAMES;
      return isAnnotation(dict) && readText(dict.lookup(PDFName.of(key))).trim() !== ""
        ? (ANNOTATION_FIELD_NAMES[key] ?? [])
        : [];
    });

/** Keys that hold what somebody wrote, and so may quote a path. */
const WRITTEN_KEYS = splitNames("Contents RC Subj Alt ActualText Title E V DV RV TU Opt");

/** Returns whether the path of somebody's home folder is left in a dictionary, apart from what they wrote. */
export const namesHomeFolder = (dict: PDFDict): boolean =>
  dict.entries().some(([key, value]) => {
    const values = value instanceof PDFArray ? value.asArray() : [value];
    return !WRITTEN_KEYS.has(key.decodeText()) && values.some((one) => holdsHomePath(readText(one)));
  });
