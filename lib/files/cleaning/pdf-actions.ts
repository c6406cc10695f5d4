import { PDFArray, PDFDict, PDFName, type PDFObject } from "@cantoo/pdf-lib";
import { isAnnotation, isFormField, readName } from "./pdf-vocabulary.ts";

/**
 * Actions of a PDF (ISO 32000-2, 12.6). A document can run a script, send a form or call an address when it is opened,
 * and so report to its sender when, and from where, somebody reads it.
 */

/** Actions that may follow a press on a link, a bookmark or a button. */
const PRESSED_ACTIONS = new Set("GoTo URI Named Hide SetOCGState ResetForm".split(" "));
/** The names of destinations. A document may also name scripts, forms and files. */
const DESTINATIONS_KEY = "Dests";

/** Removes the actions of one dictionary that run by themselves, or do more than lead somewhere. @returns whether any */
export function removeActions(dict: PDFDict): boolean {
  const keys = ["A", "AA", "Next", "OpenAction"].filter((key) => {
    const value = dict.lookup(PDFName.of(key));
    return value !== undefined && isActive(dict, key, value);
  });
  for (const key of keys) dict.delete(PDFName.of(key));
  return removeNames(dict) || keys.length > 0;
}

function isActive(dict: PDFDict, key: string, value: PDFObject): boolean {
  const kind = value instanceof PDFDict ? readName(value, "S") : "";
  switch (key) {
    case "OpenAction":
      return !(value instanceof PDFArray) && kind !== "GoTo";
    case "A":
      // Elsewhere the key is one of many: attributes of a structure, or the name of a font.
      return isAnnotation(dict) ? !PRESSED_ACTIONS.has(kind) : kind !== "" && !PRESSED_ACTIONS.has(kind);
    case "AA":
      // Elsewhere it may be the name of a font.
      return readName(dict, "Type") === "Catalog" || isFormField(dict) || holdsActions(value);
    default:
      // What follows an action. In a bookmark, the next one.
      return readName(dict, "S") !== "";
  }
}

const holdsActions = (value: PDFObject): boolean =>
  value instanceof PDFDict &&
  value.keys().some((key) => {
    const action = value.lookup(key);
    return action instanceof PDFDict && readName(action, "S") !== "";
  });

function removeNames(catalog: PDFDict): boolean {
  const names = readName(catalog, "Type") === "Catalog" ? catalog.lookup(PDFName.of("Names")) : undefined;
  if (!(names instanceof PDFDict)) return false;
  const keys = names.keys().filter((key) => key.decodeText() !== DESTINATIONS_KEY);
  for (const key of keys) names.delete(key);
  return keys.length > 0;
}
