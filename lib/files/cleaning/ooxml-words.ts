import type { XmlAttribute, XmlElement, ElementAction } from "./xml.ts";

/** What Office Open XML calls the things that speak of a document's makers, and what becomes of them. */

/** What is done with a part, by its type: leave it out, edit it with one of the vocabularies, or look into it. */
export type PartKind = "drop" | "word" | "sheet" | "slides" | "plain" | "picture" | "font" | "document";

/** Null for a part that isn't known, such as a macro, a sound or a file of another program. */
export const classifyContentType = (type: string): PartKind | null =>
  PART_KINDS.find(([pattern]) => pattern.test(type))?.[1] ?? null;

const OFFICE_TYPE_PREFIX = "application\\/vnd\\.openxmlformats-officedocument\\.";
const MICROSOFT_TYPE_PREFIX = "application\\/vnd\\.ms-";
const contentTypePattern = (start: string, ...names: string[]): RegExp =>
  new RegExp(`^${start}(${names.join("|")})(\\+xml)?$`, "i");

const PART_KINDS: readonly [RegExp, PartKind][] = [
  [
    contentTypePattern(
      `${OFFICE_TYPE_PREFIX}wordprocessingml\\.`,
      "document\\.main|document\\.glossary|styles|settings|webSettings|fontTable|numbering|header|footer",
      "footnotes|endnotes|comments|commentsExtended|commentsIds|commentsExtensible",
    ),
    "word",
  ],
  [contentTypePattern(`${MICROSOFT_TYPE_PREFIX}word\\.`, "stylesWithEffects"), "word"],
  [
    contentTypePattern(
      `${OFFICE_TYPE_PREFIX}spreadsheetml\\.`,
      "sheet\\.main|worksheet|chartsheet|styles|sharedStrings|calcChain|comments|table|sheetMetadata",
      "pivotTable|pivotCacheDefinition|pivotCacheRecords",
    ),
    "sheet",
  ],
  [contentTypePattern(`${MICROSOFT_TYPE_PREFIX}excel\\.`, "threadedcomments|person"), "sheet"],
  [
    contentTypePattern(
      `${OFFICE_TYPE_PREFIX}presentationml\\.`,
      "presentation\\.main|slideshow\\.main|slide|slideLayout|slideMaster|notesSlide|notesMaster|handoutMaster",
      "presProps|viewProps|tableStyles|comments|commentAuthors",
    ),
    "slides",
  ],
  [contentTypePattern(`${MICROSOFT_TYPE_PREFIX}powerpoint\\.`, "comments|authors"), "slides"],
  [
    contentTypePattern(
      OFFICE_TYPE_PREFIX,
      "theme|themeOverride|drawing|vmlDrawing",
      "drawingml\\.(chart|chartshapes|diagramData|diagramLayout|diagramStyle|diagramColors)",
    ),
    "plain",
  ],
  [
    contentTypePattern(
      `${MICROSOFT_TYPE_PREFIX}office\\.`,
      "chartstyle|chartcolorstyle|chartex|drawingml\\.diagramDrawing",
    ),
    "plain",
  ],
  [
    contentTypePattern(
      `${OFFICE_TYPE_PREFIX}(wordprocessingml|spreadsheetml|presentationml)\\.`,
      "printerSettings|people|tags",
    ),
    "drop",
  ],
  [contentTypePattern(`${MICROSOFT_TYPE_PREFIX}powerpoint\\.`, "changesinfo|revisioninfo"), "drop"],
  // Data that forms are filled from, and where programs keep what they like.
  [contentTypePattern("application\\/", "xml"), "drop"],
  [contentTypePattern(OFFICE_TYPE_PREFIX, "customXmlProperties"), "drop"],
  [/^image\//i, "picture"],
  [contentTypePattern(OFFICE_TYPE_PREFIX, "obfuscatedFont"), "font"],
  [/^(font\/[\w-]+|application\/(x-font-[\w-]+|x-fontdata|vnd\.ms-opentype))$/i, "font"],
  [
    contentTypePattern(
      OFFICE_TYPE_PREFIX,
      "wordprocessingml\\.document|spreadsheetml\\.sheet|presentationml\\.presentation",
    ),
    "document",
  ],
];

/**
 * What it tells, if anything, and what stands in its place; without `to` it goes. `of`: in these elements only. `when`:
 * where the value matches.
 */
type RewriteRule = { tells?: string; to?: string; of?: readonly string[]; when?: RegExp };
type PartVocabulary = {
  /** Elements that go, with what they tell. */
  elements: Map<string, string>;
  attributes: Map<string, RewriteRule>;
  texts: Map<string, RewriteRule>;
};

/** What the programs themselves write when they are told to name nobody. */
const NEUTRAL_AUTHOR = "Author";
const NEUTRAL_TIME = "1980-01-01T00:00:00.000";

const AUTHOR_RULE: RewriteRule = { tells: "Author", to: NEUTRAL_AUTHOR };
const INITIALS_RULE: RewriteRule = { tells: "Author", to: "A" };
const DATE_RULE: RewriteRule = { tells: "ModDate" };
const PROVIDER_RULE: RewriteRule = { to: "None" };

const WORD_VOCABULARY: PartVocabulary = {
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
  attributes: new Map<string, RewriteRule>([
    ["author", AUTHOR_RULE],
    ["initials", INITIALS_RULE],
    ["date", DATE_RULE],
    ["dateUtc", DATE_RULE],
    ...["", "R", "RPr", "P", "Del", "RDefault", "Tr", "Sect"].map((name): [string, RewriteRule] => [
      `rsid${name}`,
      {},
    ]),
  ]),
  texts: new Map(),
};

const SHEET_VOCABULARY: PartVocabulary = {
  elements: new Map([
    // Where the file lay, mostly in somebody's own folder.
    ["absPath", "Author"],
    ["revisionPtr", ""],
  ]),
  attributes: new Map<string, RewriteRule>([
    ["userName", { tells: "Author", of: ["fileSharing"] }],
    ["displayName", { ...AUTHOR_RULE, of: ["person"] }],
    ["userId", { ...AUTHOR_RULE, of: ["person"] }],
    ["providerId", { ...PROVIDER_RULE, of: ["person"] }],
    ["dT", DATE_RULE],
    ["refreshedBy", { tells: "Author" }],
    ["refreshedDate", DATE_RULE],
    ["refreshedDateIso", DATE_RULE],
    // What the printer was told, which is left out.
    ["id", { tells: "HostComputer", of: ["pageSetup"] }],
  ]),
  texts: new Map([["author", AUTHOR_RULE]]),
};

const SLIDES_VOCABULARY: PartVocabulary = {
  elements: new Map([
    ["custDataLst", ""],
    ["reactions", ""],
  ]),
  attributes: new Map<string, RewriteRule>([
    ["name", { ...AUTHOR_RULE, of: ["cmAuthor", "author"] }],
    ["initials", { ...INITIALS_RULE, of: ["cmAuthor", "author"] }],
    ["userId", { ...AUTHOR_RULE, of: ["author", "presenceInfo"] }],
    ["providerId", { ...PROVIDER_RULE, of: ["author", "presenceInfo"] }],
    ["dt", DATE_RULE],
    ["created", { tells: "ModDate", to: NEUTRAL_TIME, of: ["cm", "reply"] }],
    ["timeZoneBias", { tells: "Country" }],
  ]),
  texts: new Map(),
};

/** The path or file name that a picture was inserted from, which often holds a person's name. */
const SOURCE_FILE_RULE: RewriteRule = {
  tells: "Author",
  to: "Picture",
  when: /^(file:|[a-z]:|[/~])|\\|\.(jpe?g|png|gif|hei[cf]|webp|avif|tiff?|bmp|svg|emf|wmf|pdf|docx?|pptx?|xlsx?)$/i,
};
const DRAWING_ATTRIBUTE_RULES = new Map<string, RewriteRule>([
  ["name", SOURCE_FILE_RULE],
  ["descr", SOURCE_FILE_RULE],
  ["title", SOURCE_FILE_RULE],
]);
const DRAWING_ELEMENTS = new Set(["docPr", "cNvPr"]);

const VOCABULARIES: Partial<Record<PartKind, PartVocabulary>> = {
  word: WORD_VOCABULARY,
  sheet: SHEET_VOCABULARY,
  slides: SLIDES_VOCABULARY,
};

/** Takes out of an element what speaks of the makers, and tells what that was. */
export function removeAuthorship(
  element: XmlElement,
  kind: PartKind,
  noteField: (name: string) => void,
): ElementAction {
  if (DRAWING_ELEMENTS.has(element.local))
    for (const attribute of element.attributes)
      rewriteAttribute(attribute, { word: DRAWING_ATTRIBUTE_RULES, element, tell: noteField });
  const rules = VOCABULARIES[kind];
  if (!rules) return "keep";
  const droppedField = rules.elements.get(element.local);
  if (droppedField !== undefined) {
    if (droppedField) noteField(droppedField);
    return "drop";
  }
  for (const attribute of element.attributes)
    rewriteAttribute(attribute, { word: rules.attributes, element, tell: noteField });
  const text = rules.texts.get(element.local);
  return text ? { text: (was) => rewriteText(was, text, noteField) } : "keep";
}

type AttributeRewrite = { word: Map<string, RewriteRule>; element: XmlElement; tell: (name: string) => void };

function rewriteAttribute(
  attribute: XmlAttribute,
  { word: rules, element, tell: noteField }: AttributeRewrite,
): void {
  const word = rules.get(attribute.local);
  if (!word || (word.of && !word.of.includes(element.local))) return;
  if (word.when && !word.when.test(attribute.value ?? "")) return;
  if (word.to === undefined) {
    if (word.tells && attribute.value?.trim()) noteField(word.tells);
    attribute.value = null;
  } else attribute.value = rewriteText(attribute.value ?? "", word, noteField);
}

/** Comments that are threads are tied to theirs by an author of that name. */
const THREAD_AUTHOR = /^tc=\{[\dA-F-]{36}\}$/i;

function rewriteText(
  was: string,
  { tells, to = "" }: RewriteRule,
  noteField: (name: string) => void,
): string {
  if (was === to || THREAD_AUTHOR.test(was)) return was;
  if (tells && was.trim()) noteField(tells);
  return to;
}
