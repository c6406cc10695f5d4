import path from "node:path/posix";
import type { DocumentCleaningCallbacks } from "./document-copy.ts";
import { type OoxmlPartHandling, findOoxmlPartHandling, removeOoxmlAuthorship } from "./ooxml-vocabulary.ts";
import { editXml, type XmlElement, listXmlMetadataFieldNames, readXmlAttribute } from "./xml.ts";
import { createOoxmlNamespaceFilter } from "./xml-namespaces.ts";
import { neutralizeNoteHeadings, removeNoteShapeTexts } from "./sheet-notes.ts";
import { removeFieldCodes } from "./word-fields.ts";
import type { ZipArchive, ZipPartBytesByName } from "./zip.ts";

/**
 * Lists the names of the filled metadata properties of an Office Open XML file. @throws Error when the properties are
 * broken
 */
export async function listOoxmlMetadataFieldNames(archive: ZipArchive): Promise<string[]> {
  const parts = archive.names.filter((name) => /^docProps\/\w+\.xml$/i.test(name));
  const names: string[] = [];
  for (const part of parts) names.push(...listXmlMetadataFieldNames(await archive.read(part)));
  return names;
}

/**
 * Returns the parts of a document (Office Open XML, ECMA-376 part 2) that its relationships reach, without data that
 * identifies its authors. Drops properties, preview, printer, people and custom data, and the relationships to them.
 * @throws Error when the document is broken or signed, or holds parts that can't be inspected: macros, sounds, files,
 *   links to other files
 */
export async function stripOoxmlMetadata(
  archive: ZipArchive,
  tools: DocumentCleaningCallbacks,
): Promise<ZipPartBytesByName> {
  const types = await readContentTypes(archive);
  const copiedParts = new Map<string, Buffer>();
  const pending = [ROOT_PART];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (copiedParts.has(buildRelationsPath(part))) continue;
    const relations = await readRelations(archive, { part, types });
    copiedParts.set(buildRelationsPath(part), relations.bytes);
    if (part !== ROOT_PART)
      copiedParts.set(part, await cleanOoxmlPart(archive, { part, types, tools, ids: relations.ids }));
    pending.push(...relations.targets);
    if (copiedParts.size === 1 && pending.length === 0) throw new Error("This archive holds no document.");
  }
  copiedParts.set(
    CONTENT_TYPES_PART,
    editXml(await archive.read(CONTENT_TYPES_PART), (element) => filterOverride(element, copiedParts)),
  );
  // Keep the original order.
  return new Map(
    archive.names
      .filter((name) => copiedParts.has(name))
      .map((name) => [name, copiedParts.get(name) as Buffer]),
  );
}

/** The source of the package's own relationships. */
const ROOT_PART = "";
const CONTENT_TYPES_PART = "[Content_Types].xml";

const buildRelationsPath = (part: string): string =>
  path.join(path.dirname(part), "_rels", `${path.basename(part)}.rels`);

/** Content types of parts, by full name and by extension. */
type ContentTypes = { parts: Map<string, string>; endings: Map<string, string> };

async function readContentTypes(archive: ZipArchive): Promise<ContentTypes> {
  const types: ContentTypes = { parts: new Map(), endings: new Map() };
  editXml(await archive.read(CONTENT_TYPES_PART), (element) => {
    const type = readXmlAttribute(element, "ContentType");
    if (element.local === "Override")
      types.parts.set(readXmlAttribute(element, "PartName").toLowerCase(), type);
    if (element.local === "Default")
      types.endings.set(readXmlAttribute(element, "Extension").toLowerCase(), type);
    return "keep";
  });
  return types;
}

function classifyPart(part: string, { parts, endings }: ContentTypes): OoxmlPartHandling | null {
  const ending = path.extname(part).slice(1).toLowerCase();
  return findOoxmlPartHandling(parts.get(`/${part}`.toLowerCase()) ?? endings.get(ending) ?? "");
}

/** Drops the entries of parts that were removed. */
const filterOverride = (element: XmlElement, copiedParts: ReadonlyMap<string, Buffer>): "keep" | "drop" =>
  element.local === "Override" && !copiedParts.has(readXmlAttribute(element, "PartName").slice(1))
    ? "drop"
    : "keep";

/** The ids of the relationships that stay, with whether each leads out of the document. */
type RelationIds = Map<string, { leadsOut: boolean }>;
type Relations = { bytes: Buffer; ids: RelationIds; targets: string[] };

