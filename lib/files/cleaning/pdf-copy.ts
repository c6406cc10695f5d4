import {
  decodePDFRawStream,
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFHexString,
  PDFName,
  PDFRawStream,
  PDFRef,
  PDFStream,
  PDFStreamWriter,
  PDFString,
  PDFWriter,
  type PDFContext,
  type PDFObject,
} from "@cantoo/pdf-lib";
import { hasOnlyPicture, strippedJpeg } from "./containers.ts";
import type { DocumentCopy, PictureNames } from "./document-copy.ts";
import { namesInXmp } from "./reveals.ts";

/** Keys that carry metadata wherever they stand; `PTEX.…` is what pdfTeX keeps of included documents. */
const TELLING = /^(Metadata|PieceInfo|LastModified|Thumb|CreatorInfo|SpiderInfo|PTEX\..*)$/;
/** What else an annotation says beside its content: whose it is, and when it was made. */
const OF_ANNOTATIONS = ["T", "M", "CreationDate"];
/** The identifier that a program gave to an annotation; some make it of the author's name. */
const ANNOTATION_NAME = "NM";
const ANNOTATIONS = new Set(
  "Text FreeText Line Square Circle Polygon PolyLine Highlight Underline Squiggly StrikeOut Stamp Caret Ink Popup FileAttachment Sound Redact".split(
    " ",
  ),
);

/**
 * A PDF without its information dictionary, XMP, thumbnails, the marks of those who commented, the EXIF of its
 * photographs, and without objects that nothing refers to any more, such as earlier revisions.
 * @param tell told of each picture in it, for its own metadata
 * @param anew always writes the document anew, and removes what no reader displays as well: comments between objects,
 *   catalog keys that don't display pages, identifiers of annotations, and ICC profiles, which can name a device
 * @throws Error when it is encrypted or broken, or holds what can't be looked into: it was not read to its end then
 */
export async function copyPdf(
  bytes: Buffer,
  { tell, anew }: { tell: PictureNames; anew: boolean },
): Promise<DocumentCopy> {
  const document = await PDFDocument.load(bytes, {
    updateMetadata: false,
    throwOnInvalidObject: true,
    parseSpeed: Infinity,
  });
  // A copy of what has no pages would be an empty file that calls itself clean.
  if (document.getPageCount() === 0) throw new Error("This document has no pages.");
  const { context } = document;
  const reached = reach(context);
  if (reached.objects.some((object) => isUnreadable(object, context)))
    throw new Error("This document holds what can't be looked into.");
  const names = [...namesInInfo(context), ...reached.objects.flatMap((object) => namesIn(object, context))];
  const pictures = reached.objects.map(pictureIn).filter((picture) => picture !== null);
  for (const picture of pictures)
    if (strippedJpeg(picture).length < picture.length) names.push(...(await tell(picture)));
  if (reached.objects.some(isSigned)) return { names, copy: null, stuck: true };

  if (anew) removeUndisplayed(context, reached);
  const touched = reached.objects.map(strip).some(Boolean) || hasInfo(context) || hasLayers(bytes);
  // XMP that something else than its own key leads to.
  if (reach(context).objects.some(isXmp))
    throw new Error("This document holds metadata that can't be removed.");
  if (!anew && !touched && !hasOrphans(context, reached.refs)) return { names, copy: null, stuck: false };
  return { names, copy: await write(context), stuck: false };
}

type Reached = { refs: Set<PDFRef>; objects: (PDFDict | PDFStream)[]; arrays: PDFArray[] };

/** Everything that the catalog leads to, without recursion: documents nest deeper than a stack does. */
function reach(context: PDFContext): Reached {
  const refs = new Set<PDFRef>();
  const objects = new Set<PDFDict | PDFStream>();
  const arrays = new Set<PDFArray>();
  const open: (PDFObject | undefined)[] = [context.trailerInfo.Root];
  while (open.length > 0) {
    const object = open.pop();
    if (object instanceof PDFRef) {
      if (refs.has(object)) continue;
      refs.add(object);
      open.push(context.lookup(object));
    } else if (object instanceof PDFArray && !arrays.has(object)) {
      arrays.add(object);
      for (const one of object.asArray()) open.push(one);
    } else if ((object instanceof PDFDict || object instanceof PDFStream) && !objects.has(object)) {
      objects.add(object);
      for (const [, value] of dictOf(object).entries()) open.push(value);
    }
  }
  return { refs, objects: [...objects], arrays: [...arrays] };
}

/** Catalog keys that readers need to display the pages. */
const CATALOG_KEYS = new Set(
  "Type Version Extensions Pages PageLabels Names Dests ViewerPreferences PageLayout PageMode Outlines Threads OpenAction AA AcroForm StructTreeRoot MarkInfo Lang OCProperties".split(
    " ",
  ),
);

