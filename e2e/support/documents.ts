import { type Parts, zip } from "#lib/files/cleaning/zip.ts";
import { photo } from "./evidence.ts";

/**
 * Small real office documents, made here. What speaks of their makers is either "Maya Castillo", "Lantern" or a time in
 * March 2026, so that a search finds whatever is left of it.
 */

const HEAD = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n`;
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const TYPE = "application/vnd.openxmlformats-officedocument";

/** Parts of a document by name; a null takes one out. */
export type Changes = Record<string, string | Buffer | null>;

async function packed(parts: Record<string, string | Buffer>, changes: Changes): Promise<Buffer> {
  const all = Object.entries({ ...parts, ...changes }).filter(([, content]) => content !== null);
  const bytes = all.map(([name, content]): [string, Buffer] => [name, Buffer.from(content as string)]);
  return zip(new Map(bytes) satisfies Parts);
}

/** Id, kind and target of each. */
export const relations = (...list: [id: string, kind: string, target: string, mode?: string][]): string =>
  `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${list
    .map(([id, kind, target, mode]) => {
      const type = kind.includes("/") ? kind : `${OFFICE}/relationships/${kind}`;
      return `<Relationship Id="${id}" Type="${type}" Target="${target}"${mode ? ` TargetMode="${mode}"` : ""}/>`;
    })
    .join("")}</Relationships>`;

/** Types by the name of the part. */
export const contentTypes = (parts: Record<string, string>): string =>
  `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="jpeg" ContentType="image/jpeg"/><Default Extension="bin" ContentType="${TYPE}.spreadsheetml.printerSettings"/><Default Extension="vml" ContentType="${TYPE}.vmlDrawing"/>${Object.entries(
    parts,
  )
    .map(([name, type]) => `<Override PartName="/${name}" ContentType="${type}"/>`)
    .join("")}</Types>`;

const CORE = `${HEAD}<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>Lantern</dc:title><dc:creator>Maya Castillo</dc:creator><cp:lastModifiedBy>Maya Castillo</cp:lastModifiedBy><dcterms:created>2026-03-01T10:15:00Z</dcterms:created></cp:coreProperties>`;
const APP = `${HEAD}<Properties xmlns="${OFFICE}/extended-properties"><Application>Lantern Writer</Application><Company>Lantern</Company></Properties>`;
const ROOT = (document: string) =>
  relations(
    ["rId1", "officeDocument", document],
    ["rId2", `${PACKAGE}/relationships/metadata/core-properties`, "docProps/core.xml"],
    ["rId3", "extended-properties", "docProps/app.xml"],
    ["rId4", `${PACKAGE}/relationships/metadata/thumbnail`, "docProps/thumbnail.jpeg"],
  );
const PROPERTY_TYPES = {
  "docProps/core.xml": "application/vnd.openxmlformats-package.core-properties+xml",
  "docProps/app.xml": `${TYPE}.extended-properties+xml`,
};

const WORDS = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${OFFICE}/relationships" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"`;
const CHANGE = `w:author="Maya Castillo" w:date="2026-03-01T10:15:00Z"`;
const PICTURE = `<w:drawing><a:graphic><a:graphicData><a:blip r:embed="rId3"/></a:graphicData></a:graphic></w:drawing>`;

