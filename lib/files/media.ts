import mediaInfo, { type MediaInfo } from "mediainfo.js";
import { namesInXmpOf } from "./xmp.ts";

/**
 * What the filled fields of a sound or a film speak of, in the words that `revealedBy` knows. What can't be read tells
 * nothing.
 */
export async function namesInMedia(bytes: Buffer): Promise<string[]> {
  reader ??= mediaInfo({ format: "object" });
  const found = await (
    await reader
  ).analyzeData(
    () => bytes.length,
    (size, offset) => bytes.subarray(offset, offset + size),
  );
  const tracks = (found.media?.track ?? []) as unknown as Fields[];
  const filled = tracks.flatMap((track) => [...filledIn(track), ...filledIn(track.extra)]);
  const told = WORDS.filter(([pattern]) => filled.some((name) => pattern.test(name)));
  return [...told.map(([, word]) => word), ...namesInXmpOf(bytes)];
}

// It goes through one file after the other.
let reader: Promise<MediaInfo<"object">> | undefined;

type Fields = Record<string, unknown> & { extra?: Record<string, unknown> };

const filledIn = (fields: Record<string, unknown> = {}): string[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    ["string", "number"].includes(typeof value) && String(value).trim() !== "" ? [name] : [],
  );

/** MediaInfo has one name for what formats call differently, and beside them whatever else phones and programs write. */
const WORDS: readonly [RegExp, string][] = [
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
