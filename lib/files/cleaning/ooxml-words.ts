import type { Attribute, Element, Fate } from "./xml.ts";

/** What Office Open XML calls the things that speak of a document's makers, and what becomes of them. */

/** What is done with a part, by its type: leave it out, edit it with one of the vocabularies, or look into it. */
export type Kind = "drop" | "word" | "sheet" | "slides" | "plain" | "picture" | "font" | "document";

/** Null for a part that isn't known, such as a macro, a sound or a file of another program. */
export const kindOf = (type: string): Kind | null =>
  KINDS.find(([pattern]) => pattern.test(type))?.[1] ?? null;

const OFFICE = "application\\/vnd\\.openxmlformats-officedocument\\.";
const MICROSOFT = "application\\/vnd\\.ms-";
const among = (start: string, ...names: string[]): RegExp =>
  new RegExp(`^${start}(${names.join("|")})(\\+xml)?$`, "i");

const KINDS: readonly [RegExp, Kind][] = [
  [
    among(
      `${OFFICE}wordprocessingml\\.`,
      "document\\.main|document\\.glossary|styles|settings|webSettings|fontTable|numbering|header|footer",
      "footnotes|endnotes|comments|commentsExtended|commentsIds|commentsExtensible",
    ),
    "word",
  ],
  [among(`${MICROSOFT}word\\.`, "stylesWithEffects"), "word"],
  [
    among(
      `${OFFICE}spreadsheetml\\.`,
      "sheet\\.main|worksheet|chartsheet|styles|sharedStrings|calcChain|comments|table|sheetMetadata",
      "pivotTable|pivotCacheDefinition|pivotCacheRecords",
    ),
    "sheet",
  ],
  [among(`${MICROSOFT}excel\\.`, "threadedcomments|person"), "sheet"],
  [
    among(
      `${OFFICE}presentationml\\.`,
      "presentation\\.main|slideshow\\.main|slide|slideLayout|slideMaster|notesSlide|notesMaster|handoutMaster",
      "presProps|viewProps|tableStyles|comments|commentAuthors",
    ),
    "slides",
  ],
  [among(`${MICROSOFT}powerpoint\\.`, "comments|authors"), "slides"],
  [
    among(
      OFFICE,
      "theme|themeOverride|drawing|vmlDrawing",
      "drawingml\\.(chart|chartshapes|diagramData|diagramLayout|diagramStyle|diagramColors)",
    ),
    "plain",
  ],
  [among(`${MICROSOFT}office\\.`, "chartstyle|chartcolorstyle|chartex|drawingml\\.diagramDrawing"), "plain"],
  [
    among(`${OFFICE}(wordprocessingml|spreadsheetml|presentationml)\\.`, "printerSettings|people|tags"),
    "drop",
  ],
  [among(`${MICROSOFT}powerpoint\\.`, "changesinfo|revisioninfo"), "drop"],
  // Data that forms are filled from, and where programs keep what they like.
  [among("application\\/", "xml"), "drop"],
  [among(OFFICE, "customXmlProperties"), "drop"],
  [/^image\//i, "picture"],
  [among(OFFICE, "obfuscatedFont"), "font"],
  [/^(font\/[\w-]+|application\/(x-font-[\w-]+|x-fontdata|vnd\.ms-opentype))$/i, "font"],
  [
    among(OFFICE, "wordprocessingml\\.document|spreadsheetml\\.sheet|presentationml\\.presentation"),
    "document",
  ],
];

/**
 * What it tells, if anything, and what stands in its place; without `to` it goes. `of`: in these elements only. `when`:
 * where the value matches.
 */
type Word = { tells?: string; to?: string; of?: readonly string[]; when?: RegExp };
type Vocabulary = {
  /** Elements that go, with what they tell. */
  elements: Map<string, string>;
  attributes: Map<string, Word>;
  texts: Map<string, Word>;
};

/** What the programs themselves write when they are told to name nobody. */
const NOBODY = "Author";
const NO_TIME = "1980-01-01T00:00:00.000";

const AUTHOR: Word = { tells: "Author", to: NOBODY };
const INITIALS: Word = { tells: "Author", to: "A" };
const DATE: Word = { tells: "ModDate" };
const PROVIDER: Word = { to: "None" };

const WORD: Vocabulary = {
  elements: new Map([
    ["rsids", ""],
    ["docId", ""],
    ["docVars", ""],
    ["mailMerge", ""],
    ["attachedTemplate", ""],
    ["printerSettings", "HostComputer"],
    // It would show what the properties say, which are gone, in the place of what was written.
    ["dataBinding", ""],
  ]),
  attributes: new Map<string, Word>([
    ["author", AUTHOR],
    ["initials", INITIALS],
    ["date", DATE],
    ["dateUtc", DATE],
    ...["", "R", "RPr", "P", "Del", "RDefault", "Tr", "Sect"].map((name): [string, Word] => [
      `rsid${name}`,
      {},
    ]),
  ]),
  texts: new Map(),
};

const SHEET: Vocabulary = {
  elements: new Map([
    // Where the file lay, mostly in somebody's own folder.
    ["absPath", "Author"],
    ["revisionPtr", ""],
  ]),
  attributes: new Map<string, Word>([
    ["userName", { tells: "Author", of: ["fileSharing"] }],
    ["displayName", { ...AUTHOR, of: ["person"] }],
    ["userId", { ...AUTHOR, of: ["person"] }],
    ["providerId", { ...PROVIDER, of: ["person"] }],
    ["dT", DATE],
    ["refreshedBy", { tells: "Author" }],
    ["refreshedDate", DATE],
    ["refreshedDateIso", DATE],
    // What the printer was told, which is left out.
    ["id", { tells: "HostComputer", of: ["pageSetup"] }],
  ]),
  texts: new Map([["author", AUTHOR]]),
};

const SLIDES: Vocabulary = {
  elements: new Map([
    ["custDataLst", ""],
    ["reactions", ""],
  ]),
  attributes: new Map<string, Word>([
    ["name", { ...AUTHOR, of: ["cmAuthor", "author"] }],
    ["initials", { ...INITIALS, of: ["cmAuthor", "author"] }],
    ["userId", { ...AUTHOR, of: ["author", "presenceInfo"] }],
    ["providerId", { ...PROVIDER, of: ["author", "presenceInfo"] }],
    ["dt", DATE],
    ["created", { tells: "ModDate", to: NO_TIME, of: ["cm", "reply"] }],
    ["timeZoneBias", { tells: "Country" }],
  ]),
  texts: new Map(),
};

/** The path or file name that a picture was inserted from, which often holds a person's name. */
const SOURCE_FILE: Word = {
  tells: "Author",
  to: "Picture",
  when: /^(file:|[a-z]:|[/~])|\\|\.(jpe?g|png|gif|hei[cf]|webp|avif|tiff?|bmp|svg|emf|wmf|pdf|docx?|pptx?|xlsx?)$/i,
};
const OF_DRAWINGS = new Map<string, Word>([
  ["name", SOURCE_FILE],
  ["descr", SOURCE_FILE],
  ["title", SOURCE_FILE],
]);
const DRAWINGS = new Set(["docPr", "cNvPr"]);

const VOCABULARIES: Partial<Record<Kind, Vocabulary>> = { word: WORD, sheet: SHEET, slides: SLIDES };

/** Takes out of an element what speaks of the makers, and tells what that was. */
export function withoutMakers(element: Element, kind: Kind, tell: (name: string) => void): Fate {
  if (DRAWINGS.has(element.local))
    for (const attribute of element.attributes) change(attribute, { word: OF_DRAWINGS, element, tell });
  const words = VOCABULARIES[kind];
  if (!words) return "keep";
  const gone = words.elements.get(element.local);
  if (gone !== undefined) {
    if (gone) tell(gone);
    return "drop";
  }
  for (const attribute of element.attributes) change(attribute, { word: words.attributes, element, tell });
  const text = words.texts.get(element.local);
  return text ? { text: (was) => changed(was, text, tell) } : "keep";
}

type Change = { word: Map<string, Word>; element: Element; tell: (name: string) => void };

function change(attribute: Attribute, { word: words, element, tell }: Change): void {
  const word = words.get(attribute.local);
  if (!word || (word.of && !word.of.includes(element.local))) return;
  if (word.when && !word.when.test(attribute.value ?? "")) return;
  if (word.to === undefined) {
    if (word.tells && attribute.value?.trim()) tell(word.tells);
    attribute.value = null;
  } else attribute.value = changed(attribute.value ?? "", word, tell);
}

/** Comments that are threads are tied to theirs by an author of that name. */
const THREAD = /^tc=\{[\dA-F-]{36}\}$/i;

function changed(was: string, { tells, to = "" }: Word, tell: (name: string) => void): string {
  if (was === to || THREAD.test(was)) return was;
  if (tells && was.trim()) tell(tells);
  return to;
}