/** Returns the relationships of a part that stay, with their target parts. A part may have none. */
async function readRelations(
  archive: ZipArchive,
  { part, types }: { part: string; types: ContentTypes },
): Promise<Relations> {
  const name = buildRelationsPath(part);
  const result: Relations = { bytes: EMPTY, ids: new Map(), targets: [] };
  if (!archive.has(name)) return result;
  result.bytes = editXml(await archive.read(name), (element) => {
    if (element.local !== "Relationship") return "keep";
    const target = resolveTarget(element, { archive, part, types });
    if (target === null) return "drop";
    result.ids.set(readXmlAttribute(element, "Id"), { leadsOut: !target.inside });
    if (target.inside) result.targets.push(target.inside);
    return "keep";
  });
  return result;
}

const EMPTY = Buffer.alloc(0);

type RelationContext = { archive: ZipArchive; part: string; types: ContentTypes };

/** Returns the target of a relationship, or null if it is dropped. @throws Error for a target that can't be cleaned */
function resolveTarget(
  element: XmlElement,
  { archive, part, types }: RelationContext,
): { inside?: string } | null {
  const type = readXmlAttribute(element, "Type").split("/").at(-1) ?? "";
  if (DROPPED_RELATION_TYPES.has(type)) return null;
  if (readXmlAttribute(element, "TargetMode") === "External")
    return checkExternalTarget(type, readXmlAttribute(element, "Target"));
  if (part === ROOT_PART && type === "origin") throw new Error("This document is signed.");
  // Drops everything at the root but the document itself: properties, the preview, and programs' own additions.
  if (part === ROOT_PART && type !== "officeDocument") return null;
  const name = path.join("/", path.dirname(part), readXmlAttribute(element, "Target")).slice(1);
  const inside = readXmlAttribute(element, "Target").startsWith("/")
    ? readXmlAttribute(element, "Target").slice(1)
    : name;
  const handling = classifyPart(inside, types);
  if (handling === "drop" && part !== ROOT_PART) return null;
  if (!handling || handling === "drop" || !archive.has(inside))
    throw new Error("This document holds what can't be looked into.");
  return { inside };
}

/** Links to the author's own files: templates and mail merge sources. Only elements that are removed refer to them. */
const DROPPED_RELATION_TYPES = new Set(["attachedTemplate", "mailMergeSource", "mailMergeHeaderSource"]);

/**
 * Accepts links to the web, which are content.
 * @throws Error for a link to a file, since its path reveals whose folder the file is in, and for anything that programs
 *   load when they open the document, since the request shows its sender who opened it when
 */
function checkExternalTarget(type: string, target: string): { inside?: string } {
  if (type === "hyperlink" && /^(https?:|mailto:|tel:|#)/i.test(target)) return {};
  throw new Error("This document points at a file.");
}

/** What depends on more than one element. */
const PREPARATIONS: Partial<
  Record<OoxmlPartHandling, (bytes: Buffer, noteField: (name: string) => void) => Buffer>
> = { word: removeFieldCodes, sheet: neutralizeNoteHeadings, plain: removeNoteShapeTexts };

type PartContext = {
  part: string;
  types: ContentTypes;
  tools: DocumentCleaningCallbacks;
  ids: RelationIds;
};

async function cleanOoxmlPart(
  archive: ZipArchive,
  { part, types, tools, ids }: PartContext,
): Promise<Buffer> {
  const source = await archive.read(part);
  const handling = classifyPart(part, types);
  const prepare = PREPARATIONS[handling as OoxmlPartHandling];
  const bytes = prepare ? prepare(source, tools.noteField) : source;
  if (handling === "font") return bytes;
  if (handling === "picture") return tools.picture(bytes);
  if (handling === "document") return tools.document(bytes);
  const filterNamespaces = createOoxmlNamespaceFilter(tools.noteField);
  return editXml(bytes, (element) => {
    if (filterNamespaces(element) === "drop") return "drop";
    const fate = removeOoxmlAuthorship(element, handling as OoxmlPartHandling, tools.noteField);
    if (fate !== "drop") assertRelations(element, ids);
    return fate;
  });
}

/**
 * An element that stays may reference only relationships that stay; otherwise programs report the copy as damaged. Only
 * links may lead out: a picture would be loaded.
 */
function assertRelations({ local, attributes }: XmlElement, ids: RelationIds): void {
  for (const { uri, value } of attributes) {
    if (!RELATION_NAMESPACES.has(uri) || !value) continue;
    const relation = ids.get(value);
    if (!relation) throw new Error("This document lacks a part.");
    if (relation.leadsOut && !LINK_ELEMENTS.has(local)) throw new Error("This document points at a file.");
  }
}

const LINK_ELEMENTS = new Set(["hyperlink", "hlinkClick", "hlinkHover", "hlinkMouseOver"]);

const RELATION_NAMESPACES = new Set([
  "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
  "http://purl.oclc.org/ooxml/officeDocument/relationships",
]);
