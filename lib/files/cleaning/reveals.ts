/**
 * `clean`: the whole upload was read, and holds no metadata. `cleaned`: there is a copy without it. `not_cleanable`: the
 * upload was read and stays as it is; it may hold more than what was found. `not_inspected`: the upload could not be read
 * to its end, so it counts as revealing everything.
 */
export const CLEAN_STATES = ["cleaned", "clean", "not_cleanable", "not_inspected"] as const;
export type CleanState = (typeof CLEAN_STATES)[number];

/** What a file's metadata can give away about whoever made it. Only these words are ever kept, never a value. */
export const REVEALS = ["place", "device", "time", "author"] as const;
export type Reveal = (typeof REVEALS)[number];

/**
 * The kinds that fields of these names speak of, in the order above. Names are those of EXIF, IPTC, XMP (without
 * prefix), PNG text, the information dictionary of PDF, where a small letter makes a difference (`creator` is a person,
 * `Creator` a program), and of the properties of office documents.
 */
export function classifyFieldNames(names: Iterable<string>): Reveal[] {
  const found = new Set<Reveal>();
  for (const name of names)
    for (const kind of REVEALS) if (REVEALING_FIELD_NAMES[kind].test(name)) found.add(kind);
  return REVEALS.filter((kind) => found.has(kind));
}

const REVEALING_FIELD_NAMES: Record<Reveal, RegExp> = {
  place:
    /^(GPS(Dest)?(Latitude|Longitude)|GPSAltitude|GPSAreaInformation|GPSPosition|City|Sub-?[Ll]ocation|Location\w*|(Province\/)?State|Country(Code|Name|\/Primary Location (Name|Code))?)$/,
  device:
    /^((Lens)?(Make|Model)|(Body|Camera|Lens)?SerialNumber|HostComputer|MakerNote|UniqueCameraModel|Lens|Software|softwareAgent|CreatorTool|Creator|Producer|Source|Originating Program|Program Version|PTEX\.Fullbanner|Application|AppVersion|generator)$/,
  time: /^((Create|Modify|Metadata)Date|Date(Time)?(Original|Digitized|Created)?|(Digital )?(Date|Time) Created|Digital Creation (Date|Time)|Creation Time|Modify Date|GPS(Date|Time)Stamp|CreationDate|ModDate|SourceModified|when|created|modified|lastPrinted|date|creation-date|print-date|MSIP_Label_[\w-]+_SetDate)$/,
  author:
    /^(Artist|Author|XPAuthor|AuthorsPosition|creator|initial-creator|CreatorContactInfo|By-line( Title)?|(Camera)?OwnerName|Owner|Copyright( Notice)?|rights|Credit|Contact|Writer\/Editor|CaptionWriter|[Ll]astModifiedBy|printed-by|Manager|Company|_AuthorEmail(DisplayName)?|MSIP_Label_[\w-]+_Owner)$/,
};

type MetadataField = { value?: unknown; description?: unknown };

/** Not those that ExifReader works out from others, nor the measures of the picture and its colour profile. */
const METADATA_GROUPS = new Set(["exif", "iptc", "xmp", "png", "pngText", "makerNotes", "photoshop"]);

/** Of what ExifReader found, by group: the names of the fields that say something, and the values of all. */
export function collectFilledFields(groups: object): { names: string[]; values: unknown[] } {
  const fields = Object.entries(groups as Record<string, Record<string, MetadataField>>)
    .filter(([group]) => METADATA_GROUPS.has(group))
    .flatMap(([, tags]) => Object.entries(tags));
  const names = fields.filter(([, field]) => isFilled(field)).map(([name]) => name);
  return { names, values: fields.map(([, { value }]) => value) };
}

/** Cameras leave fields blank, and dates at zero. */
const isFilled = ({ value, description }: MetadataField): boolean => {
  const text = String(description || value || "");
  return /[^\s\0]/.test(text) && !/^0000[:0\s-]*$/.test(text);
};

/**
 * Names of the fields that an XMP packet fills, without their prefixes. Read as text: a packet may be broken, and
 * nothing else of it matters here.
 */
export function parseXmpFieldNames(text: string): string[] {
  const names: string[] = [];
  for (const [, name = "", value = ""] of text.matchAll(/\s[\w-]+:([\w-]+)\s*=\s*["']([^"']*)["']/g))
    if (value.trim() !== "") names.push(name);
  for (const [, name = ""] of text.matchAll(/<[\w-]+:([\w-]+)(?:\s[^<>]*[^/<>])?>(?!\s*<\/)/g))
    names.push(name);
  return names;
}
