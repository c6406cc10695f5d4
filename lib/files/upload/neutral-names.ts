import { listExtensionsOfType } from "./types.ts";

/**
 * Returns the name for a file of an anonymous report, replacing the uploaded name, which may name a person. It consists
 * of the kind of file, its number in the report and the usual extension, as in "photo-1.jpg".
 */
export function buildNumberedAnonymousFilename(mimetype: string, number: number): string {
  const [extension] = listExtensionsOfType(mimetype);
  return `${fileNounFor(mimetype)}-${number}${extension ? `.${extension}` : ""}`;
}

/** Returns the number of a name that `buildNumberedAnonymousFilename` built; 0 for another name. */
export const readAnonymousFileNumber = (filename: string): number =>
  Number(/^[a-z]+-(\d+)(?:\.[a-z0-9]+)?$/.exec(filename)?.[1] ?? 0);

const FILE_NOUNS: Record<string, string> = {
  image: "photo",
  audio: "recording",
  video: "video",
  application: "document",
  text: "document",
};

const fileNounFor = (mimetype: string): string => FILE_NOUNS[mimetype.split("/", 1)[0] ?? ""] ?? "file";
