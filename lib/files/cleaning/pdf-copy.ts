import {
  decodePDFRawStream,
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFName,
  PDFRawStream,
  PDFRef,
  PDFStream,
  PDFStreamWriter,
  PDFWriter,
  type PDFContext,
  type PDFObject,
} from "@cantoo/pdf-lib";
import { isMetadataFreeJpeg2000, stripJpegMetadata } from "./containers.ts";
import type { DocumentCleaningResult, PictureMetadataFieldReader } from "./document-copy.ts";
import { removeActions } from "./pdf-actions.ts";
import {
  ALLOWED_PDF_CATALOG_KEYS,
  getDict,
  listHiddenFieldNames,
  listHiddenKeys,
  namesHomeFolder,
  readName,
  readText,
  replaceFileDescription,
} from "./pdf-vocabulary.ts";
import { parseXmpPacketFieldNames } from "./reveals.ts";

/**
 * Removes from a PDF the information dictionary, XMP, thumbnails, the authorship of comments, what programs store in
 * pages and annotations for themselves, actions that run by themselves, the EXIF of its photographs, and unreferenced
 * objects such as earlier revisions.
 * @param readPictureFields lists the metadata fields of each embedded picture
 * @param alwaysRewrite rewrites the document in any case, and also removes what no PDF viewer shows: `%` comments
 *   between objects, catalog keys that don't display pages, and ICC profiles, which can name a device
 * @throws Error when the document is encrypted or broken, or holds what can't be inspected, and so wasn't read to its
 *   end
 */
export async function stripPdfMetadata(
  bytes: Buffer,
  {
    readPictureFields,
    alwaysRewrite,
  }: { readPictureFields: PictureMetadataFieldReader; alwaysRewrite: boolean },
): Promise<DocumentCleaningResult> {
  const document = await PDFDocument.load(bytes, {
    updateMetadata: false,
    throwOnInvalidObject: true,
    parseSpeed: Infinity,
  });
  // The copy of a document without pages would be an empty file that counts as clean.
  if (document.getPageCount() === 0) throw new Error("This document has no pages.");
  const { context } = document;
  const reachable = listReachableObjects(context);
  if (reachable.objects.some((object) => isUnreadable(object, context)))
    throw new Error("This document holds what can't be looked into.");
  const names = [...listInfoFieldNames(context), ...reachable.objects.flatMap(listFieldNames)];
  const pictures = reachable.objects.map(extractJpeg).filter((picture) => picture !== null);
  for (const picture of pictures)
    if (stripJpegMetadata(picture).length < picture.length) names.push(...(await readPictureFields(picture)));
  if (reachable.objects.some(isSigned)) return { names, copy: null, stuck: true };

  if (alwaysRewrite) removeHiddenData(context, reachable);
  const isChanged =
    reachable.objects.map(stripMetadata).some(Boolean) || hasInfo(context) || hasEarlierRevisions(bytes);
  const remaining = listReachableObjects(context).objects;
  // XMP that is referenced by something other than its usual key.
  if (
    remaining.some(isXmp) ||
    (alwaysRewrite && remaining.some((object) => namesHomeFolder(getDict(object))))
  )
    throw new Error("This document holds metadata that can't be removed.");
  if (!alwaysRewrite && !isChanged && !hasOrphanedObjects(context, reachable.refs))
    return { names, copy: null, stuck: false };
  return { names, copy: await writeDocument(context), stuck: false };
}

type ReachableObjects = { refs: Set<PDFRef>; objects: (PDFDict | PDFStream)[]; arrays: PDFArray[] };

/**
 * Finds every object that the catalog reaches. Not recursive, because documents can nest deeper than the call stack
 * allows.
 */
function listReachableObjects(context: PDFContext): ReachableObjects {
  const refs = new Set<PDFRef>();
  const objects = new Set<PDFDict | PDFStream>();
  const arrays = new Set<PDFArray>();
  const pending: (PDFObject | undefined)[] = [context.trailerInfo.Root];
  while (pending.length > 0) {
    const object = pending.pop();
    if (object instanceof PDFRef) {
      if (refs.has(object)) continue;
      refs.add(object);
      pending.push(context.lookup(object));
    } else if (object instanceof PDFArray && !arrays.has(object)) {
      arrays.add(object);
      for (const one of object.asArray()) pending.push(one);
    } else if ((object instanceof PDFDict || object instanceof PDFStream) && !objects.has(object)) {
      objects.add(object);
      for (const [, value] of getDict(object).entries()) pending.push(value);
    }
  }
  return { refs, objects: [...objects], arrays: [...arrays] };
}

