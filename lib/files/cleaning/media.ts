import mediaInfo, { type MediaInfo } from "mediainfo.js";
import {
  createBufferReader,
  hasUnknownIsoBoxes,
  listIsoTrackHandlers,
} from "#lib/files/upload/media-tracks.ts";
import { listXmpFieldNames } from "./xmp.ts";

/**
 * Lists the filled fields of an audio or video file, under the field names that `listRevealedMetadataCategories` knows.
 * @throws Error when the file is truncated, has no readable format, or holds pictures, which may have metadata of their
 *   own
 */
export async function listMediaMetadataFieldNames(bytes: Buffer): Promise<string[]> {
  const analysis = await analyzeMedia(bytes);
  const tracks = (analysis.media?.track ?? []) as unknown as TrackFields[];
  const [general, ...others] = tracks;
  if (!general?.Format || others.length === 0 || general.extra?.IsTruncated === "Yes")
    throw new Error("This recording can't be read to its end.");
  if (tracks.some(({ Cover, "@type": type }) => Cover || type === "Image"))
    throw new Error("This recording holds a picture.");
  const filled = tracks.flatMap((track) => [...listFilledNames(track), ...listFilledNames(track.extra)]);
  const matchedPatterns = FIELD_PATTERNS.filter(([pattern]) => filled.some((name) => pattern.test(name)));
  return [
    ...matchedPatterns.map(([, word]) => word),
    ...listTagNames(tracks),
    ...(await listSideTrackNames(tracks, bytes)),
    ...listXmpFieldNames(bytes),
  ];
}

/** Recorders name a sound by the street. */
const NAMING_RECORDER = /VoiceMemos/;

/** What people and programs write freely counts as an author, and so does a tag that isn't known. */
function listTagNames(tracks: readonly TrackFields[]): string[] {
  const isWritten = tracks.some(
    (track) =>
      listFilledNames(track).some((name) => WRITTEN_FIELD.test(name) && !isHandlerName(track, name)) ||
      listFilledNames(track.extra).some((name) => !TECHNICAL_EXTRA.test(name)),
  );
  const isNamedByPlace = tracks.some(
    ({ Title, Encoded_Application }) => Title && NAMING_RECORDER.test(String(Encoded_Application)),
  );
  return [...(isWritten ? ["Author"] : []), ...(isNamedByPlace ? ["Location"] : [])];
}

const WRITTEN_FIELD =
  /^(Title|Album|Part|Track|Movie|Season|Chapter|Collection|Comment|Description|Lyrics|Synopsis|Summary|Grouping|Keywords|Subject|Mood|Label|Original|Archival|ServiceName)/;
/** What MediaInfo says of the structure of a file, beside the tags in it. */
const TECHNICAL_EXTRA =
  /^(IsTruncated|Source_|CodecConfigurationBox|ConformanceErrors|MetaDataFormat|bsid|dialnorm|compr|dsurmod|acmod|lfeon|mdhd_|Menus?$)/;

/** Programs name each track by its kind, such as "Core Media Audio". */
const isHandlerName = (track: TrackFields, field: string): boolean =>
  track["@type"] !== "General" && /handler?$|^Core Media/i.test(String(track[field]));

/**
 * A track beside picture and sound is telemetry or a subtitle, in which cameras and drones write where they are.
 * MediaInfo names a track by the format of its samples, whatever its handler says.
 */
async function listSideTrackNames(tracks: readonly TrackFields[], bytes: Buffer): Promise<string[]> {
  const file = createBufferReader(bytes);
  const isKnown = tracks.every(({ "@type": type }) => ["General", "Video", "Audio"].includes(String(type)));
  const handlers = await listIsoTrackHandlers(file);
  const isSide = !isKnown || handlers.some((handler) => handler !== "vide" && handler !== "soun");
  if (await hasUnknownIsoBoxes(file)) return ["Location", "Date", "Model"];
  return isSide ? ["Location", "Date"] : [];
}

// The reader processes one file after another; a reader that a file broke is replaced.
let mediaInfoReader: Promise<MediaInfo<"object">> | undefined;

async function analyzeMedia(bytes: Buffer) {
  mediaInfoReader ??= mediaInfo({ format: "object" });
  try {
    const ready = await mediaInfoReader;
    return await ready.analyzeData(
      () => bytes.length,
      (size, offset) => bytes.subarray(offset, offset + size),
    );
  } catch (error) {
    mediaInfoReader = undefined;
    throw error;
  }
}

type TrackFields = Record<string, unknown> & { extra?: Record<string, unknown> };

const listFilledNames = (fields: Record<string, unknown> = {}): string[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    ["string", "number"].includes(typeof value) && String(value).trim() !== "" ? [name] : [],
  );

/**
 * MediaInfo gives different formats' fields one common name; the patterns also cover the other names that phones and
 * programs write.
 */
const FIELD_PATTERNS: readonly [RegExp, string][] = [
  [/location|gps|latitude|longitude|(^|_)xyz$/i, "Location"],
  [/^Encoded_(Application|Library|Hardware|OperatingSystem)/, "Software"],
  [/(^|_)(make|model|manufacturer|device|serial|software|android|encoder)(_|$)/i, "Model"],
  [
    /^(Recorded|Encoded|Tagged|Mastered|Released|Written|File_(Created|Modified))_Date|(^|_)date(_|$)|(^|_)creation_?(date|time)/i,
    "Date",
  ],
  [
    /^(Performer|Director|Composer|Lyricist|Conductor|Arranger|Actor|Producer|Publisher|Production|Copyright|Terms)/,
    "Author",
  ],
  [/By$|(^|_)(author|artist|owner|user|username|contact|organization)(_|$)/i, "Author"],
];
