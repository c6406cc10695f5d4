import { deflateSync, inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createPhoto } from "#e2e/support/evidence.ts";
import { stripPdfMetadata } from "./pdf-copy.ts";

/** Numbered objects of a document, each with its source. The first is the catalog, the second the page tree. */
type Objects = Record<number, string | Buffer>;

/** Writes objects and their cross-references. @param before the revisions that come first, and what they end with */
function writeRevision(
  objects: Objects,
  { before = Buffer.from("%PDF-1.7\n") as Buffer, freed = [] as number[], trailer = "" } = {},
): Buffer {
  const previous = /startxref\n(\d+)\n%%EOF\n$/.exec(before.toString("latin1"))?.[1];
  let bytes = before;
  const entries = [
    "0 1\n0000000000 65535 f \n",
    ...freed.map((number) => `${number} 1\n0000000000 00001 f \n`),
  ];
  for (const [number, source] of Object.entries(objects)) {
    entries.push(`${number} 1\n${String(bytes.length).padStart(10, "0")} 00000 n \n`);
    bytes = Buffer.concat([
      bytes,
      Buffer.from(`${number} 0 obj\n`),
      Buffer.from(source as string, "latin1"),
      Buffer.from("\nendobj\n"),
    ]);
  }
  const size = Math.max(...Object.keys(objects).map(Number), 1) + 100;
  const end = `trailer\n<< /Size ${size} /Root 1 0 R ${previous ? `/Prev ${previous}` : ""} ${trailer} >>`;
  return Buffer.concat([
    bytes,
    Buffer.from(`xref\n${entries.join("")}${end}\nstartxref\n${bytes.length}\n%%EOF\n`),
  ]);
}

const stream = (entries: string, content: string | Buffer): Buffer => {
  const bytes = Buffer.from(content as string, "latin1");
  return Buffer.concat([
    Buffer.from(`<< ${entries} /Length ${bytes.length} >>\nstream\n`),
    bytes,
    Buffer.from("\nendstream"),
  ]);
};
const packed = (entries: string, content: string | Buffer): Buffer =>
  stream(`${entries} /Filter /FlateDecode`, deflateSync(Buffer.from(content as string, "latin1")));

const DRAWING = "/F1 gs BT /F1 12 Tf 20 150 Td (Hello) Tj ET";
/** A document with a page, and what is given for the page, its resources and its drawing. */
const buildPage = (
  { page = "", resources = "", catalog = "", drawing = DRAWING as string | Buffer },
  more: Objects = {},
): Objects => ({
  1: `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
  2: "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
  3: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> ${resources} >> ${page} >>`,
  4: packed("", drawing),
  5: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ...more,
});

const clean = (bytes: Buffer, alwaysRewrite = false) =>
  stripPdfMetadata(bytes, { readPictureFields: async () => ["Make"], alwaysRewrite });
const cleanObjects = (objects: Objects, alwaysRewrite = false) =>
  clean(writeRevision(objects), alwaysRewrite);

/** Everything that a file says to who unpacks it: its own bytes, and those of each stream that can be inflated. */
function unpack(bytes: Uint8Array | null): string {
  const file = Buffer.from(bytes ?? []);
  const text = file.toString("latin1");
  const streams = [...text.matchAll(/stream\r?\n/g)].map(({ index, 0: head }) => {
    try {
      return inflateSync(file.subarray(index + head.length)).toString("latin1");
    } catch {
      return "";
    }
  });
  return [text, ...streams].join("\n");
}

