import { editXml } from "./xml.ts";

const NEUTRAL_HEADING = "Author:";

/** Replaces the name of its author, which Excel writes at the start of a new note, with "Author". */
export function neutralizeNoteHeadings(bytes: Buffer, noteField: (name: string) => void): Buffer {
  if (!bytes.includes("commentList")) return bytes;
  const authors: string[] = [];
  let isFirstText = false;
  return editXml(bytes, (element) => {
    if (element.local === "comment") isFirstText = true;
    if (element.local === "author")
      return {
        text: (was) => {
          authors.push(was);
          return was;
        },
      };
    if (element.local !== "t" || !isFirstText) return "keep";
    isFirstText = false;
    return { text: (was) => replaceHeading(was, authors, noteField) };
  });
}

function replaceHeading(text: string, authors: readonly string[], noteField: (name: string) => void): string {
  const author = authors.find((name) => name.trim() !== "" && text.startsWith(`${name}:`));
  if (author === undefined || text.startsWith(NEUTRAL_HEADING)) return text;
  noteField("Author");
  return NEUTRAL_HEADING + text.slice(author.length + 1);
}
