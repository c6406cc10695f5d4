import {
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFInvalidObject,
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
import { cleanContentStream } from "./pdf-content.ts";
import { readLastRevision } from "./pdf-revisions.ts";
import { decodeStream, toBuffer } from "./pdf-stream.ts";
import { keepKnownEntries } from "./pdf-structure.ts";
import { getDict, namesHomeFolder, readName, readText, replaceFileDescription } from "./pdf-vocabulary.ts";
import { parseXmpPacketFieldNames } from "./reveals.ts";

/**
 * Returns a PDF with what its last revision shows and what somebody wrote in it, and nothing else: without information
 * dictionary, XMP, thumbnails, authorship of comments, what programs store for themselves, actions that run by
 * themselves, comments in its source, the EXIF of its photographs, and objects that are unreferenced or were freed. One
 * that opens without a password is decrypted.
 * @param readPictureFields lists the metadata fields of each embedded picture
 * @param alwaysRewrite rewrites the document in any case, and also removes what no PDF viewer shows: `%` comments
 *   between objects, and ICC profiles, which can name a device
 * @throws Error when the document takes a password or is broken, or holds what can't be inspected, and so wasn't read
 *   to its end
 */
export async function stripPdfMetadata(
  bytes: Buffer,
  options: { readPictureFields: PictureMetadataFieldReader; alwaysRewrite: boolean },
): Promise<DocumentCleaningResult> {
  const { context, isEncrypted } = await openDocument(bytes);
  keepLastRevision(context, bytes);
  const { refs, objects } = listReachableObjects(context);
  if (objects.some((object) => isUnreadable(object, context)))
    throw new Error("This document holds what can't be looked into.");
  const isStuck = objects.some(isSigned);
  const isWhole =
    !isEncrypted &&
    !hasInfo(context) &&
    !hasOrphanedObjects(context, refs) &&
    !hasEarlierRevisions(bytes) &&
    !options.alwaysRewrite;
  const names = [...listInfoFieldNames(context), ...objects.flatMap(listXmpFieldNames)];
  const { isChanged, removedFields, pictures } = stripObjects(context, objects);
  names.push(...removedFields);
  for (const picture of pictures)
    if (stripJpegMetadata(picture).length < picture.length)
      names.push(...(await options.readPictureFields(picture)));
  if (isStuck) return { names, copy: null, stuck: true };
  if (options.alwaysRewrite)
    for (const array of listReachableObjects(context).arrays) replaceColorProfile(array, context);
  assertNothingLeft(context, options);
  if (isWhole && !isChanged) return { names, copy: null, stuck: false };
  return { names, copy: await writeDocument(context), stuck: false };
}

type StrippedObjects = { isChanged: boolean; removedFields: string[]; pictures: Buffer[] };

/** Removes what doesn't belong to a document from its objects. @param objects all that the catalog reaches */
function stripObjects(context: PDFContext, objects: readonly (PDFDict | PDFStream)[]): StrippedObjects {
  const structure = keepKnownEntries(context);
  // The copy of a document without pages would be an empty file that counts as clean.
  if (!structure.hasPages) throw new Error("This document has no pages.");
  const contents = [...structure.contents].map(cleanContentStream);
  const pictures = objects.map(extractJpeg).filter((picture) => picture !== null);
  const hasMetadata = listReachableObjects(context).objects.map(stripMetadata).some(Boolean);
  return {
    isChanged: structure.isChanged || hasMetadata || contents.some((content) => content.isChanged),
    removedFields: structure.removedFields,
    pictures: [...pictures, ...contents.flatMap((content) => content.pictures)],
  };
}

/** @throws Error where metadata is left that can't be removed */
function assertNothingLeft(context: PDFContext, { alwaysRewrite }: { alwaysRewrite: boolean }): void {
  const isLeft = (object: PDFDict | PDFStream): boolean =>
    isXmp(object) || (alwaysRewrite && namesHomeFolder(getDict(object)));
  if (listReachableObjects(context).objects.some(isLeft))
    throw new Error("This document holds metadata that can't be removed.");
}

const LOAD_OPTIONS = { updateMetadata: false, parseSpeed: Infinity, password: "" };

/**
 * Opens a document, with an empty password if it is encrypted. Then the library takes its encrypted object streams for
 * broken objects before it decrypts them, so that these are looked for afterwards.
 * @throws Error when the document takes a password or is broken
 */
async function openDocument(bytes: Buffer): Promise<{ context: PDFContext; isEncrypted: boolean }> {
  const isEncrypted = bytes.includes("/Encrypt");
  const { context } = await PDFDocument.load(bytes, { ...LOAD_OPTIONS, throwOnInvalidObject: !isEncrypted });
  if (isEncrypted && listReachableObjects(context).hasInvalid) throw new Error("This document is broken.");
  return { context, isEncrypted };
}

/**
 * Leaves the objects that the last revision has. The library finds earlier ones, too, since it reads the file from
 * beginning to end. A reader does the same where the cross-references are broken; then earlier revisions can't be told
 * from the last one.
 * @throws Error where there are any
 */
function keepLastRevision(context: PDFContext, bytes: Buffer): void {
  const revision = readLastRevision(bytes);
  if (!revision) {
    if (isSavedIncrementally(bytes)) throw new Error("The revisions of this document can't be followed.");
    return;
  }
  const { generations, trailer } = revision;
  for (const [ref] of context.enumerateIndirectObjects())
    if (generations.get(ref.objectNumber) !== ref.generationNumber) context.delete(ref);
  for (const key of ["Root", "Info"] as const)
    context.trailerInfo[key] = trailer.get(PDFName.of(key)) ?? context.trailerInfo[key];
}

type ReachableObjects = {
  refs: Set<PDFRef>;
  objects: (PDFDict | PDFStream)[];
  arrays: PDFArray[];
  hasInvalid: boolean;
};

/**
 * Finds every object that the catalog reaches. Not recursive, because documents can nest deeper than the call stack
 * allows.
 */
function listReachableObjects(context: PDFContext): ReachableObjects {
  const refs = new Set<PDFRef>();
  const objects = new Set<PDFDict | PDFStream>();
  const arrays = new Set<PDFArray>();
  let hasInvalid = false;
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
    } else if (object instanceof PDFInvalidObject) hasInvalid = true;
  }
  return { refs, objects: [...objects], arrays: [...arrays], hasInvalid };
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

