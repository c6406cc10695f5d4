import { describe, expect, it } from "vitest";
import {
  createBareDocx,
  buildContentTypes,
  createDocx,
  buildManifest,
  createOdf,
  ODF_ENTRIES,
  createPptx,
  buildRelations,
  createXlsx,
} from "#e2e/support/documents.ts";
import { createPhoto } from "#e2e/support/evidence.ts";
import { stripOfficeMetadata } from "./office-copy.ts";
import { listRevealedMetadataCategories } from "./reveals.ts";
import { ZipArchive } from "./zip.ts";

const readPhotoFields = async () => ["GPSLatitude", "Make"];

async function stripBytes(bytes: Buffer) {
  const { names, copy, stuck } = await stripOfficeMetadata(bytes, readPhotoFields);
  const parts = new Map<string, string>();
  if (copy) {
    const archive = await ZipArchive.open(Buffer.from(copy));
    for (const name of archive.names) parts.set(name, (await archive.read(name)).toString("latin1"));
  }
  return {
    reveals: listRevealedMetadataCategories(names),
    copy,
    stuck,
    parts,
    all: [...parts.values()].join(),
  };
}

const SHEET = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`;

/** Any trace of the authors. */
const MAKERS = /Castillo|Lantern|2026-03|2026:03|00A77B3C|"MC"/;

describe("a Word document", () => {
  it("loses authors, times and programs of text, changes and comments, and keeps these", async () => {
    const { reveals, stuck, parts, all } = await stripBytes(await createDocx());
    expect([stuck, reveals]).toEqual([false, ["place", "device", "time", "author"]]);
    expect(all).not.toMatch(MAKERS);
    expect([...parts.keys()]).toEqual([
      "[Content_Types].xml",
      "_rels/.rels",
      "word/document.xml",
      "word/_rels/document.xml.rels",
      "word/comments.xml",
      "word/settings.xml",
      "word/_rels/settings.xml.rels",
      "word/media/image1.jpeg",
    ]);
    expect(parts.get("word/document.xml")).toContain(
      `<w:p><w:r><w:t xml:space="preserve">What I saw </w:t></w:r><w:ins w:id="1" w:author="Author"><w:r><w:t>by the door &amp; later</w:t>`,
    );
    expect(parts.get("word/comments.xml")).toContain(`<w:comment w:id="1" w:initials="A" w:author="Author">`);
    expect(parts.get("word/settings.xml")).toContain(`><w:zoom w:percent="100"/></w:settings>`);
    const targets = (name: string) =>
      [...(parts.get(name) ?? "").matchAll(/Target="([^"]+)"/g)].map(([, to]) => to);
    expect(targets("_rels/.rels")).toEqual(["word/document.xml"]);
    expect(targets("word/_rels/document.xml.rels")).toEqual([
      "comments.xml",
      "/word/settings.xml",
      "media/image1.jpeg",
      "https://example.org/",
    ]);
    const listed = [...(parts.get("[Content_Types].xml") ?? "").matchAll(/PartName="\/([^"]+)"/g)];
    expect(listed.map(([, name]) => name)).toEqual([
      "word/document.xml",
      "word/comments.xml",
      "word/settings.xml",
    ]);
  });

  it("with nothing but its text stays as it is, and so does a copy", async () => {
    const { copy } = await stripBytes(await createDocx());
    for (const bytes of [await createBareDocx(), Buffer.from(copy as Uint8Array)])
      expect(await stripOfficeMetadata(bytes, readPhotoFields)).toEqual({
        names: [],
        copy: null,
        stuck: false,
      });
  });

  it("loses unreferenced parts", async () => {
    const { stuck, parts } = await stripBytes(
      await createBareDocx({ "word/old.xml": "Lantern", "[trash]/0.dat": "Lantern" }),
    );
    expect(stuck).toBe(false);
    expect([...parts.keys()]).toEqual(["[Content_Types].xml", "_rels/.rels", "word/document.xml"]);
  });

  const W = "application/vnd.openxmlformats-officedocument.wordprocessingml";
  const led = (...more: Parameters<typeof buildRelations>) => ({
    "word/_rels/document.xml.rels": buildRelations(...more),
    "[Content_Types].xml": buildContentTypes({
      "word/document.xml": `${W}.document.main+xml`,
      "word/comments.xml": `${W}.comments+xml`,
      "word/vbaProject.bin": "application/vnd.ms-office.vbaProject",
      "word/embeddings/oleObject1.bin": "application/vnd.openxmlformats-officedocument.oleObject",
      "word/media/image1.emf": "image/x-emf",
    }),
  });
  it.each([
    ["macros", { ...led(["rId1", "vbaProject", "vbaProject.bin"]), "word/vbaProject.bin": "x" }],
    [
      "a file of another program",
      { ...led(["rId1", "oleObject", "embeddings/oleObject1.bin"]), "word/embeddings/oleObject1.bin": "x" },
    ],
    [
      "a picture of an unknown kind",
      { ...led(["rId1", "image", "media/image1.emf"]), "word/media/image1.emf": "x" },
    ],
    ["a part that isn't there", led(["rId1", "comments", "comments.xml"])],
    ["a link to somebody's file", led(["rId1", "image", "file:///C:/Users/Maya/a.jpg", "External"])],
    ["a picture on the web", led(["rId1", "image", "https://example.org/a.jpg", "External"])],
    ["a part on the web", led(["rId1", "subDocument", "https://example.org/a.docx", "External"])],
    [
      "a picture behind a link",
      {
        ...led(["rId1", "hyperlink", "https://example.org/a.jpg", "External"]),
        "word/document.xml": `<a:blip xmlns:a="urn:schemas-microsoft-com:a" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:link="rId1"/>`,
      },
    ],
    [
      "a signature",
      {
        "_rels/.rels": buildRelations(
          ["rId1", "officeDocument", "word/document.xml"],
          [
            "rId2",
            "http://schemas.openxmlformats.org/package/2006/relationships/digital-signature/origin",
            "_xmlsignatures/origin.sigs",
          ],
        ),
      },
    ],
    ["broken text", { "word/document.xml": "<w:document><w:body>" }],
    ["a document type", { "word/document.xml": `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>` }],
    [
      "a relation that leads nowhere",
      {
        "word/document.xml": `<a xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="rId9"/>`,
      },
    ],
    ["no document", { "_rels/.rels": buildRelations() }],
  ])("with %s can't be read to its end", async (_, changes) => {
    await expect(stripBytes(await createBareDocx(changes))).rejects.toThrow(Error);
  });

  it("loses the file names of its pictures, and keeps what describes them", async () => {
    const quoteNames = (names: string[]) =>
      names.map((name, id) => `<wp:docPr id="${id}" name="${name}" descr="${name}"/>`).join("");
    const given = [
      "C:\\Users\\Castillo\\a",
      "Castillo-Screenshot.png",
      "Picture 3",
      "The hall and/or the stairs",
    ];
    const written = [String.raw`\frac{a}{b}`, "A: the hall", "~10 people"];
    const describeBy = (texts: string[]) =>
      texts
        .map((text, id) => `<wp:docPr id="${id}" name="Picture" descr="${text}" title="${text}"/>`)
        .join("");
    const { parts } = await stripBytes(
      await createBareDocx({
        "word/document.xml": `<w:document xmlns:w="urn:schemas-microsoft-com:w" xmlns:wp="urn:schemas-microsoft-com:wp">${quoteNames(given)}${describeBy(written)}</w:document>`,
      }),
    );
    const text = parts.get("word/document.xml");
    expect(text).not.toMatch(MAKERS);
    for (const remaining of ["Picture 3", "The hall and/or the stairs"])
      expect(text).toContain(`name="${remaining}" descr="${remaining}"`);
    for (const remaining of written) expect(text).toContain(`descr="${remaining}" title="${remaining}"`);
  });

  const code = (text: string) => `<w:r><w:instrText xml:space="preserve">${text}</w:instrText></w:r>`;
  const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
  const shown = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`;
  const field = (codes: string, result = shown("Shown")) =>
    mark("begin") + codes + mark("separate") + result + mark("end");
  const withFields = async (body: string) => {
    const xml = `<w:document xmlns:w="urn:schemas-microsoft-com:w"><w:p>${body}</w:p></w:document>`;
    const { reveals, parts, copy } = await stripBytes(await createBareDocx({ "word/document.xml": xml }));
    return { reveals, text: copy ? (parts.get("word/document.xml") ?? "") : xml };
  };

  it.each([
    ["a picture", field(code(` INCLUDEPICTURE  "C:\\\\Users\\\\Castillo\\\\a.png" \\* MERGEFORMATINET `))],
    ["a code of several runs", field(code(` INCLUDEPIC`) + code(`TURE "/Users/Cas`) + code(`tillo/a.png"`))],
    [
      "a deleted code",
      field(code(` LINK Excel.Sheet "C:\\Castillo.xlsx"`).replaceAll("instrText", "delInstrText")),
    ],
    ["a link to a file", field(code(` HYPERLINK &quot;file:///C:/Users/Castillo/a&quot; `))],
    ["a link to a path", field(code(` HYPERLINK "Castillo/a.docx" `))],
    ["a path behind a harmless name", field(code(` TOC \\f "/home/Castillo/a" `))],
    ["data of a program", field(code(` ADDIN ZOTERO_ITEM {"uri":"users/Castillo"} `))],
    ["a code without a result", mark("begin") + code(` RD "Castillo.docx" `) + mark("end") + shown("Shown")],
    ["a code without an end", shown("Shown") + mark("begin") + code(` RD "Castillo.docx" `)],
    ["a code outside of a field", shown("Shown") + code(` RD "Castillo.docx" `)],
    ["a simple field", `<w:fldSimple w:instr=" DDEAUTO Excel Castillo ">${shown("Shown")}</w:fldSimple>`],
    ["a field in its code", field(code(" INCLUDEPICTURE ") + field(code(" PAGE "), shown("Castillo")))],
    ["a path in the text of a button", field(code(` MACROBUTTON NoMacro "/home/Castillo/a" `))],
    ["a path in a comparison", field(code(` IF 1 = 1 "C:\\Users\\Castillo" `))],
    ["a path of a server", field(code(` TC "//castillo/Castillo/a" `))],
    [
      "a removed field in a comparison",
      field(
        code(" IF ") + field(code(" MERGEFIELD Castillo "), shown("Castillo")) + code(` = "Castillo" "b" `),
      ),
    ],
    [
      "a removed simple field in a comparison",
      field(code(" IF ") + `<w:fldSimple w:instr=" MERGEFIELD Castillo "/>` + code(` = "Castillo" "b" `)),
    ],
    ["a field in its result", field(code(" PAGE "), shown("Shown") + field(code(" FILENAME Castillo ")))],
  ])("loses the code of a field with %s, and keeps what it shows", async (_, body) => {
    const { reveals, text } = await withFields(body);
    expect(reveals).toEqual(["author"]);
    expect(text).not.toMatch(MAKERS);
    expect(text).toContain(shown("Shown"));
    expect(text.match(/fldChar /g)).toEqual(body.match(/fldChar /g));
  });

  it.each([
    " PAGE ",
    ` TOC \\o "1-3" \\h \\z \\u `,
    ` HYPERLINK "https://example.org/a/b" \\o "There" `,
    ` HYPERLINK "mailto:team@example.org" `,
    ` HYPERLINK \\l "_Toc1" `,
    ` DATE \\@ "M/d/yyyy" `,
    " =SUM(ABOVE) ",
    " SEQ Figure \\* ARABIC ",
    " =A1 / B2 ",
    ` XE "Müller / Meier" `,
    ` TC "Part 1 / Intro" `,
    ` DATE \\@ "dd / MM" `,
    ` HYPERLINK "https://example.org/a" \\o "Title / site" `,
    " MACROBUTTON NoMacro [Name and/or address] ",
    " GOTOBUTTON Part1 Go to part 1 ",
    ` IF 1 = 1 "a / b" "c" `,
    ` COMPARE 1 = 1 `,
  ])("keeps the field%s", async (given) => {
    const body = field(code(given)) + `<w:fldSimple w:instr='${given}'/>`;
    expect((await withFields(body)).text).toContain(body);
  });

  it("keeps a comparison with a page number, so that each page shows its own", async () => {
    const body = field(
      code(" IF ") +
        field(code(" PAGE "), shown("3")) +
        code(` > 1 "Page `) +
        field(code(" PAGE ")) +
        code(`" "" `),
    );
    expect((await withFields(body)).text).toContain(body);
  });

  it("is cleaned with the documents in it", async () => {
    const changes = {
      ...led(["rId1", "package", "embeddings/book.xlsx"]),
      "word/embeddings/book.xlsx": await createXlsx(),
      "[Content_Types].xml": buildContentTypes({
        "word/document.xml": `${W}.document.main+xml`,
        "word/embeddings/book.xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      }),
    };
    const { reveals, parts } = await stripBytes(await createBareDocx(changes));
    expect(reveals).toEqual(["device", "time", "author"]);
    const inner = await stripBytes(Buffer.from(parts.get("word/embeddings/book.xlsx") ?? "", "latin1"));
    expect([inner.stuck, inner.copy]).toEqual([false, null]);
  });
});

