import { editXml, readXml, readXmlAttribute, type XmlElement } from "./xml.ts";

/**
 * Field codes of Word (ECMA-376 part 1, 17.16). Word keeps them next to the text that they show. Those that insert a
 * picture or a table from a file hold its path, and with it the name of its owner.
 */

/**
 * Fields that number, point to a place in the document, compare, or show a symbol, the date, or the text of a button,
 * which is in the code.
 */
const HARMLESS_FIELDS = new Set(
  "IF COMPARE MACROBUTTON GOTOBUTTON PAGE NUMPAGES SECTION SECTIONPAGES TOC TOA INDEX XE TC TA REF PAGEREF NOTEREF STYLEREF SEQ HYPERLINK SYMBOL EQ ADVANCE LISTNUM AUTONUM AUTONUMLGL AUTONUMOUT FORMTEXT FORMCHECKBOX FORMDROPDOWN DATE TIME EMBED SHAPE =".split(
    " ",
  ),
);
/** Fields whose code consists of others: each of these must be harmless, too. */
const COMPARING_FIELDS = new Set(["IF", "COMPARE"]);
/** Codes of several runs count as one; deleted ones are those of tracked changes. */
const CODE_ELEMENTS = new Set(["instrText", "delInstrText"]);
const TEXT_ELEMENTS = new Set([...CODE_ELEMENTS, "t", "delText"]);

/**
 * Returns a part of a Word document without the codes of fields that aren't known to be harmless. What they show stays.
 * @throws Error like `editXml`
 */
export function removeFieldCodes(bytes: Buffer, noteField: (name: string) => void): Buffer {
  if (!FIELD_MARKS.some((mark) => bytes.includes(mark))) return bytes;
  const removedTexts = listTextsOfRemovedCodes(bytes);
  let count = 0;
  return editXml(bytes, (element) => {
    if (element.local === "fldData") return "drop";
    if (element.local === "fldSimple") blankSimpleField(element, noteField);
    if (!TEXT_ELEMENTS.has(element.local) || !removedTexts.has(count++)) return "keep";
    return {
      text: (was) => {
        if (was.trim()) noteField("Author");
        return "";
      },
    };
  });
}

const FIELD_MARKS = ["fldChar", "nstrText", "fldSimple", "fldData"];

function blankSimpleField({ attributes }: XmlElement, noteField: (name: string) => void): void {
  for (const attribute of attributes)
    if (attribute.local === "instr" && attribute.value && !isHarmless(attribute.value)) {
      noteField("Author");
      attribute.value = "";
    }
}

/** Lists the texts that make up codes to be removed, by their number in the part. */
function listTextsOfRemovedCodes(bytes: Buffer): ReadonlySet<number> {
  const reader = new FieldReader();
  readXml(bytes, {
    open: (element) => reader.open(element),
    text: (text) => reader.read(text),
    close: () => reader.leaveText(),
  });
  return reader.finish();
}

type OpenField = { code: string; texts: number[]; showsResult: boolean; holdsRemovedField: boolean };

/** Follows the fields of a part. A field may be within the code of another, whose code then includes its text. */
class FieldReader {
  readonly #removedTexts = new Set<number>();
  readonly #open: OpenField[] = [];
  #count = 0;
  #inText = false;

  open(element: XmlElement): void {
    if (element.local === "fldChar") this.#turn(readXmlAttribute(element, "fldCharType"));
    if (element.local === "fldSimple" && !isHarmless(readXmlAttribute(element, "instr")))
      this.#noteRemovedField();
    this.#inText = TEXT_ELEMENTS.has(element.local);
    if (!this.#inText) return;
    for (const { texts } of this.#openCodes()) texts.push(this.#count);
    // A code outside of any field shows nothing.
    if (CODE_ELEMENTS.has(element.local) && this.#openCodes().length === 0)
      this.#removedTexts.add(this.#count);
    this.#count += 1;
  }

  read(text: string): void {
    if (this.#inText) for (const field of this.#openCodes()) field.code += text;
  }

  leaveText(): void {
    this.#inText = false;
  }

  finish(): ReadonlySet<number> {
    while (this.#open.length > 0) this.#close();
    return this.#removedTexts;
  }

  #openCodes(): OpenField[] {
    return this.#open.filter(({ showsResult }) => !showsResult);
  }

  #turn(type: string): void {
    if (type === "begin")
      this.#open.push({ code: "", texts: [], showsResult: false, holdsRemovedField: false });
    const last = this.#open.at(-1);
    if (type === "separate" && last) last.showsResult = true;
    if (type === "end") this.#close();
  }

  #close(): void {
    const field = this.#open.pop();
    if (!field || isHarmless(field.code, field)) return;
    for (const text of field.texts) this.#removedTexts.add(text);
    this.#noteRemovedField();
  }

  #noteRemovedField(): void {
    for (const field of this.#openCodes()) field.holdsRemovedField = true;
  }
}

/**
 * A path of a disk, a home folder or a network, at the start of an argument. A slash between spaces divides numbers or
 * words.
 */
const LOCAL_PATH = /(^|[\s"'\u201c])(file:|[a-z]:[\\/]|~?\/{1,2}[^/\s]|\\\\)/i;
const WEB_LINK = /^\s*HYPERLINK\s+("?(https?:|mailto:|tel:|#)|\\l\s)/i;

function isHarmless(code: string, { holdsRemovedField = false } = {}): boolean {
  const name =
    code
      .trim()
      .split(/[\s"\\]/, 1)[0]
      ?.toUpperCase() ?? "";
  if (!HARMLESS_FIELDS.has(name.startsWith("=") ? "=" : name) || LOCAL_PATH.test(code)) return false;
  if (holdsRemovedField && COMPARING_FIELDS.has(name)) return false;
  return name !== "HYPERLINK" || WEB_LINK.test(code);
}