function findInfo(context: PDFContext): PDFDict | undefined {
  const info = context.lookup(context.trailerInfo.Info);
  return info instanceof PDFDict ? info : undefined;
}

const hasInfo = (context: PDFContext): boolean => (findInfo(context)?.entries().length ?? 0) > 0;

const listInfoFieldNames = (context: PDFContext): string[] =>
  (findInfo(context)?.entries() ?? [])
    .filter(([, value]) => readText(context.lookup(value)).trim() !== "")
    .map(([key]) => key.decodeText());

const listXmpFieldNames = (object: PDFDict | PDFStream): string[] =>
  object instanceof PDFRawStream && isXmp(object)
    ? parseXmpPacketFieldNames(decodeStream(object).toString("utf8"))
    : [];

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
  return decodeStream(wrapped);
}

function listFilters(dict: PDFDict): string[] {
  const filter = dict.lookup(PDFName.of("Filter"));
  const all = filter instanceof PDFArray ? filter.asArray() : [filter];
  return all.filter((one) => one instanceof PDFName).map((one) => one.decodeText());
}

/** Removes the metadata that is in the values of one object. @returns whether there was any */
function stripMetadata(object: PDFDict | PDFStream): boolean {
  return [replaceFileDescription(getDict(object)), stripJpeg(object)].some(Boolean);
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

const isSavedIncrementally = (bytes: Buffer): boolean =>
  bytes.indexOf("startxref") !== bytes.lastIndexOf("startxref");

/** Checks whether there is replaced content in the bytes of the file, or data in front of it or after its end. */
function hasEarlierRevisions(bytes: Buffer): boolean {
  const end = bytes.lastIndexOf("%%EOF");
  return (
    isSavedIncrementally(bytes) ||
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
  delete context.trailerInfo.Encrypt;
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