describe("an Excel workbook", () => {
  it("loses its path, the people who shared and commented it, and the printer", async () => {
    const { reveals, parts, all } = await stripBytes(await createXlsx());
    expect(reveals).toEqual(["device", "time", "author"]);
    expect(all).not.toMatch(MAKERS);
    expect([...parts.keys()].filter((name) => /printer|docProps/.test(name))).toEqual([]);
    expect(parts.get("xl/comments1.xml")).toContain("<author>Author</author>");
    expect(parts.get("xl/comments1.xml")).toContain("<t>Is it so?</t>");
    expect(parts.get("xl/worksheets/sheet1.xml")).toContain(`<pageSetup orientation="portrait"/>`);
    expect(parts.get("xl/workbook.xml")).toContain(`<fileSharing/><sheets>`);
  });
});

describe("what names people elsewhere", () => {
  it("is removed from a workbook, and the rest stays", async () => {
    const { parts, all } = await stripBytes(
      await createXlsx({
        "xl/worksheets/sheet1.xml": `<worksheet ${SHEET}><sheetData/><protectedRanges><protectedRange name="Range1" sqref="A1" securityDescriptor="O:Castillo"/></protectedRanges><scenarios><scenario name="Best" user="Maya Castillo" comment="Created by Maya Castillo"/></scenarios><customSheetViews><customSheetView guid="1"/></customSheetViews></worksheet>`,
        "xl/comments1.xml": `<comments ${SHEET}><authors><author>Maya Castillo</author></authors><commentList><comment ref="A1" authorId="0"><text><r><rPr><b/></rPr><t>Maya Castillo:</t></r><r><t xml:space="preserve">\nIs it so?</t></r></text></comment><comment ref="A2" authorId="0"><text><t>Maya Castillo:\nYes &amp; so</t></text></comment></commentList></comments>`,
      }),
    );
    expect(all).not.toMatch(MAKERS);
    expect(parts.get("xl/worksheets/sheet1.xml")).toContain(
      `<protectedRange name="Range1" sqref="A1"/></protectedRanges><scenarios><scenario name="Best"/></scenarios></worksheet>`,
    );
    expect(parts.get("xl/comments1.xml")).toContain(
      `<t>Author:</t></r><r><t xml:space="preserve">\nIs it so?</t>`,
    );
    expect(parts.get("xl/comments1.xml")).toContain(`<t>Author:\nYes &amp; so</t>`);
  });

  it("is removed from a workbook with views of its people", async () => {
    const views = `<customWorkbookViews><customWorkbookView name="Castillo - Personal View" guid="1"/></customWorkbookViews>`;
    const { parts } = await stripBytes(
      await createXlsx({
        "xl/workbook.xml": `<workbook ${SHEET} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets>${views}</workbook>`,
      }),
    );
    expect(parts.get("xl/workbook.xml")).toContain("</sheets></workbook>");
  });

  it("is removed from a text, and what describes a picture stays", async () => {
    const { parts } = await stripBytes(
      await createBareDocx({
        "word/document.xml": `<w:document xmlns:w="urn:schemas-microsoft-com:w" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"><w:permStart w:id="1" w:ed="COMPANY\\Castillo"/><v:shape alt="C:\\Users\\Castillo\\a.png"><v:imagedata src="https://example.org/Castillo" o:title="Castillo"/></v:shape><v:shape alt="The hall"/></w:document>`,
      }),
    );
    expect(parts.get("word/document.xml")).toBe(
      `<w:document xmlns:w="urn:schemas-microsoft-com:w" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"><w:permStart w:id="1"/><v:shape alt="Picture"><v:imagedata/></v:shape><v:shape alt="The hall"/></w:document>`,
    );
  });

  const NAMESPACES = `xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0"`;

  it("is removed from an OpenDocument, and what describes a picture stays", async () => {
    const { parts } = await stripBytes(
      await createOdf("text", {
        "content.xml": `<d ${NAMESPACES}><draw:fill-image draw:name="b.png" draw:display-name="Castillo.png"/><draw:frame draw:name="Castillo.png"><svg:title>/home/Castillo/a.png</svg:title><svg:desc>\\frac{a}{b}</svg:desc></draw:frame><office:annotation><meta:date-string>2026-03-01</meta:date-string></office:annotation></d>`,
      }),
    );
    expect(parts.get("content.xml")).toBe(
      `<d ${NAMESPACES}><draw:fill-image draw:name="b.png" draw:display-name="Picture"/><draw:frame draw:name="Picture"><svg:title>Picture</svg:title><svg:desc>\\frac{a}{b}</svg:desc></draw:frame><office:annotation></office:annotation></d>`,
    );
  });

  it.each([
    ["data of another program", "<office:dde-source/>"],
    ["a picture in its text", "<office:binary-data>AAAA</office:binary-data>"],
    [
      "a formula that loads something",
      `<a office:formula="of:=WEBSERVICE(&quot;https://example.org&quot;)"/>`,
    ],
  ])("an OpenDocument with %s can't be read to its end", async (_, xml) => {
    await expect(
      stripBytes(await createOdf("spreadsheet", { "content.xml": `<d ${NAMESPACES}>${xml}</d>` })),
    ).rejects.toThrow(Error);
  });

  it("a workbook with a formula that loads something can't be read to its end", async () => {
    for (const [formula, isRefused] of [
      [`_xlfn.WEBSERVICE("https://example.org")`, true],
      [`_xlfn.IMAGE("https://example.org/a.png")`, true],
      ["&#73;MAGE(A1)", true],
      ["IM<![CDATA[AGE(A1)]]>", true],
      ["&quot;'&quot;&amp;IM<!-- a -->AGE(A1)&amp;&quot;'&quot;", true],
      ["SUM(A1:A2)", false],
      ["'Image (2)'!$A$1:$H$30", false],
      ["&apos;Image (2)&apos;!A1&amp;&quot;see image (page 2)&quot;", false],
    ] as const) {
      const xml = `<worksheet ${SHEET}><sheetData><row><c><f>${formula}</f></c></row></sheetData></worksheet>`;
      const result = stripBytes(await createXlsx({ "xl/worksheets/sheet1.xml": xml }));
      await (isRefused ? expect(result).rejects.toThrow(Error) : expect(result).resolves.toBeDefined());
    }
  });

  it.each([
    [`<w:x xmlns:w="urn:schemas-microsoft-com:w" w:y="C:\\Users\\maya\\a"/>`, true],
    [`<w:x xmlns:w="urn:schemas-microsoft-com:w" w:y="file:///home/maya/a"/>`, true],
    [`<w:x xmlns:w="urn:schemas-microsoft-com:w" w:y="/Users/maya/a"/>`, true],
    [`<w:definedName xmlns:w="urn:schemas-microsoft-com:w">'/home/maya/[a.xlsx]b'!A1</w:definedName>`, true],
    [`<w:t xmlns:w="urn:schemas-microsoft-com:w">It was in /home/maya/a and C:\\Users\\maya\\a</w:t>`, false],
    [`<w:x xmlns:w="urn:schemas-microsoft-com:w" w:tooltip="In /home/maya/a"/>`, false],
    [`<w:x xmlns:w="urn:schemas-microsoft-com:w" w:y="https://example.org/users/maya"/>`, false],
  ])(
    "an anonymous report refuses what names a home folder outside of its text: %s (%s)",
    async (xml, isRefused) => {
      const bytes = await createBareDocx({ "word/document.xml": xml });
      const result = stripOfficeMetadata(bytes, readPhotoFields, { refuseHomePaths: true });
      await (isRefused ? expect(result).rejects.toThrow(Error) : expect(result).resolves.toBeDefined());
      expect(await stripOfficeMetadata(bytes, readPhotoFields)).toMatchObject({ stuck: false });
    },
  );
});

