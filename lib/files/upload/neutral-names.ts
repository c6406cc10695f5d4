import { extensionsOf } from "./types.ts";

/**
 * The name of a file of an anonymous report, in place of the given one, which may name a person: its kind, its number in
 * the report and the usual extension, as in "photo-1.jpg".
 */
export function neutralName(mimetype: string, number: number): string {
  const [extension] = extensionsOf(mimetype);
  return `${nounOf(mimetype)}-${number}${extension ? `.${extension}` : ""}`;
}

const NOUNS: Record<string, string> = {
  image: "photo",
  audio: "recording",
  video: "video",
  application: "document",
  text: "document",
};

const nounOf = (mimetype: string): string => NOUNS[mimetype.split("/", 1)[0] ?? ""] ?? "file";
