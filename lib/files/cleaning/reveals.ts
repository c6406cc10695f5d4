/**
 * `clean`: the whole upload was read and holds no metadata. `cleaned`: there is a copy without it. `not_cleanable`: the
 * upload was read and stays as it is; it may hold more than what was found. `not_inspected`: the upload couldn't be
 * read to its end, so it counts as revealing everything.
 */
export const FILE_CLEANING_STATES = ["cleaned", "clean", "not_cleanable", "not_inspected"] as const;
export type FileCleaningState = (typeof FILE_CLEANING_STATES)[number];

/**
 * The kinds of facts about an author that a file's metadata can reveal. Only these categories are stored, never a
 * value.
 */
export const REVEALED_CATEGORIES = ["place", "device", "time", "author"] as const;
export type RevealedCategory = (typeof REVEALED_CATEGORIES)[number];

/**
 * Returns the categories that fields of these names belong to, in the order of `REVEALED_CATEGORIES`. Names are those
 * of EXIF, IPTC, XMP (without prefix), PNG text, office document properties, and the PDF information dictionary. Case
 * matters: `creator` is a person, `Creator` a program.
 */
export function listRevealedMetadataCategories(names: Iterable<string>): RevealedCategory[] {
  const found = new Set<RevealedCategory>();
  for (const name of names) {
    for (const kind of REVEALED_CATEGORIES) if (REVEALING_FIELD_NAMES[kind].test(name)) found.add(kind);
    if (WRITTEN_FIELD_NAMES.test(name)) found.add("author");
  }
  return REVEALED_CATEGORIES.filter((kind) => found.has(kind));
}

const REVEALING_FIELD_NAMES: Record<RevealedCategory, RegExp> = {
  place:
    /^(GPS(Dest)?(Latitude|Longitude)|GPSAltitude|GPSAreaInformation|GPSPosition|City|Sub-?[Ll]ocation|Location\w*|(Province\/)?State|Country(Code|Name|\/Primary Location (Name|Code))?)$/,
  device:
    /^((Lens)?(Make|Model)|(Body|Camera|Lens)?SerialNumber|HostComputer|MakerNote|UniqueCameraModel|Lens|Software|softwareAgent|CreatorTool|Creator|Producer|Source|Originating Program|Program Version|PTEX\.Fullbanner|Application|AppVersion|generator)$/,
  time: /^((Create|Modify|Metadata)Date|Date(Time)?(Original|Digitized|Created)?|(Digital )?(Date|Time) Created|Digital Creation (Date|Time)|Creation Time|Modify Date|GPS(Date|Time)Stamp|CreationDate|ModDate|SourceModified|when|created|modified|lastPrinted|date|creation-date|print-date|MSIP_Label_[\w-]+_SetDate)$/,
  author:
    /^(Artist|Author|XPAuthor|AuthorsPosition|creator|initial-creator|CreatorContactInfo|By-line( Title)?|(Camera)?OwnerName|Owner|Copyright( Notice)?|rights|Credit|Contact|Writer\/Editor|CaptionWriter|[Ll]astModifiedBy|printed-by|Manager|Company|_AuthorEmail(DisplayName)?|MSIP_Label_[\w-]+_Owner)$/,
};

/** Fields in which people or programs write freely, such as a title: they may name somebody. */
const WRITTEN_FIELD_NAMES =
  /^([Tt]itle|Object Name|Headline|DocumentName|PageName|[Ss]ubject|[Kk]eywords?|[Cc]ategory|[Dd]escription|ImageDescription|Caption\/Abstract|[Cc]omments?|UserComment|XP(Title|Comment|Subject|Keywords)|(Special )?Instructions|PersonInImage\w*|PersonDisplayName|Disclaimer|Warning)$/;

type MetadataField = { value?: unknown; description?: unknown };

/**
 * ExifReader's groups of metadata fields. The groups that it derives from others, and those about the picture's
 * dimensions and color profile, aren't among them.
 */
const METADATA_GROUPS = new Set(["exif", "iptc", "xmp", "png", "pngText", "makerNotes", "photoshop"]);

/** Returns the names of the filled fields and the values of all fields that ExifReader found, by group. */
export function collectImageFieldNamesAndValues(groups: object): { names: string[]; values: unknown[] } {
  const fields = Object.entries(groups as Record<string, Record<string, MetadataField>>)
    .filter(([group]) => METADATA_GROUPS.has(group))
    .flatMap(([, tags]) => Object.entries(tags));
  const names = fields.filter(([, field]) => isFilled(field)).map(([name]) => name);
  return { names, values: fields.map(([, { value }]) => value) };
}

/** Cameras write blank fields, also as character codes, and dates of zeros. */
const isFilled = ({ value, description }: MetadataField): boolean => {
  const isBlank =
    Array.isArray(value) && value.every((code) => [0, 0x20, "", " "].includes(code as number | string));
  const text = isBlank ? "" : String(description || value || "");
  return /[^\s\0]/.test(text) && !/^0000[:0\s-]*$/.test(text);
};

/**
 * Lists the fields that an XMP packet fills, without their prefixes. Reads it as text, because a packet may be broken
 * and nothing else in it matters here.
 */
export function parseXmpPacketFieldNames(text: string): string[] {
  const names: string[] = [];
  for (const [, name = "", value = ""] of text.matchAll(/\s[\w-]+:([\w-]+)\s*=\s*["']([^"']*)["']/g))
    if (value.trim() !== "") names.push(name);
  for (const [, name = ""] of text.matchAll(/<(?!rdf:)[\w-]+:([\w-]+)(?:\s[^<>]*[^/<>])?>(?!\s*<\/)/g))
    names.push(name);
  return names;
}