/** One of each that a document of these days has: layers, notes, forms, structure, colors, patterns, masks. */
const RICH = buildPage(
  {
    catalog:
      "/Lang (en) /Outlines 20 0 R /OCProperties << /OCGs [21 0 R] /D << /ON [21 0 R] /Order [(Floors) 21 0 R] >> >> /AcroForm << /Fields [24 0 R] /DA (/F1 9 Tf) /DR << /Font << /F1 5 0 R >> >> >> /StructTreeRoot 26 0 R /MarkInfo << /Marked true >> /PageLabels << /Nums [0 << /S /D /P (A-) >>] >> /Names << /Dests << /Names [(hall) [3 0 R /Fit]] >> >> /ViewerPreferences << /DisplayDocTitle true >> /OpenAction [3 0 R /Fit]",
    page: "/Annots [22 0 R 23 0 R 25 0 R] /Group << /S /Transparency /CS /DeviceRGB >> /StructParents 0 /Tabs /S",
    resources:
      "/XObject << /X1 10 0 R /X2 11 0 R >> /ExtGState << /G1 << /CA 0.5 /SMask << /S /Luminosity /G 10 0 R >> >> >> /Pattern << /P1 12 0 R /P2 13 0 R >> /ColorSpace << /C1 [/Separation /Spot /DeviceRGB 14 0 R] /C2 [/Indexed /DeviceRGB 1 (abcdef)] /C3 [/ICCBased 16 0 R] >> /Shading << /S1 << /ShadingType 2 /ColorSpace /DeviceRGB /Coords [0 0 1 1] /Function 14 0 R >> >> /Properties << /M1 21 0 R /M2 << /ActualText (two) >> >> /ProcSet [/PDF /Text]",
    drawing:
      "/OC /M1 BDC /Span << /MCID 0 /ActualText (Hello \\) 5 %) >> BDC BT /F1 12 Tf (Hello) Tj <6869> Tj ET EMC EMC",
  },
  {
    5: "<< /Type /Font /Subtype /TrueType /BaseFont /Plain /FirstChar 65 /LastChar 65 /Widths [600] /Encoding << /BaseEncoding /WinAnsiEncoding /Differences [65 /A] >> /ToUnicode 15 0 R /FontDescriptor << /Type /FontDescriptor /FontName /Plain /Flags 32 /FontBBox [0 0 1 1] /ItalicAngle 0 /FontFile2 15 0 R >> >>",
    10: stream(
      "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F1 5 0 R >> >> /Group << /S /Transparency >>",
      "q Q",
    ),
    11: stream(
      "/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray /SMask 17 0 R",
      "a",
    ),
    12: stream(
      "/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 9 9] /XStep 9 /YStep 9 /Resources << >>",
      "0 0 m",
    ),
    13: "<< /PatternType 2 /Shading << /ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 1 1] /Function 14 0 R >> >>",
    14: "<< /FunctionType 2 /Domain [0 1] /C0 [0 0 0] /C1 [1 1 1] /N 1 >>",
    15: packed("", "begincmap endcmap"),
    16: packed("/N 3 /Alternate /DeviceRGB", "profile"),
    17: stream(
      "/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray",
      "b",
    ),
    20: "<< /Type /Outlines /First 28 0 R /Last 28 0 R /Count 1 >>",
    21: "<< /Type /OCG /Name (Ground floor) /Usage << /Print << /Subtype /Print /PrintState /ON >> >> >>",
    22: "<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents (I saw this) /Name /Comment /C [1 1 0] /AP << /N 10 0 R >> /P 3 0 R /OC 21 0 R >>",
    23: "<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /Border [0 0 0] /A << /S /URI /URI (https://example.org) >> /StructParent 1 >>",
    24: "<< /T (form) /Kids [25 0 R] >>",
    25: "<< /Subtype /Widget /Rect [0 0 9 9] /Parent 24 0 R /FT /Btn /T (box) /TU (Tick it) /V /On /AS /On /MK << /CA (4) >> /AP << /N << /On 10 0 R /Off 10 0 R >> >> >>",
    26: "<< /Type /StructTreeRoot /K 27 0 R /ParentTree << /Nums [0 [27 0 R]] >> /RoleMap << /Heading /H1 >> >>",
    27: "<< /Type /StructElem /S /Figure /P 26 0 R /Pg 3 0 R /Alt (The hall) /A << /O /Layout /BBox [0 0 9 9] >> /K [0 << /Type /MCR /Pg 3 0 R /MCID 1 >> << /Type /OBJR /Obj 23 0 R >>] >>",
    28: "<< /Title (Hall) /Parent 20 0 R /Dest (hall) >>",
  },
);

