import { isLoadingFormula } from "./formulas.ts";
import { readXmlText, type XmlAttribute, type XmlElement, type XmlElementAction } from "./xml.ts";

/** The Office Open XML names of data that identifies a document's authors, and the rules for it. */

/** The handling of a part, by its content type: dropped, edited with one of the vocabularies, or inspected. */
export type OoxmlPartHandling =
  | "drop"
  | "word"
  | "sheet"
  | "slides"
  | "plain"
  | "picture"
  | "font"
  | "document";

/** Returns null for an unknown part, such as a macro, a sound or another program's file. */
export const findOoxmlPartHandling = (type: string): OoxmlPartHandling | null =>
  PART_HANDLINGS.find(([pattern]) => pattern.test(type))?.[1] ?? null;

const OFFICE_TYPE_PREFIX = "application\\/vnd\\.openxmlformats-officedocument\\.";
const MICROSOFT_TYPE_PREFIX = "application\\/vnd\\.ms-";
const buildContentTypePattern = (start: string, ...names: string[]): RegExp =>
  new RegExp(`^${start}(${names.join("|")})(\\+xml)?$`, "i");

const PART_HANDLINGS: readonly [RegExp, OoxmlPartHandling][] = [
  [
    buildContentTypePattern(
      `${OFFICE_TYPE_PREFIX}wordprocessingml\\.`,
      "document\\.main|document\\.glossary|styles|settings|webSettings|fontTable|numbering|header|footer",
      "footnotes|endnotes|comments|commentsExtended|commentsIds|commentsExtensible",
    ),
    "word",
  ],
  [buildContentTypePattern(`${MICROSOFT_TYPE_PREFIX}word\\.`, "stylesWithEffects"), "word"],
  [
    buildContentTypePattern(
      `${OFFICE_TYPE_PREFIX}spreadsheetml\\.`,
      "sheet\\.main|worksheet|chartsheet|styles|sharedStrings|calcChain|comments|table|sheetMetadata",
      "pivotTable|pivotCacheDefinition|pivotCacheRecords",
    ),
    "sheet",
  ],
  [buildContentTypePattern(`${MICROSOFT_TYPE_PREFIX}excel\\.`, "threadedcomments|person"), "sheet"],
  [
    buildContentTypePattern(
      `${OFFICE_TYPE_PREFIX}presentationml\\.`,
      "presentation\\.main|slideshow\\.main|slide|slideLayout|slideMaster|notesSlide|notesMaster|handoutMaster",
      "presProps|viewProps|tableStyles|comments|commentAuthors",
    ),
    "slides",
  ],
  [buildContentTypePattern(`${MICROSOFT_TYPE_PREFIX}powerpoint\\.`, "comments|authors"), "slides"],
  [
    buildContentTypePattern(
      OFFICE_TYPE_PREFIX,
      "theme|themeOverride|drawing|vmlDrawing",
      "drawingml\\.(chart|chartshapes|diagramData|diagramLayout|diagramStyle|diagramColors)",
    ),
    "plain",
  ],
  [
    buildContentTypePattern(
      `${MICROSOFT_TYPE_PREFIX}office\\.`,
      "chartstyle|chartcolorstyle|chartex|drawingml\\.diagramDrawing",
    ),
    "plain",
  ],
  [
    buildContentTypePattern(
      `${OFFICE_TYPE_PREFIX}(wordprocessingml|spreadsheetml|presentationml)\\.`,
      "printerSettings|people|tags",
    ),
    "drop",
  ],
  [buildContentTypePattern(`${MICROSOFT_TYPE_PREFIX}powerpoint\\.`, "changesinfo|revisioninfo"), "drop"],
  // Form data sources, and custom data that programs store as they like.
  [buildContentTypePattern("application\\/", "xml"), "drop"],
  [buildContentTypePattern(OFFICE_TYPE_PREFIX, "customXmlProperties"), "drop"],
  [/^image\//i, "picture"],
  [buildContentTypePattern(OFFICE_TYPE_PREFIX, "obfuscatedFont"), "font"],
  [/^(font\/[\w-]+|application\/(x-font-[\w-]+|x-fontdata|vnd\.ms-opentype))$/i, "font"],
  [
    buildContentTypePattern(
      OFFICE_TYPE_PREFIX,
      "wordprocessingml\\.document|spreadsheetml\\.sheet|presentationml\\.presentation",
    ),
    "document",
  ],
];

/**
 * `reveals`: the metadata field that the value counts as. `to`: the replacement; without it the value is removed. `of`:
 * applies in these elements only. `when`: applies only to values for which it returns true.
 */
type RewriteRule = { reveals?: string; to?: string; of?: readonly string[]; when?: (was: string) => boolean };
type PartVocabulary = {
  /** Elements to drop, with the metadata field that each counts as. */
  elements: Map<string, string>;
  attributes: Map<string, RewriteRule>;
  texts: Map<string, RewriteRule>;
};

/** The placeholder that the programs themselves write when set to remove personal information. */
const NEUTRAL_AUTHOR = "Author";
const NEUTRAL_TIME = "1980-01-01T00:00:00.000";

const AUTHOR_RULE: RewriteRule = { reveals: "Author", to: NEUTRAL_AUTHOR };
const INITIALS_RULE: RewriteRule = { reveals: "Author", to: "A" };
const DATE_RULE: RewriteRule = { reveals: "ModDate" };
const PROVIDER_RULE: RewriteRule = { to: "None" };

const WORD_VOCABULARY: PartVocabulary = {
  elements: new Map([
    ["rsids", ""],
    ["docId", ""],
    ["docVars", ""],
    ["mailMerge", ""],
    ["attachedTemplate", ""],
    ["printerSettings", "HostComputer"],
    // A data binding would replace the written text with properties, which have been removed.
    ["dataBinding", ""],
  ]),
  attributes: new Map<string, RewriteRule>([
    ["author", AUTHOR_RULE],
    ["initials", INITIALS_RULE],
    ["date", DATE_RULE],
    ["dateUtc", DATE_RULE],
    // The account that may edit a protected range.
    ["ed", { reveals: "Author", of: ["permStart"] }],
    ...["", "R", "RPr", "P", "Del", "RDefault", "Tr", "Sect"].map((name): [string, RewriteRule] => [
      `rsid${name}`,
      {},
    ]),
  ]),
  texts: new Map(),
};

const SHEET_VOCABULARY: PartVocabulary = {
  elements: new Map([
    // The path of the file, usually in a person's own folder.
    ["absPath", "Author"],
    ["revisionPtr", ""],
    // Views of one person, which bear their name.
    ["customWorkbookViews", "Author"],
    ["customSheetViews", "Author"],
    ["securityDescriptor", "Author"],
  ]),
  attributes: new Map<string, RewriteRule>([
    ["securityDescriptor", { reveals: "Author", of: ["protectedRange"] }],
    ["user", { reveals: "Author", of: ["scenario"] }],
    // "Created by" and a name.
    ["comment", { reveals: "Author", of: ["scenario"] }],
    ["userName", { reveals: "Author", of: ["fileSharing"] }],
    ["displayName", { ...AUTHOR_RULE, of: ["person"] }],
    ["userId", { ...AUTHOR_RULE, of: ["person"] }],
    ["providerId", { ...PROVIDER_RULE, of: ["person"] }],
    ["dT", DATE_RULE],
    ["refreshedBy", { reveals: "Author" }],
    ["refreshedDate", DATE_RULE],
    ["refreshedDateIso", DATE_RULE],
    // Refers to the printer settings, which are dropped.
    ["id", { reveals: "HostComputer", of: ["pageSetup"] }],
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
    ["created", { reveals: "ModDate", to: NEUTRAL_TIME, of: ["cm", "reply"] }],
    ["timeZoneBias", { reveals: "Country" }],
  ]),
  texts: new Map(),
};

const FILE_ENDING = /\.(jpe?g|png|gif|hei[cf]|webp|avif|tiff?|bmp|svg|emf|wmf|pdf|docx?|pptx?|xlsx?)$/i;
const PATH_IN_NAME = /^(file:|[a-z]:|[/~])|\\/i;
/** A path from its disk, network, home or root, or one of an old Mac. Formulas in LaTeX have backslashes, too. */
const PATH_AS_DESCRIPTION =
  /^(file:[\\/]|[a-z]:[\\/](?!math[a-z]+\{)|\\\\[\w.$-]+\\|\.{1,2}[\\/]|~?\/(\S+$|\/*(home|users)\/)|[^:]+:users:)/i;

/** Returns whether a picture is named after the file it was inserted from, which often holds a person's name. */
export const isNamedAfterFile = (name: string): boolean => PATH_IN_NAME.test(name) || FILE_ENDING.test(name);

/** Returns whether a program described a picture by its file. What somebody wrote stays. */
export const isDescribedByFile = (description: string): boolean =>
  PATH_AS_DESCRIPTION.test(description.trim()) || FILE_ENDING.test(description.trim());

/** What replaces the name of a file. */
export const NEUTRAL_PICTURE_DESCRIPTION = "Picture";
const SOURCE_NAME_RULE: RewriteRule = {
  reveals: "Author",
  to: NEUTRAL_PICTURE_DESCRIPTION,
  when: isNamedAfterFile,
};
const DESCRIPTION_RULE: RewriteRule = { ...SOURCE_NAME_RULE, when: isDescribedByFile };
const PICTURE_RULES = new Map<string, RewriteRule>([
  ["name", SOURCE_NAME_RULE],
  ["descr", DESCRIPTION_RULE],
  ["title", DESCRIPTION_RULE],
]);
/** VML: the file that a picture is from, with or without its extension. Its bytes are in a part. */
const VML_PICTURE_RULES = new Map<string, RewriteRule>(
  ["title", "src", "href", "althref"].map((name) => [name, { reveals: "Author" }]),
);
const VML_SHAPE_RULES = new Map<string, RewriteRule>([["alt", DESCRIPTION_RULE]]);
const DRAWING_RULES = new Map<string, Map<string, RewriteRule>>([
  ...["docPr", "cNvPr"].map((name) => [name, PICTURE_RULES] as const),
  ...["imagedata", "fill", "stroke"].map((name) => [name, VML_PICTURE_RULES] as const),
  ...["shape", "rect", "roundrect", "oval", "image", "group"].map((name) => [name, VML_SHAPE_RULES] as const),
]);

const FORMULA_ELEMENTS = new Set(["f", "definedName", "formula", "formula1", "formula2"]);

const VOCABULARIES: Partial<Record<OoxmlPartHandling, PartVocabulary>> = {
  word: WORD_VOCABULARY,
  sheet: SHEET_VOCABULARY,
  slides: SLIDES_VOCABULARY,
};

/** Removes the authorship from an element and records the field names that it filled. */
export function removeOoxmlAuthorship(
  element: XmlElement,
  handling: OoxmlPartHandling,
  noteField: (name: string) => void,
): XmlElementAction {
  const drawingRules = DRAWING_RULES.get(element.local);
  if (drawingRules)
    for (const attribute of element.attributes)
      rewriteAttribute(attribute, { rules: drawingRules, element, noteField });
  if (handling === "sheet" && FORMULA_ELEMENTS.has(element.local)) return { text: assertQuietFormula };
  const rules = VOCABULARIES[handling];
  if (!rules) return "keep";
  const droppedField = rules.elements.get(element.local);
  if (droppedField !== undefined) {
    if (droppedField) noteField(droppedField);
    return "drop";
  }
  for (const attribute of element.attributes)
    rewriteAttribute(attribute, { rules: rules.attributes, element, noteField });
  const text = rules.texts.get(element.local);
  return text ? { text: (was) => rewriteText(was, text, noteField) } : "keep";
}

/** @throws Error for a formula that shows its sender who opened the workbook when */
function assertQuietFormula(formula: string): string {
  if (isLoadingFormula(readXmlText(formula))) throw new Error("This document points at a file.");
  return formula;
}

type AttributeRewrite = {
  rules: Map<string, RewriteRule>;
  element: XmlElement;
  noteField: (name: string) => void;
};

function rewriteAttribute(attribute: XmlAttribute, { rules, element, noteField }: AttributeRewrite): void {
  const rule = rules.get(attribute.local);
  if (!rule || (rule.of && !rule.of.includes(element.local))) return;
  if (rule.when && !rule.when(attribute.value ?? "")) return;
  if (rule.to === undefined) {
    if (rule.reveals && attribute.value?.trim()) noteField(rule.reveals);
    attribute.value = null;
  } else attribute.value = rewriteText(attribute.value ?? "", rule, noteField);
}

/** An author name that links a threaded comment to its placeholder comment. */
const THREAD_AUTHOR = /^tc=\{[\dA-F-]{36}\}$/i;

function rewriteText(
  was: string,
  { reveals, to = "" }: RewriteRule,
  noteField: (name: string) => void,
): string {
  if (was === to || THREAD_AUTHOR.test(was)) return was;
  if (reveals && was.trim()) noteField(reveals);
  return to;
}
