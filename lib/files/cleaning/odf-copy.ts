import path from "node:path/posix";
import type { DocumentCleaners } from "./document-copy.ts";
import { editXml, type XmlElement, type ElementAction, listXmlFieldNames, readAttribute } from "./xml.ts";
import type { ZipArchive, ArchiveParts } from "./zip.ts";

/** The names of the filled properties of a document and of those inside of it. @throws Error when they are broken */
export async function listOdfFieldNames(archive: ZipArchive): Promise<string[]> {
  const names: string[] = [];
  for (const part of archive.names.filter((name) => path.basename(name) === "meta.xml"))
    names.push(...listXmlFieldNames(await archive.read(part)));
  return names;
}

/**
 * The parts of a document (OpenDocument 1.3) that its manifest lists, without what speaks of its makers: properties,
 * preview, printer, settings of the program, and marks of who changed and commented what when.
 * @throws Error when it is broken, encrypted or signed, or holds what can't be looked into: macros, sounds, files,
 *   links to other files
 */
export async function stripOdfMetadata(archive: ZipArchive, tools: DocumentCleaners): Promise<ArchiveParts> {
  if (archive.names.some((name) => SIGNATURE_PATH.test(name))) throw new Error("This document is signed.");
  const keptParts = new Map<string, Buffer>();
  const manifest = editXml(await archive.read(MANIFEST_PATH), (element) =>
    filterManifestEntry(element, { archive, kept: keptParts }),
  );
  if (!keptParts.has("content.xml")) throw new Error("This archive holds no document.");
  for (const part of keptParts.keys())
    keptParts.set(part, await cleanPart(archive, { part, kept: keptParts, tools }));
  // Its type stands first in the archive.
  return new Map([["mimetype", await archive.read("mimetype")], ...keptParts, [MANIFEST_PATH, manifest]]);
}

const MANIFEST_PATH = "META-INF/manifest.xml";
const SIGNATURE_PATH = /^META-INF\/.*signatures\.xml$/i;

/** Properties, what they say in other words, previews, what speeds up loading, and how the program was set up. */
const DROPPED_PATHS =
  /(^|\/)((meta\.xml|manifest\.rdf|layout-cache|statusbar\/|toolbar\/)$|(Thumbnails|Configurations2)(\/|$))/;
const CONTENT_PATH = /(^|\/)(content|styles|settings)\.xml$/;

type ManifestContext = { archive: ZipArchive; kept: Map<string, Buffer> };

/** Notes which parts stay. @throws Error for those that can't be looked into */
function filterManifestEntry(
  element: XmlElement,
  { archive, kept: keptParts }: ManifestContext,
): ElementAction {
  if (element.local === "encryption-data") throw new Error("This document is encrypted.");
  if (element.local !== "file-entry") return "keep";
  const part = readAttribute(element, "full-path");
  if (part === "/" || part === MANIFEST_PATH) return "keep";
  if (DROPPED_PATHS.test(part) || isPreview(part, archive)) return "drop";
  // A folder, such as that of a chart, whose parts are listed on their own.
  if (part.endsWith("/")) return "keep";
  const known =
    CONTENT_PATH.test(part) ||
    readAttribute(element, "media-type").startsWith("image/") ||
    FONT_PATH.test(part);
  if (!known || !archive.has(part)) throw new Error("This document holds what can't be looked into.");
  keptParts.set(part, Buffer.alloc(0));
  return "keep";
}

/** The picture of a chart or table inside of the document, which programs draw anew from what it shows. */
const isPreview = (part: string, archive: ZipArchive): boolean =>
  /^ObjectReplacements\/[^/]+$/.test(part) && archive.has(path.join(path.basename(part), "content.xml"));

const FONT_PATH = /^Fonts\/[^/]+\.(ttf|otf)$/i;

type PartContext = { part: string; kept: ReadonlyMap<string, Buffer>; tools: DocumentCleaners };

async function cleanPart(
  archive: ZipArchive,
  { part, kept: keptParts, tools }: PartContext,
): Promise<Buffer> {
  const bytes = await archive.read(part);
  if (FONT_PATH.test(part)) return bytes;
  if (!CONTENT_PATH.test(part)) return tools.picture(bytes);
  return editXml(bytes, (element) => {
    const targets = listLinkTargets(element, part);
    if (targets.some((target) => isPreview(target, archive))) return "drop";
    const inside = targets.every(
      (target) => keptParts.has(target) || keptParts.has(path.join(target, "content.xml")),
    );
    // What lies elsewhere says whose folder that is.
    if (!inside) throw new Error("This document points at a file.");
    return removeAuthorship(element, tools.tell);
  });
}

/** The parts, or what is taken for one, that an element points at; addresses in the web are content. */
const listLinkTargets = ({ attributes }: XmlElement, part: string): string[] =>
  attributes
    .filter(
      ({ uri, local, value }) =>
        uri === XLINK_NAMESPACE && local === "href" && value && !WEB_LINK.test(value),
    )
    .map(({ value }) => path.join(path.dirname(part), value ?? ""));

const XLINK_NAMESPACE = "http://www.w3.org/1999/xlink";
const WEB_LINK = /^(https?:|mailto:|tel:|#)/i;

const DUBLIN_CORE_NAMESPACE = "http://purl.org/dc/elements/1.1/";
const NEUTRAL_AUTHOR = "Author";
const NEUTRAL_TIME = "1980-01-01T00:00:00";
/** Names of settings that tell of the printer, of a data source, and which writings belong together. */
const IDENTIFYING_SETTINGS = /^(Printer(Name|Setup)|PrintFaxName|CurrentDatabase\w+|Rsid(Root)?)$/;
const INITIALS_ELEMENTS = new Set(["creator-initials", "sender-initials"]);

function removeAuthorship(element: XmlElement, noteField: (name: string) => void): ElementAction {
  const { local, uri, parent, attributes } = element;
  for (const attribute of attributes)
    if (attribute.local === "rsid" || attribute.local === "paragraph-rsid") attribute.value = null;
  if (local === "config-item" && IDENTIFYING_SETTINGS.test(readAttribute(element, "name"))) return "drop";
  if (INITIALS_ELEMENTS.has(local) && parent === "annotation") return "drop";
  if (uri !== DUBLIN_CORE_NAMESPACE) return "keep";
  if (local === "creator")
    return { text: (was) => replaceText(was, { to: NEUTRAL_AUTHOR, tells: "Author", tell: noteField }) };
  if (local !== "date") return "keep";
  // A change has to have a time, a comment need not have one.
  if (parent === "annotation") {
    noteField("ModDate");
    return "drop";
  }
  return { text: (was) => replaceText(was, { to: NEUTRAL_TIME, tells: "ModDate", tell: noteField }) };
}

type TextReplacement = { to: string; tells: string; tell: (name: string) => void };

function replaceText(was: string, { to, tells, tell: noteField }: TextReplacement): string {
  if (was !== to && was.trim()) noteField(tells);
  return to;
}
