/**
 * The table of file types, for the server and for the file dialog in the browser. Types are recognized by content
 * (upload/types.ts); the names of files matter only for how a file is called, and for what is refused.
 */

/** An accepted type, its extensions with the usual one first, and other names for the type. */
export type AcceptedFileType = {
  mimetype: string;
  extensions: readonly [string, ...string[]];
  aliases: readonly string[];
};

const OOXML = "application/vnd.openxmlformats-officedocument";
const ODF = "application/vnd.oasis.opendocument";

/** The accepted types (contract 9.1). */
export const ACCEPTED_FILE_TYPES: readonly AcceptedFileType[] = (
  [
    ["image/png", "png apng", "image/apng"],
    ["image/jpeg", "jpg jpeg jpe jfif pjpeg mpo", "image/jpg image/pjpeg"],
    ["image/webp", "webp"],
    ["image/gif", "gif"],
    ["image/heic", "heic heics heif hif", "image/heic-sequence"],
    ["image/heif", "heif heifs heic hif", "image/heif-sequence"],
    ["image/avif", "avif avifs"],
    ["image/tiff", "tiff tif"],
    ["image/bmp", "bmp dib", "image/x-ms-bmp image/x-bmp"],
    ["application/pdf", "pdf"],
    ["audio/mpeg", "mp3 mpga mp2", "audio/mp3"],
    ["audio/mp4", "m4a mp4 m4b aac", "audio/x-m4a audio/m4a"],
    ["audio/quicktime", "qta mov qt m4a"],
    ["audio/3gpp", "3gp 3ga 3gpp mp4 m4a"],
    ["audio/3gpp2", "3g2 3gpp2 mp4 m4a"],
    ["audio/aac", "aac", "audio/x-aac audio/aacp"],
    ["audio/amr", "amr"],
    ["audio/ogg", "ogg opus oga spx", "audio/ogg; codecs=opus audio/opus"],
    ["audio/webm", "weba webm"],
    ["audio/x-matroska", "mka mkv", "audio/matroska"],
    ["audio/wav", "wav wave", "audio/x-wav audio/wave audio/vnd.wave"],
    ["audio/flac", "flac", "audio/x-flac"],
    ["video/mp4", "mp4 mp4v m4v mov"],
    ["video/x-m4v", "m4v mp4"],
    ["video/quicktime", "mov qt mp4"],
    ["video/webm", "webm"],
    ["video/x-matroska", "mkv", "video/matroska"],
    ["video/ogg", "ogv ogg"],
    ["video/3gpp", "3gp 3gpp mp4"],
    ["video/3gpp2", "3g2 3gpp2 mp4"],
    ["application/rtf", "rtf", "text/rtf"],
    [`${OOXML}.wordprocessingml.document`, "docx"],
    [`${OOXML}.spreadsheetml.sheet`, "xlsx"],
    [`${OOXML}.presentationml.presentation`, "pptx"],
    [`${ODF}.text`, "odt"],
    [`${ODF}.spreadsheet`, "ods"],
    [`${ODF}.presentation`, "odp"],
    ["application/msword", "doc"],
    ["application/vnd.ms-excel", "xls"],
    ["application/vnd.ms-powerpoint", "ppt"],
    [
      "text/plain",
      "txt text md markdown csv tsv log json eml ics vcf srt vtt gpx tex",
      "text/markdown text/csv text/tab-separated-values application/json message/rfc822 text/calendar text/vcard text/x-vcard application/x-subrip text/vtt application/gpx+xml",
    ],
  ] as [string, string, string?][]
).map(([mimetype, extensions, aliases]) => ({
  mimetype,
  extensions: extensions.split(" ") as [string, ...string[]],
  aliases: aliases?.split(/(?<!;) /) ?? [],
}));

/** Finds the row of an accepted type, by its name or by another name for it. */
export const findAcceptedTypeByName = (mimetype: string): AcceptedFileType | undefined =>
  ACCEPTED_FILE_TYPES.find((type) => type.mimetype === mimetype || type.aliases.includes(mimetype));

/** What the file dialog offers: the extensions and names of all accepted types. */
export const FILE_DIALOG_ACCEPT = [
  ...new Set(
    ACCEPTED_FILE_TYPES.flatMap(({ mimetype, aliases, extensions }) => [
      mimetype,
      ...aliases.filter((name) => !name.includes(";")),
      ...extensions.map((extension) => `.${extension}`),
    ]),
  ),
].join(",");

/** The extensions that a file of an accepted type may have. */
export const ACCEPTED_EXTENSIONS: ReadonlySet<string> = new Set(
  ACCEPTED_FILE_TYPES.flatMap(({ extensions }) => extensions),
);

/** The ways in which people can send what a refused file holds. */
export const WAYS_OUT = ["picture", "sound", "video", "document", "archive", "other"] as const;
export type WayOut = (typeof WAYS_OUT)[number];

/** Extensions of common types that aren't accepted, by the way out. */
const REFUSED_EXTENSIONS: Record<WayOut, readonly string[]> = {
  picture: "svg svgz psd ai eps xcf ico jxl jp2 dng cr2 cr3 nef arw orf rw2 raf".split(" "),
  sound: "wma aif aiff aifc caf mid midi ape".split(" "),
  video: "avi wmv asf flv mpg mpeg mts m2ts vob swf rm rmvb".split(" "),
  document:
    "pages numbers key odg epub mobi docm dotx xlsm xltx xlsb pptm ppsx potx pub vsd vsdx one msg xps html htm xhtml".split(
      " ",
    ),
  archive: "zip livp rar 7z gz tgz tar bz2 xz".split(" "),
  other: "exe dll com bat cmd msi scr app apk dmg iso jar".split(" "),
};

/** Returns how to send a file whose name is that of a refused type; undefined for other names. */
export function findWayOutByName(filename: string): WayOut | undefined {
  const extension = parseExtension(filename);
  return WAYS_OUT.find((way) => REFUSED_EXTENSIONS[way].includes(extension));
}

/** Checks for a name that a text doesn't have, such as that of an image or a program. */
export function hasNonTextExtension(filename: string): boolean {
  const extension = parseExtension(filename);
  const isText = findAcceptedTypeByName("text/plain")?.extensions.includes(extension);
  return !isText && (ACCEPTED_EXTENSIONS.has(extension) || findWayOutByName(filename) !== undefined);
}

/** Returns the extension of a file name in lower case, without the dot; blank if there is none. */
export const parseExtension = (filename: string): string =>
  /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase() ?? "";
