import path from "node:path/posix";
import type { DocumentCleaningCallbacks } from "./document-copy.ts";
import { isLoadingFormula } from "./formulas.ts";
import { isDescribedByFile, isNamedAfterFile, NEUTRAL_PICTURE_DESCRIPTION } from "./ooxml-vocabulary.ts";
import {
  editXml,
  type XmlAttribute,
  type XmlElement,
  type XmlElementAction,
  listXmlMetadataFieldNames,
  readXmlAttribute,
} from "./xml.ts";
import { createOdfNamespaceFilter } from "./xml-namespaces.ts";
import { neutralizeOdfNoteHeadings } from "./sheet-notes.ts";
import type { ZipArchive, ZipPartBytesByName } from "./zip.ts";

/**
 * Lists the names of the filled metadata properties of an OpenDocument file and of the documents embedded in it.
 * @throws Error when the properties are broken
 */
export async function listOdfMetadataFieldNames(archive: ZipArchive): Promise<string[]> {
  const names: string[] = [];
  for (const part of archive.names.filter((name) => path.basename(name) === "meta.xml"))
    names.push(...listXmlMetadataFieldNames(await archive.read(part)));
  return names;
}

/**
 * Returns the parts of a document (OpenDocument 1.3) that its manifest lists, without data that identifies its authors:
 * properties, preview, printer, program settings, and the author and time of changes and comments.
 * @throws Error when the document is broken, encrypted or signed, or holds parts that can't be inspected: macros,
 *   sounds, files, links to other files
 */
export async function stripOdfMetadata(
  archive: ZipArchive,
  tools: DocumentCleaningCallbacks,
): Promise<ZipPartBytesByName> {
  if (archive.names.some((name) => SIGNATURE_PATH.test(name))) throw new Error("This document is signed.");
  const copiedParts = new Map<string, Buffer>();
  const manifest = editXml(await archive.read(MANIFEST_PATH), (element) =>
    filterManifestEntry(element, { archive, copiedParts }),
  );
  if (!copiedParts.has("content.xml")) throw new Error("This archive holds no document.");
  for (const part of copiedParts.keys())
    copiedParts.set(part, await cleanOdfPart(archive, { part, copiedParts, tools }));
  // OpenDocument requires the type to be first in the archive.
  return new Map([["mimetype", await archive.read("mimetype")], ...copiedParts, [MANIFEST_PATH, manifest]]);
}

const MANIFEST_PATH = "META-INF/manifest.xml";
const SIGNATURE_PATH = /^META-INF\/.*signatures\.xml$/i;

/** Properties, their RDF form, previews, the layout cache, and the program's configuration. */
const DROPPED_PATHS =
  /(^|\/)((meta\.xml|manifest\.rdf|layout-cache|statusbar\/|toolbar\/)$|(Thumbnails|Configurations2)(\/|$))/;
const CONTENT_PATH = /(^|\/)(content|styles|settings)\.xml$/;

type ManifestContext = { archive: ZipArchive; copiedParts: Map<string, Buffer> };

/** Records which parts stay. @throws Error for parts that can't be inspected */
function filterManifestEntry(
  element: XmlElement,
  { archive, copiedParts }: ManifestContext,
): XmlElementAction {
  if (element.local === "encryption-data") throw new Error("This document is encrypted.");
  if (element.local !== "file-entry") return "keep";
  const part = readXmlAttribute(element, "full-path");
  if (part === "/" || part === MANIFEST_PATH) return "keep";
  if (DROPPED_PATHS.test(part) || isPreview(part, archive)) return "drop";
  // A folder, such as a chart's, whose parts are listed separately.
  if (part.endsWith("/")) return "keep";
  const known =
    CONTENT_PATH.test(part) ||
    readXmlAttribute(element, "media-type").startsWith("image/") ||
    FONT_PATH.test(part);
  if (!known || !archive.has(part)) throw new Error("This document holds what can't be looked into.");
  copiedParts.set(part, Buffer.alloc(0));
  return "keep";
}

/** Returns whether a part is the preview of an embedded chart or table, which programs redraw from its content. */
const isPreview = (part: string, archive: ZipArchive): boolean =>
  /^ObjectReplacements\/[^/]+$/.test(part) && archive.has(path.join(path.basename(part), "content.xml"));

const FONT_PATH = /^Fonts\/[^/]+\.(ttf|otf)$/i;

type PartContext = {
  part: string;
  copiedParts: ReadonlyMap<string, Buffer>;
  tools: DocumentCleaningCallbacks;
};