describe("what a program adds to a document of any kind", () => {
  const FOREIGN = `xmlns:own="urn:lantern" own:by="Castillo"`;
  const foreign = (inside = "") =>
    `<!-- Castillo --><?own Castillo?><own:data by="Castillo">${inside}</own:data>`;

  it("is removed, and the rest stays", async () => {
    const compatible = `xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" mc:Ignorable="w14 own"`;
    const { reveals, parts, all } = await stripBytes(
      await createBareDocx({
        "word/document.xml": `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ${compatible} ${FOREIGN}>${foreign("<w:p/>")}<w:p w14:paraId="1"/></w:document>`,
      }),
    );
    expect(all).not.toMatch(/Castillo|lantern/);
    expect(reveals).toEqual(["author"]);
    expect(parts.get("word/document.xml")).toContain(`mc:Ignorable="w14"><w:p w14:paraId="1"/></w:document>`);
  });

  it("is removed from lists of extensions", async () => {
    const { parts, all } = await stripBytes(
      await createXlsx({
        "xl/worksheets/sheet1.xml": `<worksheet ${SHEET}><sheetData/><extLst><ext uri="{1}"><own:data xmlns:own="urn:lantern" by="Castillo"/></ext></extLst></worksheet>`,
      }),
    );
    expect(all).not.toMatch(/Castillo|lantern/);
    expect(parts.get("xl/worksheets/sheet1.xml")).toContain(`<extLst><ext uri="{1}"></ext></extLst>`);
  });

  it("is removed from an OpenDocument", async () => {
    const { parts, all } = await stripBytes(
      await createOdf("text", {
        "content.xml": `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" ${FOREIGN}>${foreign()}<office:body/></office:document-content>`,
      }),
    );
    expect(all).not.toMatch(/Castillo|urn:lantern/);
    expect(parts.get("content.xml")).toContain("<office:body/>");
  });
});

