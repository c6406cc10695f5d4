import { describe, expect, it, test } from "vitest";
import { editXml, listXmlMetadataFieldNames, readXmlText } from "./xml.ts";

const TEXT = `\ufeff<?xml version="1.0"?>\n<a xmlns="u" xmlns:w="v"><w:ins w:author="M &amp; x" w:date="d"><b/>&lt;é😀</w:ins>\r\n<gone><c>t<d/></c></gone><gone/><e>old<f/></e><e/></a>\n`;
const bytes = (text: string) => Buffer.from(text);

test("the text of a source has its entities and sections, and no tags, comments or instructions", () => {
  const source = `a &lt;&amp;amp;&#73;&#x4d;<b c='">' d=">"/>&quot;<!-- ' -->e<?f "?><![CDATA[<g>&amp;]]>`;
  expect(readXmlText(source)).toBe(`a <&amp;IM"e<g>&amp;`);
});

describe("an edited document", () => {
  it("is unchanged without edits", () => {
    expect(editXml(bytes(TEXT), () => "keep")).toEqual(bytes(TEXT));
  });

  it("loses elements and attributes, gets other texts, and keeps every other character", () => {
    const result = editXml(bytes(TEXT), ({ local, attributes }) => {
      for (const attribute of attributes) {
        if (attribute.local === "author") attribute.value = `"A" & <b>`;
        if (attribute.local === "date") attribute.value = null;
      }
      if (local === "gone") return "drop";
      return local === "e" ? { text: (was) => `${was.length} &lt;` } : "keep";
    });
    expect(result.toString()).toBe(
      `\ufeff<?xml version="1.0"?>\n<a xmlns="u" xmlns:w="v"><w:ins w:author="&quot;A&quot; &amp; &lt;b&gt;"><b/>&lt;é😀</w:ins>\r\n<e>7 &lt;</e><e/></a>\n`,
    );
  });

  it("loses comments and instructions, also within a text that is replaced", () => {
    const source = `<?xml version="1.0"?><!-- a > --><?b c="?"?>\n<a><!-- - > d --><e>f<!-- g -->h<?i?></e><![CDATA[<!-- j -->]]></a><!--k-->`;
    const result = editXml(bytes(source), ({ local }) => (local === "e" ? { text: (was) => was } : "keep"));
    expect(result.toString()).toBe(`<?xml version="1.0"?>\n<a><e>fh</e><![CDATA[<!-- j -->]]></a>`);
  });

  it("knows names by their namespace, and what is around an element", () => {
    const seen: string[] = [];
    editXml(
      bytes(`<x:a xmlns:x="one"><b xmlns="two" x:c="1" d="2"/></x:a>`),
      ({ uri, local, parent, attributes }) => {
        const given = attributes.filter(({ name }) => !name.startsWith("xmlns"));
        seen.push(
          `${parent}>${uri}:${local} ${given.map((one) => `${one.uri}:${one.local}=${one.value}`).join(" ")}`,
        );
        return "keep";
      },
    );
    expect(seen).toEqual([">one:a ", "a>two:b one:c=1 :d=2"]);
  });

  it.each([
    ["an element that isn't closed", "<a><b></a>"],
    ["an unknown prefix", "<x:a/>"],
    ["two roots", "<a/><b/>"],
    ["an entity of its own", "<a>&foo;</a>"],
    ["a document type", `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`],
    ["nothing in it", ""],
    ["more depth than any program writes", `${"<a>".repeat(1001)}${"</a>".repeat(1001)}`],
  ])("can't be one with %s", (_, text) => {
    expect(() => editXml(bytes(text), () => "keep")).toThrow(Error);
  });

  it("must be UTF-8", () => {
    expect(() => editXml(Buffer.from("<a>\xe9</a>", "latin1"), () => "keep")).toThrow(TypeError);
  });
});

test("fields are named by their elements, or by the name that they are given", () => {
  const text = `<p xmlns:m="m"><m:creator>Who</m:creator><m:date> </m:date><m:title/><property name="Owner"><lpwstr><![CDATA[Me]]></lpwstr></property><m:own m:name="Info">x</m:own></p>`;
  expect(listXmlMetadataFieldNames(bytes(text))).toEqual(["creator", "Owner", "Info"]);
});
