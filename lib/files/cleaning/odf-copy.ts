import path from "node:path/posix";
import type { DocumentTools } from "./document-copy.ts";
import { edited, type Element, type Fate, fieldNames, valueOf } from "./xml.ts";
import type { Archive, Parts } from "./zip.ts";

/** The names of the filled properties of a document and of those inside of it. @throws Error when they are broken */
export async function namesInOdf(archive: Archive): Promise<string[]> {
  const names: string[] = [];
  for (const part of archive.names.filter((name) => path.basename(name) === "meta.xml"))
    names.push(...fieldNames(await archive.read(part)));
  return names;
}

/**
 * The parts of a document (OpenDocument 1.3) that its manifest lists, without what speaks of its makers: properties,
 * preview, printer, settings of the program, and marks of who changed and commented what when.
 * @throws Error when it is broken, encrypted or signed, or holds what can't be looked into: macros, sounds, files,
 *   links to other files
 */
export async function copyOdf(archive: Archive, tools: DocumentTools): Promise<Parts> {
  if (archive.names.some((name) => SIGNATURES.test(name))) throw new Error("This document is signed.");
  const kept = new Map<string, Buffer>();
  const manifest = edited(await archive.read(MANIFEST), (element) => listed(element, { archive, kept }));
  if (!kept.has("content.xml")) throw new Error("This archive holds no document.");
  for (const part of kept.keys()) kept.set(part, await contentOf(archive, { part, kept, tools }));
  // Its type stands first in the archive.
  return new Map([["mimetype", await archive.read("mimetype")], ...kept, [MANIFEST, manifest]]);
}

const MANIFEST = "META-INF/manifest.xml";
const SIGNATURES = /^META-INF\/.*signatures\.xml$/i;

/** Properties, what they say in other words, previews, what speeds up loading, and how the program was set up. */
const DROPPED =
  /(^|\/)((meta\.xml|manifest\.rdf|layout-cache|statusbar\/|toolbar\/)$|(Thumbnails|Configurations2)(\/|$))/;
const CONTENT = /(^|\/)(content|styles|settings)\.xml$/;

type Listing = { archive: Archive; kept: Map<string, Buffer> };

/** Notes which parts stay. @throws Error for those that can't be looked into */
function listed(element: Element, { archive, kept }: Listing): Fate {
  if (element.local === "encryption-data") throw new Error("This document is encrypted.");
  if (element.local !== "file-entry") return "keep";
  const part = valueOf(element, "full-path");
  if (part === "/" || part === MANIFEST) return "keep";
  if (DROPPED.test(part) || isPreview(part, archive)) return "drop";
  // A folder, such as that of a chart, whose parts are listed on their own.
  if (part.endsWith("/")) return "keep";
  const known = CONTENT.test(part) || valueOf(element, "media-type").startsWith("image/") || FONTS.test(part);
  if (!known || !archive.has(part)) throw new Error("This document holds what can't be looked into.");
  kept.set(part, Buffer.alloc(0));
  return "keep";
}

/** The picture of a chart or table inside of the document, which programs draw anew from what it shows. */
const isPreview = (part: string, archive: Archive): boolean =>
  /^ObjectReplacements\/[^/]+$/.test(part) && archive.has(path.join(path.basename(part), "content.xml"));

const FONTS = /^Fonts\/[^/]+\.(ttf|otf)$/i;

type Reading = { part: string; kept: ReadonlyMap<string, Buffer>; tools: DocumentTools };

async function contentOf(archive: Archive, { part, kept, tools }: Reading): Promise<Buffer> {
  const bytes = await archive.read(part);
  if (FONTS.test(part)) return bytes;
  if (!CONTENT.test(part)) return tools.picture(bytes);
  return edited(bytes, (element) => {
    const targets = targetsOf(element, part);
    if (targets.some((target) => isPreview(target, archive))) return "drop";
    const inside = targets.every((target) => kept.has(target) || kept.has(path.join(target, "content.xml")));
    // What lies elsewhere says whose folder that is.
    if (!inside) throw new Error("This document points at a file.");
    return withoutMakers(element, tools.tell);
  });
}

/** The parts, or what is taken for one, that an element points at; addresses in the web are content. */
const targetsOf = ({ attributes }: Element, part: string): string[] =>
  attributes
    .filter(({ uri, local, value }) => uri === XLINK && local === "href" && value && !WEB.test(value))
    .map(({ value }) => path.join(path.dirname(part), value ?? ""));

const XLINK = "http://www.w3.org/1999/xlink";
const WEB = /^(https?:|mailto:|tel:|#)/i;

const DUBLIN_CORE = "http://purl.org/dc/elements/1.1/";
const NOBODY = "Author";
const NO_TIME = "1980-01-01T00:00:00";
/** Names of settings that tell of the printer, of a data source, and which writings belong together. */
const SETTINGS = /^(Printer(Name|Setup)|PrintFaxName|CurrentDatabase\w+|Rsid(Root)?)$/;
const INITIALS = new Set(["creator-initials", "sender-initials"]);

function withoutMakers(element: Element, tell: (name: string) => void): Fate {
  const { local, uri, parent, attributes } = element;
  for (const attribute of attributes)
    if (attribute.local === "rsid" || attribute.local === "paragraph-rsid") attribute.value = null;
  if (local === "config-item" && SETTINGS.test(valueOf(element, "name"))) return "drop";
  if (INITIALS.has(local) && parent === "annotation") return "drop";
  if (uri !== DUBLIN_CORE) return "keep";
  if (local === "creator") return { text: (was) => changed(was, { to: NOBODY, tells: "Author", tell }) };
  if (local !== "date") return "keep";
  // A change has to have a time, a comment need not have one.
  if (parent === "annotation") {
    tell("ModDate");
    return "drop";
  }
  return { text: (was) => changed(was, { to: NO_TIME, tells: "ModDate", tell }) };
}

type Change = { to: string; tells: string; tell: (name: string) => void };

function changed(was: string, { to, tells, tell }: Change): string {
  if (was !== to && was.trim()) tell(tells);
  return to;
}