describe("a note that LibreOffice saved, which keeps the heading and drops its author", () => {
  const heading = (author: string, text: string) =>
    `<comments ${SHEET}><authors><author>${author}</author></authors><commentList><comment ref="A1" authorId="0"><text><r><t xml:space="preserve">${text}</t></r><r><t>he shouted</t></r></text></comment></commentList></comments>`;

  it.each([
    [" ", "Castillo, Maya:&#10;", "Author:&#10;"],
    [" ", "Maya Castillo:\n", "Author:\n"],
    [" ", "At ten: the hall\n", "At ten: the hall\n"],
    ["Maya Castillo", "Why:\n", "Why:\n"],
  ])("by %j that begins with %j begins with %j", async (author, given, expected) => {
    const { parts } = await stripBytes(await createXlsx({ "xl/comments1.xml": heading(author, given) }));
    expect(parts.get("xl/comments1.xml")).toContain(
      `<t xml:space="preserve">${expected}</t></r><r><t>he shouted`,
    );
  });

  it("loses it in an OpenDocument, too", async () => {
    for (const [given, expected] of [
      ["<text:p><text:span>Maya Castillo</text:span>:</text:p>", "<text:p>Author:</text:p>"],
      ["<text:p>It was loud</text:p>", "<text:p>It was loud</text:p>"],
      [
        "<dc:creator>Author</dc:creator><text:p>Why:</text:p>",
        "<dc:creator>Author</dc:creator><text:p>Why:</text:p>",
      ],
    ]) {
      const namespaces = `xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"`;
      const { parts } = await stripBytes(
        await createOdf("spreadsheet", {
          "content.xml": `<office:d ${namespaces}><office:annotation>${given}<text:p>he shouted:</text:p></office:annotation></office:d>`,
        }),
      );
      expect(parts.get("content.xml")).toContain(
        `${expected}<text:p>he shouted:</text:p></office:annotation>`,
      );
    }
  });

  it("loses a second copy of its text in the shape that shows it, and buttons keep theirs", async () => {
    const relations = buildRelations(
      ["rId1", "comments", "../comments1.xml"],
      ["rId3", "vmlDrawing", "../drawings/d.vml"],
    );
    const shape = (type: string, text: string) =>
      `<v:shape type="#_x0000_${type}"><v:textbox><div>${text}</div></v:textbox></v:shape>`;
    const { parts, all } = await stripBytes(
      await createXlsx({
        "xl/worksheets/sheet1.xml": `<worksheet ${SHEET}><sheetData/></worksheet>`,
        "xl/worksheets/_rels/sheet1.xml.rels": relations,
        "xl/drawings/d.vml": `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:x="urn:schemas-microsoft-com:office:excel">${shape("t202", "Maya Castillo: so")}${shape("t201", "Press")}</xml>`,
      }),
    );
    expect(all).not.toMatch(MAKERS);
    expect(parts.get("xl/drawings/d.vml")).toContain(
      `<v:textbox></v:textbox></v:shape><v:shape type="#_x0000_t201"><v:textbox><div>Press`,
    );
  });
});