describe("a PDF", () => {
  it("keeps everything that shows its pages or was written", async () => {
    expect(await cleanObjects(RICH)).toEqual({ names: [], copy: null, stuck: false });
  });

  it("loses what programs store for themselves in each of its dictionaries", async () => {
    const seed = "/LNTN_Tool << /By (Lantern) >> /Owner (Lantern)";
    for (const [number, source] of Object.entries(RICH)) {
      const text = Buffer.from(source as string, "latin1").toString("latin1");
      const end = text.includes("stream\n") ? text.indexOf("stream\n") : text.length;
      for (const { index } of text
        .slice(0, end)
        .matchAll(/<<(?!\s*\/(?:Font|F1|X1|X2|G1|P1|P2|C1|S1|M1|On|Heading)\b)/g)) {
        const planted = Buffer.from(`${text.slice(0, index + 2)} ${seed} ${text.slice(index + 2)}`, "latin1");
        const { names, copy } = await cleanObjects({ ...RICH, [number]: planted });
        expect([number, index, copy === null, unpack(copy).includes("Lantern")]).toEqual([
          number,
          index,
          false,
          false,
        ]);
        expect(names).toContain("Author");
      }
    }
  });

  it.each<[string, Objects]>([
    [
      "the maker of a layer",
      buildPage(
        { resources: "/Properties << /M 9 0 R >>" },
        { 9: "<< /Type /OCG /Name (One) /Usage << /CreatorInfo << /Creator (Lantern) >> >> >>" },
      ),
    ],
    [
      "the maker of its layers",
      buildPage({ catalog: "/OCProperties << /OCGs [] /D << /Creator (Lantern) /Name (Lantern) >> >>" }),
    ],
    ["lists of properties", buildPage({ resources: "/Properties << /M << /Title (Lantern) >> >>" })],
    [
      "properties in its drawing",
      buildPage({
        drawing: "/Artifact << /Type /Background /Title (Lantern \\) >>) /By [(Lantern)] >> BDC q Q EMC",
      }),
    ],
    [
      "comments in its drawing",
      buildPage({ drawing: "q % by Lantern\nQ BT (100 % \\) sure) Tj ET% Lantern" }),
    ],
    [
      "comments in the drawing of a form",
      buildPage(
        { resources: "/XObject << /X 9 0 R >>" },
        { 9: packed("/Subtype /Form", "q Q % by Lantern") },
      ),
    ],
    [
      "comments in a pattern",
      buildPage(
        { resources: "/Pattern << /P 9 0 R >>" },
        { 9: packed("/PatternType 1", "q Q % by Lantern") },
      ),
    ],
    [
      "comments in a glyph",
      buildPage(
        { resources: "/Font << /T << /Subtype /Type3 /CharProcs << /a 9 0 R >> >> >>" },
        { 9: packed("", "q Q % by Lantern") },
      ),
    ],
    [
      "an entry of a small picture",
      buildPage({ drawing: "BI /W 1 /H 1 /BPC 8 /CS /G /By (Lantern EI ) ID a EI Q" }),
    ],
    [
      "the name of a stamp",
      buildPage({ page: "/Annots [<< /Subtype /Stamp /Rect [0 0 9 9] /Name /ByLantern >>]" }),
    ],
    [
      "properties that a person gave to parts of the text",
      buildPage({
        catalog:
          "/StructTreeRoot << /K << /S /P /A << /O /UserProperties /P [<< /N (By) /V (Lantern) >>] >> >> >>",
      }),
    ],
    [
      "a page that was taken out",
      buildPage(
        { catalog: "/Outlines << /First << /Title (One) /Dest [9 0 R /Fit] >> >>" },
        { 9: "<< /Type /Page /Parent 2 0 R /Contents 10 0 R >>", 10: packed("", "(Lantern) Tj") },
      ),
    ],
    [
      "XMP where nobody expects it",
      buildPage(
        { catalog: "/Elsewhere 9 0 R" },
        { 9: stream("/Type /Metadata", "<dc:creator>Lantern</dc:creator>") },
      ),
    ],
  ])("loses %s", async (_, objects) => {
    expect(unpack(writeRevision(objects))).toContain("Lantern");
    const { copy } = await cleanObjects(objects);
    expect(copy).not.toBeNull();
    expect(unpack(copy)).not.toContain("Lantern");
  });

  it("keeps the words of rich text, without the program that wrote it", async () => {
    const rich =
      '<?xml version="1.0"?><body xmlns:xfa="x" xfa:APIVersion="Lantern:23"><p>It was <b>loud</b> &amp; late</p></body>';
    for (const plain of ["/Contents (It was loud)", ""]) {
      const objects = buildPage({
        page: `/Annots [<< /Subtype /Text /Rect [0 0 9 9] /RC (${rich}) ${plain} >>]`,
      });
      const { names, copy } = await cleanObjects(objects);
      expect(names).toEqual(["CreatorTool"]);
      expect(unpack(copy)).not.toMatch(/Lantern|\/RC/);
      expect(unpack(copy)).toContain(
        plain ||
          `/Contents <FEFF${Buffer.from("It was loud & late", "utf16le").swap16().toString("hex").toUpperCase()}>`,
      );
    }
  });

  it.each([
    ["", (data: Buffer) => data],
    ["/A85", (data: Buffer) => Buffer.from(`${encodeAscii85(data)}~>`)],
  ])("loses the metadata of a small photograph in its drawing (%s)", async (filter, encode) => {
    const photo = await createPhoto();
    expect(photo.includes("Exif")).toBe(true);
    const drawing = Buffer.concat([
      Buffer.from(`q BI /W 24 /H 16 /CS /RGB /BPC 8 /F [${filter} /DCT] ID `),
      encode(photo),
      Buffer.from("\nEI Q BT (Hello) Tj ET"),
    ]);
    const { names, copy } = await cleanObjects(buildPage({ drawing }));
    expect(names).toEqual(["Make"]);
    const all = unpack(copy);
    expect(all).not.toContain("Exif");
    expect(all).toMatch(/ID \xff\xd8[^]*\nEI Q BT \(Hello\) Tj ET/);
    expect((await clean(Buffer.from(copy as Uint8Array))).copy).toBeNull();
  });

  it("takes a percent sign and EI within a picture for neither", async () => {
    for (const picture of [
      "/W 8 /H 1 /BPC 8 /CS /G ID a EI % b",
      "/W 8 /H 1 /BPC 8 /CS /G /F /Fl ID a EI \x80\x81 b",
    ])
      expect((await cleanObjects(buildPage({ drawing: `BI ${picture}\nEI Q` }))).copy).toBeNull();
  });

  it.each([
    ["a picture", "BI /W 1 /H 1 ID abc"],
    ["a text", "BT (Hello"],
    ["properties", "/Span << /MCID 0"],
  ])("whose drawing breaks off within %s can't be read to its end", async (_, drawing) => {
    await expect(cleanObjects(buildPage({ drawing }))).rejects.toThrow(Error);
  });
});