/** Removes what no PDF viewer shows. @throws Error when a content stream holds a `%` comment: it can't be removed */
function removeHiddenData(context: PDFContext, { objects, arrays }: ReachableObjects): void {
  const catalog = context.lookup(context.trailerInfo.Root);
  if (catalog instanceof PDFDict)
    for (const key of catalog.keys())
      if (!ALLOWED_PDF_CATALOG_KEYS.has(key.decodeText())) catalog.delete(key);
  for (const object of objects)
    if (listContentStreams(object, context).some(hasComment))
      throw new Error("This document holds comments in its content streams.");
  for (const array of arrays) replaceColorProfile(array, context);
}

/**
 * Lists the content streams that an object is or references: those of a page, a form, a tiling pattern, or a font's
 * glyphs.
 */
function listContentStreams(object: PDFDict | PDFStream, context: PDFContext): PDFRawStream[] {
  const dict = getDict(object);
  const at = (key: string) => context.lookup(dict.get(PDFName.of(key)));
  const contents = readName(dict, "Type") === "Page" ? at("Contents") : undefined;
  const charProcs = readName(dict, "Subtype") === "Type3" ? at("CharProcs") : undefined;
  const found: (PDFObject | undefined)[] = [
    ...(contents instanceof PDFArray ? contents.asArray() : [contents]),
    ...(charProcs instanceof PDFDict ? charProcs.values() : []),
    ...(readName(dict, "Subtype") === "Form" || dict.has(PDFName.of("PatternType")) ? [object] : []),
  ];
  return found.map((one) => context.lookup(one)).filter((one) => one instanceof PDFRawStream);
}

const DEVICE_SPACES: Record<number, string> = { 1: "DeviceGray", 3: "DeviceRGB", 4: "DeviceCMYK" };

/** Replaces `[/ICCBased profile]` with the device color space that has as many components. */
function replaceColorProfile(array: PDFArray, context: PDFContext): void {
  if (array.size() !== 2 || array.get(0) !== PDFName.of("ICCBased")) return;
  const profile = context.lookup(array.get(1));
  const components = profile instanceof PDFStream ? Number(String(profile.dict.get(PDFName.of("N")))) : 0;
  const space = DEVICE_SPACES[components];
  if (!space) throw new Error("This document holds a color profile that can't be replaced.");
  array.set(0, PDFName.of(space));
  array.remove(1);
}

/** Checks whether a content stream has a percent sign outside strings and inline images. */
function hasComment(stream: PDFRawStream): boolean {
  const source = toBuffer(decodePDFRawStream(stream).decode()).toString("latin1");
  for (let at = 0; at < source.length; at += 1) {
    if (source[at] === "%") return true;
    if (source[at] === "(") at = findEndOfString(source, at);
    else if (/^\sID\s/.test(source.slice(at, at + 4))) at = findEndOfInlineImage(source, at);
  }
  return false;
}

function findEndOfString(source: string, from: number): number {
  let depth = 0;
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source[at] === "(") depth += 1;
    else if (source[at] === ")" && (depth -= 1) === 0) return at;
  }
  return source.length;
}

function findEndOfInlineImage(source: string, from: number): number {
  for (let at = source.indexOf("EI", from); at >= 0; at = source.indexOf("EI", at + 2))
    if (/^\sEI(\s|$)/.test(source.slice(at - 1, at + 3))) return at;
  return source.length;
}

function findInfo(context: PDFContext): PDFDict | undefined {
  const info = context.lookup(context.trailerInfo.Info);
  return info instanceof PDFDict ? info : undefined;
}

const hasInfo = (context: PDFContext): boolean => (findInfo(context)?.entries().length ?? 0) > 0;

const listInfoFieldNames = (context: PDFContext): string[] =>
  (findInfo(context)?.entries() ?? [])
    .filter(([, value]) => readText(context.lookup(value)).trim() !== "")
    .map(([key]) => key.decodeText());

/** Lists the metadata fields that an XMP packet or the hidden keys of a dictionary fill. */
function listFieldNames(object: PDFDict | PDFStream): string[] {
  if (object instanceof PDFRawStream && isXmp(object))
    return parseXmpPacketFieldNames(Buffer.from(decodePDFRawStream(object).decode()).toString("utf8"));
  return listHiddenFieldNames(getDict(object));
}

const isXmp = (object: PDFDict | PDFStream): boolean => readName(getDict(object), "Type") === "Metadata";

const isSigned = (object: PDFDict | PDFStream): boolean =>
  readName(getDict(object), "Type") === "Sig" || getDict(object).has(PDFName.of("ByteRange"));