describe("a PowerPoint presentation", () => {
  it("loses authors and times of comments", async () => {
    const { reveals, parts, all } = await stripBytes(await createPptx());
    expect(reveals).toEqual(["device", "time", "author"]);
    expect(all).not.toMatch(MAKERS);
    expect(parts.get("ppt/commentAuthors.xml")).toContain(`id="0" name="Author" initials="A"`);
    expect(parts.get("ppt/comments/comment1.xml")).toContain(`<p:cm authorId="0" idx="1"><p:text>Is it so?`);
  });
});

describe("an OpenDocument", () => {
  it.each(["text", "spreadsheet", "presentation"] as const)("(%s) loses its makers", async (kind) => {
    const { reveals, parts, all } = await stripBytes(await createOdf(kind));
    expect(reveals).toEqual(["place", "device", "time", "author"]);
    expect(all).not.toMatch(MAKERS);
    expect([...parts.keys()]).toEqual([
      "mimetype",
      "content.xml",
      "settings.xml",
      "Pictures/1.jpg",
      "META-INF/manifest.xml",
    ]);
    const content = parts.get("content.xml");
    expect(content).toContain("<dc:creator>Author</dc:creator><dc:date>1980-01-01T00:00:00</dc:date>");
    expect(content).toContain("<office:annotation><dc:creator>Author</dc:creator><text:p>Is it so?</text:p>");
    expect(parts.get("settings.xml")).toContain(
      `<office:settings><config:config-item config:name="AddFrameOffsets"`,
    );
    expect(parts.get("META-INF/manifest.xml")).not.toMatch(/meta\.xml|Thumbnails/);
  });

  it("begins with its type, uncompressed, as the format requires", async () => {
    const { copy } = await stripBytes(await createOdf("text"));
    expect(Buffer.from(copy as Uint8Array).toString("latin1", 30, 77)).toBe(
      "mimetypeapplication/vnd.oasis.opendocument.text",
    );
  });

  it("keeps its charts, and loses the pictures of them", async () => {
    const { stuck, parts, all } = await stripBytes(
      await createOdf("text", {
        ...listing({
          "Object 1/content.xml": "text/xml",
          "Object 1/meta.xml": "text/xml",
          "ObjectReplacements/Object 1": "",
        }),
        "content.xml": `<d xmlns:x="http://www.w3.org/1999/xlink"><o x:href="./Object 1"/><i x:href="./ObjectReplacements/Object 1"/></d>`,
        "Object 1/content.xml": `<d xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>Maya Castillo</dc:creator></d>`,
        "Object 1/meta.xml": "<m>Lantern</m>",
        "ObjectReplacements/Object 1": "Lantern",
      }),
    );
    expect([stuck, parts.has("Object 1/content.xml")]).toEqual([false, true]);
    expect(parts.get("content.xml")).toContain(`<o x:href="./Object 1"/></d>`);
    expect(all).not.toMatch(/Castillo|Lantern|ObjectReplacements/);
  });

  it.each(["a", "event-listener", "area-rectangle", "area-circle", "area-polygon", "button"])(
    "keeps web addresses that open when somebody presses them (%s)",
    async (name) => {
      const link = `<${name} xmlns:x="http://www.w3.org/1999/xlink" x:href="https://example.org/a"/>`;
      const { stuck, parts } = await stripBytes(await createOdf("text", { "content.xml": `<d>${link}</d>` }));
      expect([stuck, parts.get("content.xml")]).toEqual([false, `<d>${link}</d>`]);
    },
  );

  const TEXT = "application/vnd.oasis.opendocument.text";
  const listing = (entries: Record<string, string>, inside?: string) => ({
    "META-INF/manifest.xml": buildManifest(TEXT, { ...ODF_ENTRIES, ...entries }, inside),
  });
  it.each([
    ["macros", { ...listing({ "Basic/Standard/a.xml": "text/xml" }), "Basic/Standard/a.xml": "<a/>" }],
    [
      "a file of another program",
      { ...listing({ "Object 1": "application/vnd.sun.star.oleobject" }), "Object 1": "x" },
    ],
    ["a film", { ...listing({ "Media/a.mp4": "video/mp4" }), "Media/a.mp4": "x" }],
    ["a signature", { "META-INF/documentsignatures.xml": "<a/>" }],
    ["a password", listing({}, "<manifest:encryption-data/>")],
    [
      "a link to somebody's file",
      { "content.xml": `<a xmlns:x="http://www.w3.org/1999/xlink" x:href="../Maya/a.jpg"/>` },
    ],
    [
      "a picture on the web",
      {
        "content.xml": `<image xmlns:x="http://www.w3.org/1999/xlink" x:href="https://example.org/a.jpg"/>`,
      },
    ],
    [
      "an area that leads to somebody's file",
      { "content.xml": `<area-circle xmlns:x="http://www.w3.org/1999/xlink" x:href="../Maya/a.jpg"/>` },
    ],
    ["no content", { "content.xml": null }],
  ])("with %s can't be read to its end", async (_, changes) => {
    await expect(stripBytes(await createOdf("text", changes))).rejects.toThrow(Error);
  });
});

it("what is no archive, or half of one, can't be read to its end", async () => {
  const whole = await createDocx();
  for (const bytes of [Buffer.from("What I saw."), await createPhoto(), whole.subarray(0, whole.length / 2)])
    await expect(stripOfficeMetadata(bytes, readPhotoFields)).rejects.toThrow(Error);
});