describe("a PDF that was saved more than once", () => {
  const note = "<< /Type /Annot /Subtype /Stamp /Rect [0 0 9 9] /Contents (Lantern) >>";
  const first = writeRevision(buildPage({ page: "/Annots [9 0 R]" }, { 9: note }));

  it("shows what its last revision does, and holds nothing that was deleted", async () => {
    for (const last of [
      writeRevision({}, { before: first, freed: [9] }),
      writeRevision(buildPage({}), { before: first }),
      writeRevision({ 9: note.replace("Lantern", "Seen") }, { before: first }),
      writeRevision(
        { 9: note.replace("Lantern", "Seen") },
        { before: writeRevision({}, { before: first, freed: [9] }) },
      ),
    ]) {
      const { copy } = await clean(last);
      expect(unpack(copy)).not.toContain("Lantern");
      expect(unpack(copy)).toContain("Hello");
      expect(unpack(copy).includes("Seen")).toBe(last.includes("Seen"));
    }
  });

  it("keeps objects that its table hides from older readers", async () => {
    const table = writeRevision(buildPage({ page: "/Annots [9 0 R]" }), { freed: [9] });
    const at = table.length;
    const [list, objects] = [
      at + Buffer.from(stream("/Type /ObjStm /N 1 /First 4", `9 0 ${note}`)).length + 20,
      30,
    ];
    const head = Buffer.concat([
      table,
      Buffer.from(`${objects} 0 obj\n`),
      stream("/Type /ObjStm /N 1 /First 4", `9 0 ${note}`),
      Buffer.from("\nendobj\n"),
    ]);
    const padding = Buffer.alloc(list - head.length, "\n");
    const entry = Buffer.concat([
      Buffer.from(`31 0 obj\n`),
      stream(
        "/Type /XRef /W [1 4 1] /Index [9 1 30 1] /Size 40",
        Buffer.from(`02${"0000001e"}0001${at.toString(16).padStart(8, "0")}00`, "hex"),
      ),
      Buffer.from("\nendobj\n"),
    ]);
    const hybrid = writeRevision(
      {},
      {
        before: Buffer.concat([head, padding, entry]),
        trailer: `/XRefStm ${list} /Prev ${/startxref\n(\d+)\n/.exec(table.toString("latin1"))?.[1]}`,
      },
    );
    const { copy } = await clean(hybrid);
    expect(unpack(copy)).toContain("Lantern");
  });

  it("can't be read to its end where its revisions can't be followed", async () => {
    const last = writeRevision({}, { before: first, freed: [9] }).toString("latin1");
    const broken = last.replace(/startxref\n\d+\n%%EOF\n$/, "startxref\n1\n%%EOF\n");
    await expect(clean(Buffer.from(broken, "latin1"))).rejects.toThrow(Error);
  });

  it("may have something in front of its header", async () => {
    const bytes = Buffer.concat([
      Buffer.from("From a mail\r\n"),
      writeRevision({}, { before: first, freed: [9] }),
    ]);
    expect(unpack((await clean(bytes)).copy)).not.toMatch(/Lantern|From a mail/);
  });
});

/** Five letters for four bytes (ISO 32000-2, 7.4.3). */
function encodeAscii85(data: Buffer): string {
  const padded = Buffer.concat([data, Buffer.alloc((4 - (data.length % 4)) % 4)]);
  let text = "";
  for (let at = 0; at < padded.length; at += 4) {
    let value = padded.readUInt32BE(at);
    let letters = "";
    for (let digit = 0; digit < 5; digit += 1) {
      letters = String.fromCharCode(33 + (value % 85)) + letters;
      value = Math.floor(value / 85);
    }
    text += letters;
  }
  const missing = padded.length - data.length;
  return missing > 0 ? text.slice(0, -missing) : text;
}