/** @throws Error when a content stream holds a comment, which can't be taken out */
function removeUndisplayed(context: PDFContext, { objects, arrays }: Reached): void {
  const catalog = context.lookup(context.trailerInfo.Root);
  if (catalog instanceof PDFDict)
    for (const key of catalog.keys()) if (!CATALOG_KEYS.has(key.decodeText())) catalog.delete(key);
  for (const object of objects) {
    if (isAnnotation(dictOf(object))) dictOf(object).delete(PDFName.of(ANNOTATION_NAME));
    if (contentStreamsOf(object, context).some(hasComment))
      throw new Error("This document holds comments in its content streams.");
  }
  for (const array of arrays) replaceProfile(array, context);
}

/** The content streams that an object is or leads to: of a page, a form, a tiling pattern, or the glyphs of a font. */
function contentStreamsOf(object: PDFDict | PDFStream, context: PDFContext): PDFRawStream[] {
  const dict = dictOf(object);
  const at = (key: string) => context.lookup(dict.get(PDFName.of(key)));
  const contents = nameAt(dict, "Type") === "Page" ? at("Contents") : undefined;
  const glyphs = nameAt(dict, "Subtype") === "Type3" ? at("CharProcs") : undefined;
  const found: (PDFObject | undefined)[] = [
    ...(contents instanceof PDFArray ? contents.asArray() : [contents]),
    ...(glyphs instanceof PDFDict ? glyphs.values() : []),
    ...(nameAt(dict, "Subtype") === "Form" || dict.has(PDFName.of("PatternType")) ? [object] : []),
  ];
  return found.map((one) => context.lookup(one)).filter((one) => one instanceof PDFRawStream);
}

const DEVICE_SPACES: Record<number, string> = { 1: "DeviceGray", 3: "DeviceRGB", 4: "DeviceCMYK" };

/** `[/ICCBased profile]` becomes the device color space with as many components. */
function replaceProfile(array: PDFArray, context: PDFContext): void {
  if (array.size() !== 2 || array.get(0) !== PDFName.of("ICCBased")) return;
  const profile = context.lookup(array.get(1));
  const components = profile instanceof PDFStream ? Number(String(profile.dict.get(PDFName.of("N")))) : 0;
  const space = DEVICE_SPACES[components];
  if (!space) throw new Error("This document holds a color profile that can't be replaced.");
  array.set(0, PDFName.of(space));
  array.remove(1);
}

/** Whether a content stream has a percent sign outside of strings and inline images. */
function hasComment(stream: PDFRawStream): boolean {
  const source = viewOf(decodePDFRawStream(stream).decode()).toString("latin1");
  for (let at = 0; at < source.length; at += 1) {
    if (source[at] === "%") return true;
    if (source[at] === "(") at = endOfString(source, at);
    else if (/^\sID\s/.test(source.slice(at, at + 4))) at = endOfInlineImage(source, at);
  }
  return false;
}

function endOfString(source: string, from: number): number {
  let depth = 0;
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source[at] === "(") depth += 1;
    else if (source[at] === ")" && (depth -= 1) === 0) return at;
  }
  return source.length;
}

function endOfInlineImage(source: string, from: number): number {
  for (let at = source.indexOf("EI", from); at >= 0; at = source.indexOf("EI", at + 2))
    if (/^\sEI(\s|$)/.test(source.slice(at - 1, at + 3))) return at;
  return source.length;
}

const dictOf = (object: PDFDict | PDFStream): PDFDict => (object instanceof PDFStream ? object.dict : object);

const nameAt = (dict: PDFDict, key: string): string => {
  const value = dict.get(PDFName.of(key));
  return value instanceof PDFName ? value.decodeText() : "";
};

function infoOf(context: PDFContext): PDFDict | undefined {
  const info = context.lookup(context.trailerInfo.Info);
  return info instanceof PDFDict ? info : undefined;
}

const hasInfo = (context: PDFContext): boolean => (infoOf(context)?.entries().length ?? 0) > 0;

const namesInInfo = (context: PDFContext): string[] =>
  (infoOf(context)?.entries() ?? [])
    .filter(([, value]) => textOf(context.lookup(value)).trim() !== "")
    .map(([key]) => key.decodeText());

const textOf = (object: PDFObject | undefined): string =>
  object instanceof PDFString || object instanceof PDFHexString ? object.decodeText() : "";

/** What XMP packets and annotations tell, in the words of the fields. */
function namesIn(object: PDFDict | PDFStream, context: PDFContext): string[] {
  const dict = dictOf(object);
  if (object instanceof PDFRawStream && isXmp(object))
    return namesInXmp(Buffer.from(decodePDFRawStream(object).decode()).toString("utf8"));
  if (!isAnnotation(dict)) return [];
  const filled = OF_ANNOTATIONS.filter(
    (key) => textOf(context.lookup(dict.get(PDFName.of(key)))).trim() !== "",
  );
  return filled.map((key) => (key === "T" ? "Author" : "ModDate"));
}

const isAnnotation = (dict: PDFDict): boolean => ANNOTATIONS.has(nameAt(dict, "Subtype"));

const isXmp = (object: PDFDict | PDFStream): boolean => nameAt(dictOf(object), "Type") === "Metadata";