/** With properties, a preview, tracked changes, a comment, people, custom data, a template and a photograph. */
export const docx = async (changes: Changes = {}): Promise<Buffer> =>
  packed(
    {
      "[Content_Types].xml": contentTypes({
        "word/document.xml": `${TYPE}.wordprocessingml.document.main+xml`,
        "word/comments.xml": `${TYPE}.wordprocessingml.comments+xml`,
        "word/settings.xml": `${TYPE}.wordprocessingml.settings+xml`,
        "word/people.xml": `${TYPE}.wordprocessingml.people+xml`,
        ...PROPERTY_TYPES,
      }),
      "_rels/.rels": ROOT("word/document.xml"),
      "docProps/core.xml": CORE,
      "docProps/app.xml": APP,
      "docProps/thumbnail.jpeg": await photo(),
      "word/document.xml": `${HEAD}<w:document ${WORDS}><w:body><w:p w:rsidR="00A77B3C"><w:r><w:t xml:space="preserve">What I saw </w:t></w:r><w:ins w:id="1" ${CHANGE}><w:r><w:t>by the door &amp; later</w:t></w:r></w:ins><w:r>${PICTURE}</w:r></w:p></w:body></w:document>`,
      "word/_rels/document.xml.rels": relations(
        ["rId1", "comments", "comments.xml"],
        ["rId2", "settings", "/word/settings.xml"],
        ["rId3", "image", "media/image1.jpeg"],
        ["rId4", "http://schemas.microsoft.com/office/2011/relationships/people", "people.xml"],
        ["rId5", "customXml", "../customXml/item1.xml"],
        ["rId6", "hyperlink", "https://example.org/", "External"],
      ),
      "word/comments.xml": `${HEAD}<w:comments ${WORDS}><w:comment w:id="1" w:initials="MC" ${CHANGE}><w:p><w:r><w:t>Is it so?</w:t></w:r></w:p></w:comment></w:comments>`,
      "word/settings.xml": `${HEAD}<w:settings ${WORDS}><w:attachedTemplate r:id="rId1"/><w:rsids><w:rsidRoot w:val="00A77B3C"/></w:rsids><w:zoom w:percent="100"/></w:settings>`,
      "word/_rels/settings.xml.rels": relations([
        "rId1",
        "attachedTemplate",
        "file:///C:/Users/Maya%20Castillo/Lantern.dotx",
        "External",
      ]),
      "word/people.xml": `${HEAD}<w15:people xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml"><w15:person w15:author="Maya Castillo"/></w15:people>`,
      "word/media/image1.jpeg": await photo(),
      "customXml/item1.xml": `<root xmlns="urn:lantern">Lantern</root>`,
    },
    changes,
  );

/** With nothing but its text. */
export const bareDocx = async (changes: Changes = {}): Promise<Buffer> =>
  packed(
    {
      "[Content_Types].xml": contentTypes({
        "word/document.xml": `${TYPE}.wordprocessingml.document.main+xml`,
      }),
      "_rels/.rels": relations(["rId1", "officeDocument", "word/document.xml"]),
      "word/document.xml": `${HEAD}<w:document ${WORDS}><w:body><w:p><w:r><w:t>What I saw.</w:t></w:r></w:p></w:body></w:document>`,
    },
    changes,
  );

const SHEET = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${OFFICE}/relationships"`;

/** With properties, where it lay, who shared it, a comment, and the printer. */
export const xlsx = async (changes: Changes = {}): Promise<Buffer> =>
  packed(
    {
      "[Content_Types].xml": contentTypes({
        "xl/workbook.xml": `${TYPE}.spreadsheetml.sheet.main+xml`,
        "xl/worksheets/sheet1.xml": `${TYPE}.spreadsheetml.worksheet+xml`,
        "xl/comments1.xml": `${TYPE}.spreadsheetml.comments+xml`,
        ...PROPERTY_TYPES,
      }),
      "_rels/.rels": ROOT("xl/workbook.xml"),
      "docProps/core.xml": CORE,
      "docProps/app.xml": APP,
      "docProps/thumbnail.jpeg": await photo(),
      "xl/workbook.xml": `${HEAD}<workbook ${SHEET} xmlns:x="http://schemas.microsoft.com/office/spreadsheetml/2010/11/ac"><fileSharing userName="Maya Castillo"/><x:absPath url="C:\\Users\\Maya Castillo\\"/><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>`,
      "xl/_rels/workbook.xml.rels": relations(["rId1", "worksheet", "worksheets/sheet1.xml"]),
      "xl/worksheets/sheet1.xml": `${HEAD}<worksheet ${SHEET}><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Cell</t></is></c></row></sheetData><pageSetup orientation="portrait" r:id="rId2"/></worksheet>`,
      "xl/worksheets/_rels/sheet1.xml.rels": relations(
        ["rId1", "comments", "../comments1.xml"],
        ["rId2", "printerSettings", "../printerSettings/printerSettings1.bin"],
      ),
      "xl/comments1.xml": `${HEAD}<comments ${SHEET}><authors><author>Maya Castillo</author></authors><commentList><comment ref="A1" authorId="0"><text><t>Is it so?</t></text></comment></commentList></comments>`,
      "xl/printerSettings/printerSettings1.bin": "Lantern LaserJet",
    },
    changes,
  );

