import { type ZipPartBytesByName, buildZipWithoutMetadata } from "#lib/files/cleaning/zip.ts";
import { createPhoto } from "./evidence.ts";

/**
 * Generated office documents. Their authorship is always "Maya Castillo", "Lantern" or a time in March 2026, so that a
 * search finds anything that cleaning leaves.
 */

const XML_HEADER = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n`;
const OFFICE_NAMESPACE = "http://schemas.openxmlformats.org/officeDocument/2006";
const PACKAGE_NAMESPACE = "http://schemas.openxmlformats.org/package/2006";
const OFFICE_MEDIA_TYPE = "application/vnd.openxmlformats-officedocument";

/** Parts of a document by name; null removes a part. */
export type PartChanges = Record<string, string | Buffer | null>;

async function zipParts(parts: Record<string, string | Buffer>, changes: PartChanges): Promise<Buffer> {
  const all = Object.entries({ ...parts, ...changes }).filter(([, content]) => content !== null);
  const bytes = all.map(([name, content]): [string, Buffer] => [name, Buffer.from(content as string)]);
  return buildZipWithoutMetadata(new Map(bytes) satisfies ZipPartBytesByName);
}

/** Builds a relationships part. */
export const buildRelations = (
  ...list: [id: string, kind: string, target: string, mode?: string][]
): string =>
  `${XML_HEADER}<Relationships xmlns="${PACKAGE_NAMESPACE}/relationships">${list
    .map(([id, kind, target, mode]) => {
      const type = kind.includes("/") ? kind : `${OFFICE_NAMESPACE}/relationships/${kind}`;
      return `<Relationship Id="${id}" Type="${type}" Target="${target}"${mode ? ` TargetMode="${mode}"` : ""}/>`;
    })
    .join("")}</Relationships>`;

/** Builds a content types part. @param parts types by the name of the part */
export const buildContentTypes = (parts: Record<string, string>): string =>
  `${XML_HEADER}<Types xmlns="${PACKAGE_NAMESPACE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="jpeg" ContentType="image/jpeg"/><Default Extension="bin" ContentType="${OFFICE_MEDIA_TYPE}.spreadsheetml.printerSettings"/><Default Extension="vml" ContentType="${OFFICE_MEDIA_TYPE}.vmlDrawing"/>${Object.entries(
    parts,
  )
    .map(([name, type]) => `<Override PartName="/${name}" ContentType="${type}"/>`)
    .join("")}</Types>`;

const CORE_PROPERTIES = `${XML_HEADER}<cp:coreProperties xmlns:cp="${PACKAGE_NAMESPACE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>Lantern</dc:title><dc:creator>Maya Castillo</dc:creator><cp:lastModifiedBy>Maya Castillo</cp:lastModifiedBy><dcterms:created>2026-03-01T10:15:00Z</dcterms:created></cp:coreProperties>`;
const APP_PROPERTIES = `${XML_HEADER}<Properties xmlns="${OFFICE_NAMESPACE}/extended-properties"><Application>Lantern Writer</Application><Company>Lantern</Company></Properties>`;
const buildRootRelations = (document: string) =>
  buildRelations(
    ["rId1", "officeDocument", document],
    ["rId2", `${PACKAGE_NAMESPACE}/relationships/metadata/core-properties`, "docProps/core.xml"],
    ["rId3", "extended-properties", "docProps/app.xml"],
    ["rId4", `${PACKAGE_NAMESPACE}/relationships/metadata/thumbnail`, "docProps/thumbnail.jpeg"],
  );
const PROPERTY_TYPES = {
  "docProps/core.xml": "application/vnd.openxmlformats-package.core-properties+xml",
  "docProps/app.xml": `${OFFICE_MEDIA_TYPE}.extended-properties+xml`,
};