const isSigned = (object: PDFDict | PDFStream): boolean =>
  nameAt(dictOf(object), "Type") === "Sig" || dictOf(object).has(PDFName.of("ByteRange"));

/** Files, forms in XML, films, sounds and models inside of the document, and links to files of whoever made it. */
function isUnreadable(object: PDFDict | PDFStream, context: PDFContext): boolean {
  const dict = dictOf(object);
  const [type, subtype, action] = ["Type", "Subtype", "S"].map((key) => nameAt(dict, key));
  const uri = textOf(context.lookup(dict.get(PDFName.of("URI"))));
  return (
    ["EF", "XFA"].some((key) => dict.has(PDFName.of(key))) ||
    // Its content is in a file of whoever made it.
    (object instanceof PDFStream && dict.has(PDFName.of("F"))) ||
    UNREADABLE_TYPES.has(type ?? "") ||
    UNREADABLE_SUBTYPES.has(subtype ?? "") ||
    (TO_FILES.has(action ?? "") && dict.has(PDFName.of("F"))) ||
    /^\s*file:/i.test(uri) ||
    (object instanceof PDFRawStream &&
      filtersOf(dict).at(-1) === "JPXDecode" &&
      !hasOnlyPicture(viewOf(object.contents)))
  );
}

const UNREADABLE_TYPES = new Set(["EmbeddedFile", "Sound", "3D"]);
const UNREADABLE_SUBTYPES = new Set(["Movie", "Sound", "Screen", "RichMedia", "3D", "U3D", "PRC"]);
/** Actions that open or read another file. */
const TO_FILES = new Set(["Launch", "GoToR", "GoToE", "ImportData", "Thread"]);

/** The JPEG that a stream holds, with whatever was wrapped around it taken off. */
function pictureIn(object: PDFDict | PDFStream): Buffer | null {
  if (!(object instanceof PDFRawStream)) return null;
  const filters = filtersOf(object.dict);
  if (filters.at(-1) !== "DCTDecode") return null;
  if (filters.length === 1) return viewOf(object.contents);
  const wrapped = PDFRawStream.of(object.dict.clone(), object.contents);
  wrapped.dict.set(PDFName.of("Filter"), wrapped.dict.context.obj(filters.slice(0, -1)));
  wrapped.dict.delete(PDFName.of("DecodeParms"));
  return viewOf(decodePDFRawStream(wrapped).decode());
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

function filtersOf(dict: PDFDict): string[] {
  const filter = dict.lookup(PDFName.of("Filter"));
  const all = filter instanceof PDFArray ? filter.asArray() : [filter];
  return all.filter((one) => one instanceof PDFName).map((one) => one.decodeText());
}

/** Takes out of one object what tells about its makers. @returns whether there was anything */
function strip(object: PDFDict | PDFStream): boolean {
  const dict = dictOf(object);
  const telling = dict.keys().filter((key) => TELLING.test(key.decodeText()));
  if (isAnnotation(dict))
    telling.push(...OF_ANNOTATIONS.map((key) => PDFName.of(key)).filter((key) => dict.has(key)));
  for (const key of telling) dict.delete(key);
  return stripPicture(object) || telling.length > 0;
}

function stripPicture(object: PDFDict | PDFStream): boolean {
  const picture = pictureIn(object);
  const bare = picture && strippedJpeg(picture);
  if (!bare || bare.length === picture.length || !(object instanceof PDFRawStream)) return false;
  if (filtersOf(object.dict).length > 1) object.dict.delete(PDFName.of("DecodeParms"));
  object.dict.set(PDFName.of("Filter"), PDFName.of("DCTDecode"));
  object.updateContents(new Uint8Array(bare));
  return true;
}

/** Written more than once: what was replaced is still in the bytes. Or something follows the document's end. */
function hasLayers(bytes: Buffer): boolean {
  const first = bytes.indexOf("startxref");
  if (first !== bytes.lastIndexOf("startxref")) return true;
  const end = bytes.lastIndexOf("%%EOF");
  return (
    end < 0 ||
    !bytes.toString("latin1", 0, 5).startsWith("%PDF-") ||
    /\S/.test(bytes.toString("latin1", end + 5))
  );
}

/** Objects that nothing leads to; the streams that hold objects and their index are no content. */
const hasOrphans = (context: PDFContext, reached: Set<PDFRef>): boolean =>
  context.enumerateIndirectObjects().some(([ref, object]) => !reached.has(ref) && !isStructure(object));

const isStructure = (object: PDFObject): boolean =>
  object instanceof PDFStream && ["ObjStm", "XRef"].includes(nameAt(object.dict, "Type"));

async function write(context: PDFContext): Promise<Uint8Array> {
  delete context.trailerInfo.Info;
  delete context.trailerInfo.ID;
  const { refs } = reach(context);
  for (const [ref] of context.enumerateIndirectObjects()) if (!refs.has(ref)) context.delete(ref);
  const Writer = context.pdfFileDetails.useObjectStreams ? PDFStreamWriter : PDFWriter;
  return Writer.forContext(context, Infinity).serializeToBuffer();
}
