import type { RelatedFile } from "#lib/incidents/schema.ts";

type Told = Pick<RelatedFile, "mimetype" | "clean" | "reveals">;

/**
 * What the hidden data of a file told, and what became of it: "This photo said where and when it was taken. The team's
 * copy doesn't." Null where there was none.
 */
export function hiddenData({ mimetype, clean, reveals }: Told): string | null {
  const photo = mimetype.startsWith("image/");
  const kinds = ORDER.filter((kind) => reveals.includes(kind));
  const told = listed(kinds.map((kind) => WORDS[kind]));
  const made = photo ? "taken" : "made";
  const what = `This ${photo ? "photo" : "file"}`;
  const said = kinds.every((kind) => kind === "author")
    ? told.replace("by whom", "who made it")
    : `${told} it was ${made}`;
  if (kinds.length === 0)
    return clean === "cleaned" ? "Hidden data was taken out of the team's copy." : NOTHING_FOUND[clean];
  if (clean === "cleaned") return `${what} said ${said}. The team's copy doesn't.`;
  return `${what} says ${said}, and it can't be taken out.`;
}

const ORDER = ["place", "time", "device", "author"] as const;
const WORDS = { place: "where", time: "when", device: "with what", author: "by whom" };

const NOTHING_FOUND = {
  clean: null,
  not_cleanable: "Hidden data in this kind of file can't be taken out, such as who made it and when.",
};

/** "where", "where and when", "where, when and by whom". */
const listed = (words: string[]): string =>
  words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