const WORD_NAMESPACES = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${OFFICE_NAMESPACE}/relationships" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"`;
const TRACKED_CHANGE = `w:author="Maya Castillo" w:date="2026-03-01T10:15:00Z"`;
const PICTURE_XML = `<w:drawing><a:graphic><a:graphicData><a:blip r:embed="rId3"/></a:graphicData></a:graphic></w:drawing>`;

/**
 * Creates a document with properties, a preview, tracked changes, a comment, people, custom data, a template and a
 * photograph.
 */
export const createDocx = async (changes: PartChanges = {}): Promise<Buffer> =>
  zipParts(
    {
      "[Content_Types].xml": buildContentTypes({
        "word/document.xml": `${OFFICE_MEDIA_TYPE}.wordprocessingml.document.main+xml`,
        "word/comments.xml": `${OFFICE_MEDIA_TYPE}.wordprocessingml.comments+xml`,
        "word/settings.xml": `${OFFICE_MEDIA_TYPE}.wordprocessingml.settings+xml`,
        "word/people.xml": `${OFFICE_MEDIA_TYPE}.wordprocessingml.people+xml`,
        ...PROPERTY_TYPES,
      }),
      "_rels/.rels": buildRootRelations("word/document.xml"),
      "docProps/core.xml": CORE_PROPERTIES,
      "docProps/app.xml": APP_PROPERTIES,
      "docProps/thumbnail.jpeg": await createPhoto(),
      "word/document.xml": `${XML_HEADER}<w:document ${WORD_NAMESPACES}><w:body><w:p w:rsidR="00A77B3C"><w:r><w:t xml:space="preserve">What I saw </w:t></w:r><w:ins w:id="1" ${TRACKED_CHANGE}><w:r><w:t>by the door &amp; later</w:t></w:r></w:ins><w:r>${PICTURE_XML}</w:r></w:p></w:body></w:document>`,
      "word/_rels/document.xml.rels": buildRelations(
        ["rId1", "comments", "comments.xml"],
        ["rId2", "settings", "/word/settings.xml"],
        ["rId3", "image", "media/image1.jpeg"],
        ["rId4", "http://schemas.microsoft.com/office/2011/relationships/people", "people.xml"],
        ["rId5", "customXml", "../customXml/item1.xml"],
        ["rId6", "hyperlink", "https://example.org/", "External"],
      ),
      "word/comments.xml": `${XML_HEADER}<w:comments ${WORD_NAMESPACES}><w:comment w:id="1" w:initials="MC" ${TRACKED_CHANGE}><w:p><w:r><w:t>Is it so?</w:t></w:r></w:p></w:comment></w:comments>`,
      "word/settings.xml": `${XML_HEADER}<w:settings ${WORD_NAMESPACES}><w:attachedTemplate r:id="rId1"/><w:rsids><w:rsidRoot w:val="00A77B3C"/></w:rsids><w:zoom w:percent="100"/></w:settings>`,
      "word/_rels/settings.xml.rels": buildRelations([
        "rId1",
        "attachedTemplate",
        "file:///C:/Users/Maya%20Castillo/Lantern.dotx",
        "External",
      ]),
      "word/people.xml": `${XML_HEADER}<w15:people xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml"><w15:person w15:author="Maya Castillo"/></w15:people>`,
      "word/media/image1.jpeg": await createPhoto(),
      "customXml/item1.xml": `<root xmlns="urn:lantern">Lantern</root>`,
    },
    changes,
  );

/** Creates a document with nothing but its text. */
export const createBareDocx = async (changes: PartChanges = {}): Promise<Buffer> =>
  zipParts(
    {
      "[Content_Types].xml": buildContentTypes({
        "word/document.xml": `${OFFICE_MEDIA_TYPE}.wordprocessingml.document.main+xml`,
      }),
      "_rels/.rels": buildRelations(["rId1", "officeDocument", "word/document.xml"]),
      "word/document.xml": `${XML_HEADER}<w:document ${WORD_NAMESPACES}><w:body><w:p><w:r><w:t>What I saw.</w:t></w:r></w:p></w:body></w:document>`,
    },
    changes,
  );

const SHEET_NAMESPACES = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${OFFICE_NAMESPACE}/relationships"`;

