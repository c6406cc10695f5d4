import {
  PDFArray,
  type PDFDict,
  PDFHexString,
  PDFName,
  PDFStream,
  PDFString,
  type PDFObject,
} from "@cantoo/pdf-lib";

import { holdsHomePath } from "./home-paths.ts";
import { isDescribedByFile, NEUTRAL_PICTURE_DESCRIPTION } from "./ooxml-vocabulary.ts";

/** Reads dictionaries of a PDF (ISO 32000-2), and finds names of files and folders in them. */

const splitNames = (names: string): ReadonlySet<string> => new Set(names.split(" "));

const ANNOTATION_SUBTYPES = splitNames(
  "Text FreeText Line Square Circle Polygon PolyLine Highlight Underline Squiggly StrikeOut Stamp Caret Ink Popup FileAttachment Sound Redact",
);

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

/** Matches a form field, which often is in one dictionary with its annotation, and may be without either's place. */
export const isFormField = (dict: PDFDict): boolean => ["", "Widget"].includes(readName(dict, "Subtype"));

/** Replaces the file that Word describes a picture by. @returns whether there was one */
export function replaceFileDescription(dict: PDFDict): boolean {
  const key = PDFName.of("Alt");
  if (!isDescribedByFile(readText(dict.lookup(key)))) return false;
  dict.set(key, PDFString.of(NEUTRAL_PICTURE_DESCRIPTION));
  return true;
}

/** Keys that hold what somebody wrote, and so may quote a path. */
const WRITTEN_KEYS = splitNames("Contents RC Subj Alt ActualText Title E V DV RV TU Opt");

/** Returns whether the path of somebody's home folder is left in a dictionary, apart from what they wrote. */
export const namesHomeFolder = (dict: PDFDict): boolean =>
  dict.entries().some(([key, value]) => {
    const values = value instanceof PDFArray ? value.asArray() : [value];
    return !WRITTEN_KEYS.has(key.decodeText()) && values.some((one) => holdsHomePath(readText(one)));
  });