const SLIDES = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="${OFFICE}/relationships"`;

/** With properties and a comment. */
export const pptx = async (changes: Changes = {}): Promise<Buffer> =>
  packed(
    {
      "[Content_Types].xml": contentTypes({
        "ppt/presentation.xml": `${TYPE}.presentationml.presentation.main+xml`,
        "ppt/slides/slide1.xml": `${TYPE}.presentationml.slide+xml`,
        "ppt/comments/comment1.xml": `${TYPE}.presentationml.comments+xml`,
        "ppt/commentAuthors.xml": `${TYPE}.presentationml.commentAuthors+xml`,
        ...PROPERTY_TYPES,
      }),
      "_rels/.rels": ROOT("ppt/presentation.xml"),
      "docProps/core.xml": CORE,
      "docProps/app.xml": APP,
      "docProps/thumbnail.jpeg": await photo(),
      "ppt/presentation.xml": `${HEAD}<p:presentation ${SLIDES}><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>`,
      "ppt/_rels/presentation.xml.rels": relations(
        ["rId1", "slide", "slides/slide1.xml"],
        ["rId2", "commentAuthors", "commentAuthors.xml"],
      ),
      "ppt/slides/slide1.xml": `${HEAD}<p:sld ${SLIDES}><p:cSld name="What I saw"/></p:sld>`,
      "ppt/slides/_rels/slide1.xml.rels": relations(["rId1", "comments", "../comments/comment1.xml"]),
      "ppt/comments/comment1.xml": `${HEAD}<p:cmLst ${SLIDES}><p:cm authorId="0" dt="2026-03-01T10:15:00" idx="1"><p:text>Is it so?</p:text></p:cm></p:cmLst>`,
      "ppt/commentAuthors.xml": `${HEAD}<p:cmAuthorLst ${SLIDES}><p:cmAuthor id="0" name="Maya Castillo" initials="MC" lastIdx="1" clrIdx="0"/></p:cmAuthorLst>`,
    },
    changes,
  );

const OPEN = "urn:oasis:names:tc:opendocument:xmlns";
const ODF = `xmlns:office="${OPEN}:office:1.0" xmlns:text="${OPEN}:text:1.0" xmlns:draw="${OPEN}:drawing:1.0" xmlns:meta="${OPEN}:meta:1.0" xmlns:config="${OPEN}:config:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink" office:version="1.3"`;
const BY = `<dc:creator>Maya Castillo</dc:creator><dc:date>2026-03-01T10:15:00</dc:date>`;

/** Entries of a manifest: paths with their types. */
export const manifest = (mimetype: string, entries: Record<string, string>, inside = ""): string =>
  `${HEAD}<manifest:manifest xmlns:manifest="${OPEN}:manifest:1.0" manifest:version="1.3"><manifest:file-entry manifest:full-path="/" manifest:media-type="${mimetype}"/>${Object.entries(
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

/** With properties, a preview, a tracked change, a comment, the printer and a photograph. */
export const odf = async (kind: "text" | "spreadsheet" | "presentation", changes: Changes = {}) => {
  const mimetype = `application/vnd.oasis.opendocument.${kind}`;
  return packed(
    {
      mimetype,
      "content.xml": `${HEAD}<office:document-content ${ODF}><office:body><office:${kind}><text:tracked-changes><text:changed-region text:id="c1"><text:insertion><office:change-info>${BY}</office:change-info></text:insertion></text:changed-region></text:tracked-changes><text:p>What I saw<office:annotation>${BY}<meta:creator-initials>MC</meta:creator-initials><text:p>Is it so?</text:p></office:annotation> <text:a xlink:href="https://example.org/">there</text:a></text:p><draw:frame><draw:image xlink:href="Pictures/1.jpg"/></draw:frame></office:${kind}></office:body></office:document-content>`,
      "settings.xml": `${HEAD}<office:document-settings ${ODF}><office:settings><config:config-item config:name="PrinterName" config:type="string">Lantern LaserJet</config:config-item><config:config-item config:name="AddFrameOffsets" config:type="boolean">true</config:config-item></office:settings></office:document-settings>`,
      "meta.xml": `${HEAD}<office:document-meta ${ODF}><office:meta><meta:initial-creator>Maya Castillo</meta:initial-creator><meta:creation-date>2026-03-01T10:15:00</meta:creation-date><meta:generator>Lantern Office</meta:generator><meta:user-defined meta:name="Owner">Maya Castillo</meta:user-defined></office:meta></office:document-meta>`,
      "Thumbnails/thumbnail.png": "Lantern",
      "Pictures/1.jpg": await photo(),
      "META-INF/manifest.xml": manifest(mimetype, ODF_ENTRIES),
    },
    changes,
  );
};

/** A text in RTF, with who wrote it when and with what. */
export const rtf = (): Buffer =>
  Buffer.from(
    String.raw`{\rtf1\ansi{\info{\author Maya Castillo}{\creatim\yr2026\mo3\dy1}{\title }}{\*\generator Lantern 1;}What I saw.\par}`,
  );

const [FREE, END, FAT] = [0xffffffff, 0xfffffffe, 0xfffffffd];
const SECTOR = 512;
/** Streams of this size lie in sectors of their own. */
const STREAM = 4096;

/** An old office file (a compound file) with these streams. */
export function compound(streams: Record<string, Buffer>): Buffer {
  const names = Object.keys(streams);
  const directory = Math.ceil((names.length + 1) / 4);
  const first = (index: number) => 1 + directory + (index * STREAM) / SECTOR;
  const table = Array<number>(SECTOR / 4).fill(FREE);
  const chain = (start: number, length: number) => {
    for (let at = start; at < start + length; at += 1) table[at] = at + 1 < start + length ? at + 1 : END;
  };
  table[0] = FAT;
  chain(1, directory);
  for (const index of names.keys()) chain(first(index), STREAM / SECTOR);
  const entries = [entry("Root Entry", { kind: 5, start: END, size: 0 })];
  for (const [index, name] of names.entries())
    entries.push(entry(name, { kind: 2, start: first(index), size: STREAM }));
  return Buffer.concat([
    header(),
    Buffer.concat(table.map(le32)),
    Buffer.concat([...entries, Buffer.alloc(directory * SECTOR)]).subarray(0, directory * SECTOR),
    ...names.map((name) =>
      Buffer.concat([streams[name] as Buffer, Buffer.alloc(STREAM)]).subarray(0, STREAM),
    ),
  ]);
}

function le32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function header(): Buffer {
  const bytes = Buffer.alloc(SECTOR);
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
    [56, STREAM],
    [60, END],
    [68, END],
  ] as const)
    bytes.writeUInt32LE(value, at);
  for (let at = 76; at < SECTOR; at += 4) bytes.writeUInt32LE(at === 76 ? 0 : FREE, at);
  return bytes;
}

