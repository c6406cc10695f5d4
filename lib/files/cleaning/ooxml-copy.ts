import path from "node:path/posix";
import type { DocumentTools } from "./document-copy.ts";
import { type Kind, kindOf, withoutMakers } from "./ooxml-words.ts";
import { edited, type Element, fieldNames, valueOf } from "./xml.ts";
import type { Archive, Parts } from "./zip.ts";

/** The names of the filled properties of a document. @throws Error when they are broken */
export async function namesInOoxml(archive: Archive): Promise<string[]> {
  const parts = archive.names.filter((name) => /^docProps\/\w+\.xml$/i.test(name));
  const names: string[] = [];
  for (const part of parts) names.push(...fieldNames(await archive.read(part)));
  return names;
}

/**
 * The parts of a document (Office Open XML, ECMA-376 part 2) to which its relations lead, without what speaks of its
 * makers. Properties, preview, printer, people and custom data go, and the relations that lead there.
 * @throws Error when it is broken or signed, or holds what can't be looked into: macros, sounds, files, links to
 *   other files
 */
export async function copyOoxml(archive: Archive, tools: DocumentTools): Promise<Parts> {
  const types = await typesOf(archive);
  const kept = new Map<string, Buffer>();
  const open = [ROOT];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (kept.has(relationsName(part))) continue;
    const relations = await relationsOf(archive, { part, types });
    kept.set(relationsName(part), relations.bytes);
    if (part !== ROOT) kept.set(part, await contentOf(archive, { part, types, tools, ids: relations.ids }));
    open.push(...relations.targets);
    if (kept.size === 1 && open.length === 0) throw new Error("This archive holds no document.");
  }
  kept.set(
    TYPES,
    edited(await archive.read(TYPES), (element) => listed(element, kept)),
  );
  // In the order in which they were.
  return new Map(
    archive.names.filter((name) => kept.has(name)).map((name) => [name, kept.get(name) as Buffer]),
  );
}

/** What the relations of the whole archive belong to. */
const ROOT = "";
const TYPES = "[Content_Types].xml";

const relationsName = (part: string): string =>
  path.join(path.dirname(part), "_rels", `${path.basename(part)}.rels`);

/** The type of a part by its name, or by the end of its name. */
type Types = { parts: Map<string, string>; endings: Map<string, string> };

async function typesOf(archive: Archive): Promise<Types> {
  const types: Types = { parts: new Map(), endings: new Map() };
  edited(await archive.read(TYPES), (element) => {
    const type = valueOf(element, "ContentType");
    if (element.local === "Override") types.parts.set(valueOf(element, "PartName").toLowerCase(), type);
    if (element.local === "Default") types.endings.set(valueOf(element, "Extension").toLowerCase(), type);
    return "keep";
  });
  return types;
}

function kindOfPart(part: string, { parts, endings }: Types): Kind | null {
  const ending = path.extname(part).slice(1).toLowerCase();
  return kindOf(parts.get(`/${part}`.toLowerCase()) ?? endings.get(ending) ?? "");
}

/** Parts that are gone aren't listed any more. */
const listed = (element: Element, kept: ReadonlyMap<string, Buffer>): "keep" | "drop" =>
  element.local === "Override" && !kept.has(valueOf(element, "PartName").slice(1)) ? "drop" : "keep";

type Relations = { bytes: Buffer; ids: Set<string>; targets: string[] };

/** The relations of a part that stay, with the parts that they lead to. A part may be without any. */
async function relationsOf(
  archive: Archive,
  { part, types }: { part: string; types: Types },
): Promise<Relations> {
  const name = relationsName(part);
  const found: Relations = { bytes: EMPTY, ids: new Set(), targets: [] };
  if (!archive.has(name)) return found;
  found.bytes = edited(await archive.read(name), (element) => {
    if (element.local !== "Relationship") return "keep";
    const target = targetOf(element, { archive, part, types });
    if (target === null) return "drop";
    found.ids.add(valueOf(element, "Id"));
    if (target.inside) found.targets.push(target.inside);
    return "keep";
  });
  return found;
}

const EMPTY = Buffer.alloc(0);

type Context = { archive: Archive; part: string; types: Types };

/** Where a relation leads; null for one that goes. @throws Error for what can't be cleaned */
function targetOf(element: Element, { archive, part, types }: Context): { inside?: string } | null {
  const type = valueOf(element, "Type").split("/").at(-1) ?? "";
  if (DROPPED.has(type)) return null;
  if (valueOf(element, "TargetMode") === "External") return outside(type, valueOf(element, "Target"));
  if (part === ROOT && type === "origin") throw new Error("This document is signed.");
  // Beside the document itself: its properties, its preview, and what programs add for themselves.
  if (part === ROOT && type !== "officeDocument") return null;
  const name = path.join("/", path.dirname(part), valueOf(element, "Target")).slice(1);
  const inside = valueOf(element, "Target").startsWith("/") ? valueOf(element, "Target").slice(1) : name;
  const kind = kindOfPart(inside, types);
  if (kind === "drop" && part !== ROOT) return null;
  if (!kind || kind === "drop" || !archive.has(inside))
    throw new Error("This document holds what can't be looked into.");
  return { inside };
}

/** Templates and the addresses of a serial letter: files of whoever wrote it, which the elements that go point at. */
const DROPPED = new Set(["attachedTemplate", "mailMergeSource", "mailMergeHeaderSource"]);

/** Links into the web are content. One to a file says where it lies, and whose folder that is. */
function outside(type: string, target: string): { inside?: string } {
  if (type === "hyperlink" ? /^(https?:|mailto:|tel:|#)/i.test(target) : /^https?:/i.test(target)) return {};
  throw new Error("This document points at a file.");
}

type Reading = { part: string; types: Types; tools: DocumentTools; ids: ReadonlySet<string> };

async function contentOf(archive: Archive, { part, types, tools, ids }: Reading): Promise<Buffer> {
  const bytes = await archive.read(part);
  const kind = kindOfPart(part, types);
  if (kind === "font") return bytes;
  if (kind === "picture") return tools.picture(bytes);
  if (kind === "document") return tools.document(bytes);
  return edited(bytes, (element) => {
    const fate = withoutMakers(element, kind as Kind, tools.tell);
    if (fate !== "drop") requireRelations(element, ids);
    return fate;
  });
}

/** An element that stays may only name relations that stay: a program would call the copy damaged. */
function requireRelations({ attributes }: Element, ids: ReadonlySet<string>): void {
  for (const { uri, value } of attributes)
    if (RELATIONS.has(uri) && value && !ids.has(value)) throw new Error("This document lacks a part.");
}

const RELATIONS = new Set([
  "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
  "http://purl.oclc.org/ooxml/officeDocument/relationships",
]);