/** Creates a workbook with properties, its path, the people who share it, a comment, and the printer. */
export const createXlsx = async (changes: PartChanges = {}): Promise<Buffer> =>
  zipParts(
    {
      "[Content_Types].xml": buildContentTypes({
        "xl/workbook.xml": `${OFFICE_MEDIA_TYPE}.spreadsheetml.sheet.main+xml`,
        "xl/worksheets/sheet1.xml": `${OFFICE_MEDIA_TYPE}.spreadsheetml.worksheet+xml`,
        "xl/comments1.xml": `${OFFICE_MEDIA_TYPE}.spreadsheetml.comments+xml`,
        ...PROPERTY_TYPES,
      }),
      "_rels/.rels": buildRootRelations("xl/workbook.xml"),
      "docProps/core.xml": CORE_PROPERTIES,
      "docProps/app.xml": APP_PROPERTIES,
      "docProps/thumbnail.jpeg": await createPhoto(),
      "xl/workbook.xml": `${XML_HEADER}<workbook ${SHEET_NAMESPACES} xmlns:x="http://schemas.microsoft.com/office/spreadsheetml/2010/11/ac"><fileSharing userName="Maya Castillo"/><x:absPath url="C:\\Users\\Maya Castillo\\"/><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>`,
      "xl/_rels/workbook.xml.rels": buildRelations(["rId1", "worksheet", "worksheets/sheet1.xml"]),
      "xl/worksheets/sheet1.xml": `${XML_HEADER}<worksheet ${SHEET_NAMESPACES}><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Cell</t></is></c></row></sheetData><pageSetup orientation="portrait" r:id="rId2"/></worksheet>`,
      "xl/worksheets/_rels/sheet1.xml.rels": buildRelations(
        ["rId1", "comments", "../comments1.xml"],
        ["rId2", "printerSettings", "../printerSettings/printerSettings1.bin"],
      ),
      "xl/comments1.xml": `${XML_HEADER}<comments ${SHEET_NAMESPACES}><authors><author>Maya Castillo</author></authors><commentList><comment ref="A1" authorId="0"><text><t>Is it so?</t></text></comment></commentList></comments>`,
      "xl/printerSettings/printerSettings1.bin": "Lantern LaserJet",
    },
    changes,
  );