function entry(name: string, { kind, start, size }: { kind: number; start: number; size: number }): Buffer {
  const bytes = Buffer.alloc(128);
  bytes.write(name, "utf16le");
  bytes.writeUInt16LE(name.length * 2 + 2, 64);
  bytes.writeUInt8(kind, 66);
  for (const at of [68, 72, 76]) bytes.writeUInt32LE(FREE, at);
  bytes.writeUInt32LE(start, 116);
  bytes.writeUInt32LE(size, 120);
  return bytes;
}

/** A set of properties ([MS-OLEPS]): texts, and dates as numbers of 100 nanoseconds. */
export function propertySet(properties: Record<number, string | bigint>): Buffer {
  const list = Object.entries(properties);
  const values = list.map(([, value]) => (typeof value === "string" ? textValue(value) : timeValue(value)));
  let at = 8 + list.length * 8;
  const index = list.map(([id], place) => {
    const bytes = Buffer.concat([le32(Number(id)), le32(at)]);
    at += values[place]?.length ?? 0;
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

/** A Word document of 2003: who wrote it when, with what, and for whom. */
export const doc = (): Buffer =>
  compound({
    WordDocument: Buffer.from("What I saw."),
    "\u0005SummaryInformation": propertySet({
      4: "Maya Castillo",
      12: 134_000_000_000_000_000n,
      18: "Lantern",
    }),
    "\u0005DocumentSummaryInformation": propertySet({ 15: "Lantern" }),
  });
