import { editXml, readXmlAttribute, readXmlText } from "./xml.ts";

/** Notes of sheets. Excel begins a new one with the name of its author, which is then a part of its text. */

const NEUTRAL_HEADING = "Author:";
/** A line of a few words that ends in a colon. */
const HEADING = /^[^\s:]+( [^\s:]+){0,5}:$/;

/**
 * Replaces the name of its author, which Excel writes at the start of a new note, with "Author". LibreOffice keeps the
 * heading and drops the name elsewhere; then any heading counts.
 */
export function neutralizeNoteHeadings(bytes: Buffer, noteField: (name: string) => void): Buffer {
  if (!bytes.includes("commentList")) return bytes;
  const authors: string[] = [];
  let author: string | undefined;
  let isFirstText = false;
  return editXml(bytes, (element) => {
    if (element.local === "comment") {
      isFirstText = true;
      author = authors[Number(readXmlAttribute(element, "authorId") || 0)];
    }
    if (element.local === "author")
      return {
        text: (was) => {
          authors.push(was);
          return was;
        },
      };
    if (element.local !== "t" || !isFirstText) return "keep";
    isFirstText = false;
    return { text: (was) => replaceHeading(was, { authors, author, noteField }) };
  });
}

type HeadingContext = {
  authors: readonly string[];
  author: string | undefined;
  noteField: (name: string) => void;
};

function replaceHeading(text: string, { authors, author, noteField }: HeadingContext): string {
  if (text.startsWith(NEUTRAL_HEADING)) return text;
  const known = authors.find((name) => name.trim() !== "" && text.startsWith(`${name}:`));
  const [line = ""] = text.split(/\n|\r|&#(?:10|xA);/i);
  const isUnnamed = !author?.trim() && line.length < text.length && HEADING.test(line.trim());
  const heading = known !== undefined ? `${known}:` : isUnnamed ? line : null;
  if (heading === null) return text;
  noteField("Author");
  return NEUTRAL_HEADING + text.slice(heading.length);
}

/** Does the same in an OpenDocument file, where the heading is a paragraph of its own. */
export function neutralizeOdfNoteHeadings(bytes: Buffer, noteField: (name: string) => void): Buffer {
  if (!bytes.includes("annotation")) return bytes;
  let author = "";
  let isFirstParagraph = false;
  return editXml(bytes, ({ local, parent }) => {
    if (local === "annotation") {
      author = "";
      isFirstParagraph = true;
    }
    if (local === "creator" && parent === "annotation")
      return {
        text: (was) => {
          author = readXmlText(was).trim();
          return was;
        },
      };
    if (local !== "p" || parent !== "annotation" || !isFirstParagraph) return "keep";
    isFirstParagraph = false;
    return {
      text: (was) => {
        const line = readXmlText(was).trim();
        const isHeading = author === "" ? HEADING.test(line) : line === `${author}:`;
        if (!isHeading || line === NEUTRAL_HEADING) return was;
        noteField("Author");
        return NEUTRAL_HEADING;
      },
    };
  });
}

/** The type of the shapes that show notes; those of buttons and boxes are others, and their text is only there. */
const NOTE_SHAPE = /_x0000_t202$/;

/** Removes a copy of the text from the shapes that show notes. Programs show the text of the note itself. */
export function removeNoteShapeTexts(bytes: Buffer, noteField: (name: string) => void): Buffer {
  if (!bytes.includes("schemas-microsoft-com:office:excel")) return bytes;
  let isNote = false;
  return editXml(bytes, (element) => {
    if (element.local === "shape") isNote = NOTE_SHAPE.test(readXmlAttribute(element, "type"));
    if (element.local !== "textbox" || !isNote) return "keep";
    return {
      text: (was) => {
        if (readXmlText(was).trim() === "") return was;
        noteField("Author");
        return "";
      },
    };
  });
}
