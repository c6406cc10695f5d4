import mediaInfo, { type MediaInfo } from "mediainfo.js";
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
  return [...matchedPatterns.map(([, word]) => word), ...listXmpFieldNames(bytes)];
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