const SLIDE_NAMESPACES = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="${OFFICE_NAMESPACE}/relationships"`;

/** Creates a presentation with properties and a comment. */
export const createPptx = async (changes: PartChanges = {}): Promise<Buffer> =>
  zipParts(
    {
      "[Content_Types].xml": buildContentTypes({
        "ppt/presentation.xml": `${OFFICE_MEDIA_TYPE}.presentationml.presentation.main+xml`,
        "ppt/slides/slide1.xml": `${OFFICE_MEDIA_TYPE}.presentationml.slide+xml`,
        "ppt/comments/comment1.xml": `${OFFICE_MEDIA_TYPE}.presentationml.comments+xml`,
        "ppt/commentAuthors.xml": `${OFFICE_MEDIA_TYPE}.presentationml.commentAuthors+xml`,
        ...PROPERTY_TYPES,
      }),
      "_rels/.rels": buildRootRelations("ppt/presentation.xml"),
      "docProps/core.xml": CORE_PROPERTIES,
      "docProps/app.xml": APP_PROPERTIES,
      "docProps/thumbnail.jpeg": await createPhoto(),
      "ppt/presentation.xml": `${XML_HEADER}<p:presentation ${SLIDE_NAMESPACES}><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>`,
      "ppt/_rels/presentation.xml.rels": buildRelations(
        ["rId1", "slide", "slides/slide1.xml"],
        ["rId2", "commentAuthors", "commentAuthors.xml"],
      ),
      "ppt/slides/slide1.xml": `${XML_HEADER}<p:sld ${SLIDE_NAMESPACES}><p:cSld name="What I saw"/></p:sld>`,
      "ppt/slides/_rels/slide1.xml.rels": buildRelations(["rId1", "comments", "../comments/comment1.xml"]),
      "ppt/comments/comment1.xml": `${XML_HEADER}<p:cmLst ${SLIDE_NAMESPACES}><p:cm authorId="0" dt="2026-03-01T10:15:00" idx="1"><p:text>Is it so?</p:text></p:cm></p:cmLst>`,
      "ppt/commentAuthors.xml": `${XML_HEADER}<p:cmAuthorLst ${SLIDE_NAMESPACES}><p:cmAuthor id="0" name="Maya Castillo" initials="MC" lastIdx="1" clrIdx="0"/></p:cmAuthorLst>`,
    },
    changes,
  );

const OPEN_DOCUMENT_NAMESPACE = "urn:oasis:names:tc:opendocument:xmlns";
const ODF_NAMESPACES = `xmlns:office="${OPEN_DOCUMENT_NAMESPACE}:office:1.0" xmlns:text="${OPEN_DOCUMENT_NAMESPACE}:text:1.0" xmlns:draw="${OPEN_DOCUMENT_NAMESPACE}:drawing:1.0" xmlns:meta="${OPEN_DOCUMENT_NAMESPACE}:meta:1.0" xmlns:config="${OPEN_DOCUMENT_NAMESPACE}:config:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink" office:version="1.3"`;
const AUTHOR_XML = `<dc:creator>Maya Castillo</dc:creator><dc:date>2026-03-01T10:15:00</dc:date>`;

/** Builds a manifest. @param entries paths with their types */
export const buildManifest = (mimetype: string, entries: Record<string, string>, inside = ""): string =>
  `${XML_HEADER}<manifest:manifest xmlns:manifest="${OPEN_DOCUMENT_NAMESPACE}:manifest:1.0" manifest:version="1.3"><manifest:file-entry manifest:full-path="/" manifest:media-type="${mimetype}"/>${Object.entries(
    entries,
  )
    .map(
      ([path, type]) =>
        `<manifest:file-entry manifest:full-path="${path}" manifest:media-type="${type}">${inside}</manifest:file-entry>`,
    )
    .join("")}</manifest:manifest>`;

export const ODF_ENTRIES = {
  "content.xml": "text/xml",
  "settings.xml": "text/xml",
  "meta.xml": "text/xml",
  "Thumbnails/thumbnail.png": "image/png",
  "Pictures/1.jpg": "image/jpeg",
};

/**
 * Creates an OpenDocument file with properties, a preview, a tracked change, a comment, the printer and a photograph.
 */
export const createOdf = async (kind: "text" | "spreadsheet" | "presentation", changes: PartChanges = {}) => {
  const mimetype = `application/vnd.oasis.opendocument.${kind}`;
  return zipParts(
    {
      mimetype,
      "content.xml": `${XML_HEADER}<office:document-content ${ODF_NAMESPACES}><office:body><office:${kind}><text:tracked-changes><text:changed-region text:id="c1"><text:insertion><office:change-info>${AUTHOR_XML}</office:change-info></text:insertion></text:changed-region></text:tracked-changes><text:p>What I saw<office:annotation>${AUTHOR_XML}<meta:creator-initials>MC</meta:creator-initials><text:p>Is it so?</text:p></office:annotation> <text:a xlink:href="https://example.org/">there</text:a></text:p><draw:frame><draw:image xlink:href="Pictures/1.jpg"/></draw:frame></office:${kind}></office:body></office:document-content>`,
      "settings.xml": `${XML_HEADER}<office:document-settings ${ODF_NAMESPACES}><office:settings><config:config-item config:name="PrinterName" config:type="string">Lantern LaserJet</config:config-item><config:config-item config:name="AddFrameOffsets" config:type="boolean">true</config:config-item></office:settings></office:document-settings>`,
      "meta.xml": `${XML_HEADER}<office:document-meta ${ODF_NAMESPACES}><office:meta><meta:initial-creator>Maya Castillo</meta:initial-creator><meta:creation-date>2026-03-01T10:15:00</meta:creation-date><meta:generator>Lantern Office</meta:generator><meta:user-defined meta:name="Owner">Maya Castillo</meta:user-defined></office:meta></office:document-meta>`,
      "Thumbnails/thumbnail.png": "Lantern",
      "Pictures/1.jpg": await createPhoto(),
      "META-INF/manifest.xml": buildManifest(mimetype, ODF_ENTRIES),
    },
    changes,
  );
};

/** Creates an RTF text that names its author, times and program. */
export const createRtf = (): Buffer =>
  Buffer.from(
    String.raw`{\rtf1\ansi{\info{\author Maya Castillo}{\creatim\yr2026\mo3\dy1}{\title }}{\*\generator Lantern 1;}What I saw.\par}`,
  );

const [FREE, END, FAT] = [0xffffffff, 0xfffffffe, 0xfffffffd];
const SECTOR_SIZE = 512;
/** Streams of this size lie in sectors of their own. */
const MIN_STREAM_SIZE = 4096;

/** Creates an old office file (a compound file) with these streams. */
export function createCompoundFile(streams: Record<string, Buffer>): Buffer {
  const names = Object.keys(streams);
  const directory = Math.ceil((names.length + 1) / 4);
  const first = (index: number) => 1 + directory + (index * MIN_STREAM_SIZE) / SECTOR_SIZE;
  const table = Array<number>(SECTOR_SIZE / 4).fill(FREE);
  const chain = (start: number, length: number) => {
    for (let at = start; at < start + length; at += 1) table[at] = at + 1 < start + length ? at + 1 : END;
  };
  table[0] = FAT;
  chain(1, directory);
  for (const index of names.keys()) chain(first(index), MIN_STREAM_SIZE / SECTOR_SIZE);
  const entries = [buildDirectoryEntry("Root Entry", { kind: 5, start: END, size: 0 })];
  for (const [index, name] of names.entries())
    entries.push(buildDirectoryEntry(name, { kind: 2, start: first(index), size: MIN_STREAM_SIZE }));
  return Buffer.concat([
    buildHeader(),
    Buffer.concat(table.map(le32)),
    Buffer.concat([...entries, Buffer.alloc(directory * SECTOR_SIZE)]).subarray(0, directory * SECTOR_SIZE),
    ...names.map((name) =>
      Buffer.concat([streams[name] as Buffer, Buffer.alloc(MIN_STREAM_SIZE)]).subarray(0, MIN_STREAM_SIZE),
    ),
  ]);
}

function le32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function buildHeader(): Buffer {
  const bytes = Buffer.alloc(SECTOR_SIZE);
  Buffer.from("d0cf11e0a1b11ae1", "hex").copy(bytes);
  for (const [at, value] of [
    [24, 0x3e],
    [26, 3],
    [28, 0xfffe],
    [30, 9],
    [32, 6],
  ] as const)
    bytes.writeUInt16LE(value, at);
  for (const [at, value] of [
    [44, 1],
    [48, 1],
    [56, MIN_STREAM_SIZE],
    [60, END],
    [68, END],
  ] as const)
    bytes.writeUInt32LE(value, at);
  for (let at = 76; at < SECTOR_SIZE; at += 4) bytes.writeUInt32LE(at === 76 ? 0 : FREE, at);
  return bytes;
}

function buildDirectoryEntry(
  name: string,
  { kind, start, size }: { kind: number; start: number; size: number },
): Buffer {
  const bytes = Buffer.alloc(128);
  bytes.write(name, "utf16le");
  bytes.writeUInt16LE(name.length * 2 + 2, 64);
  bytes.writeUInt8(kind, 66);
  for (const at of [68, 72, 76]) bytes.writeUInt32LE(FREE, at);
  bytes.writeUInt32LE(start, 116);
  bytes.writeUInt32LE(size, 120);
  return bytes;
}

/** Creates a property set ([MS-OLEPS]): texts, and dates as numbers of 100 nanoseconds. */
export function createPropertySet(properties: Record<number, string | bigint>): Buffer {
  const list = Object.entries(properties);
  const values = list.map(([, value]) => (typeof value === "string" ? textValue(value) : timeValue(value)));
  let at = 8 + list.length * 8;
  const index = list.map(([id], entryIndex) => {
    const bytes = Buffer.concat([le32(Number(id)), le32(at)]);
    at += values[entryIndex]?.length ?? 0;
    return bytes;
  });
  const set = Buffer.concat([le32(at), le32(list.length), ...index, ...values]);
  const head = Buffer.alloc(48);
  head.writeUInt16LE(0xfffe, 0);
  head.writeUInt32LE(1, 24);
  head.writeUInt32LE(48, 44);
  return Buffer.concat([head, set]);
}

const textValue = (text: string): Buffer =>
  Buffer.concat([
    le32(0x1e),
    le32(text.length + 1),
    Buffer.from(`${text}\0`.padEnd(Math.ceil((text.length + 1) / 4) * 4, "\0")),
  ]);

function timeValue(time: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(time);
  return Buffer.concat([le32(0x40), bytes]);
}

/** Creates a Word 2003 document that names its author, times, program and company. */
export const createDoc = (): Buffer =>
  createCompoundFile({
    WordDocument: Buffer.from("What I saw."),
    "\u0005SummaryInformation": createPropertySet({
      4: "Maya Castillo",
      12: 134_000_000_000_000_000n,
      18: "Lantern",
    }),
    "\u0005DocumentSummaryInformation": createPropertySet({ 15: "Lantern" }),
  });