/** Matches embedded files, XML forms, videos, sounds and models, and links to the author's own files. */
function isUnreadable(object: PDFDict | PDFStream, context: PDFContext): boolean {
  const dict = getDict(object);
  const [type, subtype, action] = ["Type", "Subtype", "S"].map((key) => readName(dict, key));
  const uri = readText(context.lookup(dict.get(PDFName.of("URI"))));
  return (
    ["EF", "XFA"].some((key) => dict.has(PDFName.of(key))) ||
    // Its content is in an external file.
    (object instanceof PDFStream && dict.has(PDFName.of("F"))) ||
    UNREADABLE_TYPES.has(type ?? "") ||
    UNREADABLE_SUBTYPES.has(subtype ?? "") ||
    (FILE_ACTIONS.has(action ?? "") && dict.has(PDFName.of("F"))) ||
    /^\s*(file:|\\\\)/i.test(uri) ||
    (object instanceof PDFRawStream &&
      listFilters(dict).at(-1) === "JPXDecode" &&
      !isMetadataFreeJpeg2000(toBuffer(object.contents)))
  );
}

const UNREADABLE_TYPES = new Set(["EmbeddedFile", "Sound", "3D"]);
const UNREADABLE_SUBTYPES = new Set(["Movie", "Sound", "Screen", "RichMedia", "3D", "U3D", "PRC"]);
/** Actions that open or read another file. */
const FILE_ACTIONS = new Set(["Launch", "GoToR", "GoToE", "ImportData", "Thread"]);

/** Returns the JPEG that a stream holds, after undoing any other filters. */
function extractJpeg(object: PDFDict | PDFStream): Buffer | null {
  if (!(object instanceof PDFRawStream)) return null;
  const filters = listFilters(object.dict);
  if (filters.at(-1) !== "DCTDecode") return null;
  if (filters.length === 1) return toBuffer(object.contents);
  const wrapped = PDFRawStream.of(object.dict.clone(), object.contents);
  wrapped.dict.set(PDFName.of("Filter"), wrapped.dict.context.obj(filters.slice(0, -1)));
  wrapped.dict.delete(PDFName.of("DecodeParms"));
  return toBuffer(decodePDFRawStream(wrapped).decode());
}

const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

function listFilters(dict: PDFDict): string[] {
  const filter = dict.lookup(PDFName.of("Filter"));
  const all = filter instanceof PDFArray ? filter.asArray() : [filter];
  return all.filter((one) => one instanceof PDFName).map((one) => one.decodeText());
}

/** Removes the metadata and the active content of one object. @returns whether there was any */
function stripMetadata(object: PDFDict | PDFStream): boolean {
  const dict = getDict(object);
  const hiddenKeys = listHiddenKeys(dict);
  for (const key of hiddenKeys) dict.delete(key);
  return [removeActions(dict), replaceFileDescription(dict), stripJpeg(object), hiddenKeys.length > 0].some(
    Boolean,
  );
}

function stripJpeg(object: PDFDict | PDFStream): boolean {
  const picture = extractJpeg(object);
  const bare = picture && stripJpegMetadata(picture);
  if (!bare || bare.length === picture.length || !(object instanceof PDFRawStream)) return false;
  if (listFilters(object.dict).length > 1) object.dict.delete(PDFName.of("DecodeParms"));
  object.dict.set(PDFName.of("Filter"), PDFName.of("DCTDecode"));
  object.updateContents(new Uint8Array(bare));
  return true;
}

/**
 * Checks whether the file was saved incrementally, which leaves replaced content in its bytes, or has data after its
 * end.
 */
function hasEarlierRevisions(bytes: Buffer): boolean {
  const first = bytes.indexOf("startxref");
  if (first !== bytes.lastIndexOf("startxref")) return true;
  const end = bytes.lastIndexOf("%%EOF");
  return (
    end < 0 ||
    !bytes.toString("latin1", 0, 5).startsWith("%PDF-") ||
    /\S/.test(bytes.toString("latin1", end + 5))
  );
}

/** Checks for unreferenced objects. Object streams and cross-reference streams don't count: they aren't content. */
const hasOrphanedObjects = (context: PDFContext, reachable: Set<PDFRef>): boolean =>
  context
    .enumerateIndirectObjects()
    .some(([ref, object]) => !reachable.has(ref) && !isStructuralStream(object));

const isStructuralStream = (object: PDFObject): boolean =>
  object instanceof PDFStream && ["ObjStm", "XRef"].includes(readName(object.dict, "Type"));

async function writeDocument(context: PDFContext): Promise<Uint8Array> {
  delete context.trailerInfo.Info;
  delete context.trailerInfo.ID;
  const { refs } = listReachableObjects(context);
  // The trailer's Size must be one more than the highest number that is left.
  context.largestObjectNumber = 0;
  for (const [ref] of context.enumerateIndirectObjects()) {
    if (refs.has(ref)) context.largestObjectNumber = Math.max(context.largestObjectNumber, ref.objectNumber);
    else context.delete(ref);
  }
  const Writer = context.pdfFileDetails.useObjectStreams ? PDFStreamWriter : PDFWriter;
  return Writer.forContext(context, Infinity).serializeToBuffer();
}