async function cleanOdfPart(archive: ZipArchive, { part, copiedParts, tools }: PartContext): Promise<Buffer> {
  const bytes = await archive.read(part);
  if (FONT_PATH.test(part)) return bytes;
  if (!CONTENT_PATH.test(part)) return tools.picture(bytes);
  const filterNamespaces = createOdfNamespaceFilter(tools.noteField);
  return editXml(neutralizeOdfNoteHeadings(bytes, tools.noteField), (element) => {
    if (filterNamespaces(element) === "drop") return "drop";
    const targets = listLinkTargets(element, part);
    if (targets.some((target) => isPreview(target, archive))) return "drop";
    const inside = targets.every(
      (target) => copiedParts.has(target) || copiedParts.has(path.join(target, "content.xml")),
    );
    // The path of an outside file shows whose folder it is in.
    if (!inside) throw new Error("This document points at a file.");
    return removeOdfAuthorship(element, tools.noteField);
  });
}

/**
 * Lists the parts, or what could be read as a part, that an element points at. Places in the document aren't listed, nor
 * URLs of links, which are content. Other URLs would be loaded, which shows their owner who opened the document when.
 */
const listLinkTargets = ({ local: element, attributes }: XmlElement, part: string): string[] =>
  attributes
    .filter(
      ({ uri, local, value }) =>
        uri === XLINK_NAMESPACE &&
        local === "href" &&
        value &&
        !value.startsWith("#") &&
        !(LINK_ELEMENTS.has(element) && WEB_LINK.test(value)),
    )
    .map(({ value }) => path.join(path.dirname(part), value ?? ""));

const XLINK_NAMESPACE = "http://www.w3.org/1999/xlink";
/** Links of a text, a drawing, an object of a slide, an area of a picture, and a button. Only a press opens them. */
const LINK_ELEMENTS = new Set("a event-listener area-rectangle area-circle area-polygon button".split(" "));
const WEB_LINK = /^(https?:|mailto:|tel:)/i;

const DUBLIN_CORE_NAMESPACE = "http://purl.org/dc/elements/1.1/";
const NEUTRAL_AUTHOR = "Author";
const NEUTRAL_TIME = "1980-01-01T00:00:00";
/** Settings that name the printer, a data source or a folder of palettes, or show which texts belong together. */
const IDENTIFYING_SETTINGS =
  /^(Printer(Name|Setup)|PrintFaxName|CurrentDatabase\w+|\w+TableURL|Rsid(Root)?)$/;
const INITIALS_ELEMENTS = new Set(["creator-initials", "sender-initials"]);

/** Sources of data in other files, which are loaded, and pictures outside of a part. */
const UNREADABLE_ELEMENTS = new Set(["dde-source", "dde-connection-decl", "dde-link", "binary-data"]);
const SVG_NAMESPACE = "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0";
const DRAWING_NAMESPACE = "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0";

function removeOdfAuthorship(element: XmlElement, noteField: (name: string) => void): XmlElementAction {
  const { local, uri, parent, attributes } = element;
  if (UNREADABLE_ELEMENTS.has(local)) throw new Error("This document holds what can't be looked into.");
  for (const attribute of attributes) removeOdfAttribute(attribute, { element, noteField });
  if (uri === SVG_NAMESPACE && (local === "title" || local === "desc"))
    return {
      text: (was) =>
        isDescribedByFile(was)
          ? replaceText(was, { to: NEUTRAL_PICTURE_DESCRIPTION, reveals: "Author", noteField })
          : was,
    };
  // Older versions write the time of a comment as a text, too.
  if (local === "date-string" && parent === "annotation") return "drop";
  if (local === "config-item" && IDENTIFYING_SETTINGS.test(readXmlAttribute(element, "name"))) return "drop";
  if (INITIALS_ELEMENTS.has(local) && parent === "annotation") return "drop";
  if (uri !== DUBLIN_CORE_NAMESPACE) return "keep";
  if (local === "creator")
    return { text: (was) => replaceText(was, { to: NEUTRAL_AUTHOR, reveals: "Author", noteField }) };
  if (local !== "date") return "keep";
  // A change must have a time; a comment needs none.
  if (parent === "annotation") {
    noteField("ModDate");
    return "drop";
  }
  return { text: (was) => replaceText(was, { to: NEUTRAL_TIME, reveals: "ModDate", noteField }) };
}

/** @throws Error for a formula that loads something */
function removeOdfAttribute(
  attribute: XmlAttribute,
  { element, noteField }: { element: XmlElement; noteField: (name: string) => void },
): void {
  const { local, uri, value } = attribute;
  if (local === "rsid" || local === "paragraph-rsid") attribute.value = null;
  if (local === "formula" && isLoadingFormula(value ?? ""))
    throw new Error("This document points at a file.");
  // Styles refer to the names of other elements.
  const isOnlyShown = local === "display-name" || (local === "name" && element.local === "frame");
  if (uri === DRAWING_NAMESPACE && isOnlyShown && isNamedAfterFile(value ?? ""))
    attribute.value = replaceText(value ?? "", {
      to: NEUTRAL_PICTURE_DESCRIPTION,
      reveals: "Author",
      noteField,
    });
}

type TextReplacement = { to: string; reveals: string; noteField: (name: string) => void };

function replaceText(was: string, { to, reveals, noteField }: TextReplacement): string {
  if (was !== to && was.trim()) noteField(reveals);
  return to;
}
