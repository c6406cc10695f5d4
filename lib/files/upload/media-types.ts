import {
  type FileReader,
  listIsoBrands,
  listIsoTrackHandlers,
  listMatroskaTrackTypes,
} from "./media-tracks.ts";

/** The brands of pictures in HEIF (ISO 23008-12), and the codec that they tell. */
const PICTURE_BRANDS: Record<string, string | undefined> = {
  ...Object.fromEntries(
    "heic heix heim heis hevc hevx hevm hevs".split(" ").map((brand) => [brand, "image/heic"]),
  ),
  ...Object.fromEntries("avif avis".split(" ").map((brand) => [brand, "image/avif"])),
  ...Object.fromEntries("mif1 mif2 miaf msf1 1pic".split(" ").map((brand) => [brand, "image/heif"])),
};

/**
 * Returns the type of an ISO media file by its brands and its tracks: a picture in HEIF, a film, or a sound where no
 * track is a picture.
 * @param found its type by its major brand alone
 */
export async function detectIsoMediaType(
  found: string | undefined,
  file: FileReader,
): Promise<string | undefined> {
  const brands = await listIsoBrands(file);
  const [major = "qt  "] = brands;
  const handlers = await listIsoTrackHandlers(file);
  const isFilm = handlers.includes("vide");
  if (PICTURE_BRANDS[major] || (handlers.length === 0 && brands.some((brand) => PICTURE_BRANDS[brand])))
    return choosePictureType(brands);
  if (isFilm || !handlers.includes("soun")) return isFilm ? chooseFilmType(major, found) : found;
  return chooseSoundType(major);
}

/** A brand that tells the codec is more precise than one that tells the container only. */
function choosePictureType(brands: readonly string[]): string {
  const types = brands.flatMap((brand) => PICTURE_BRANDS[brand] ?? []);
  return types.find((type) => type !== "image/heif") ?? "image/heif";
}

/** A brand of sounds, such as M4A, doesn't make a film with pictures a sound. */
const chooseFilmType = (major: string, found: string | undefined): string | undefined =>
  found?.startsWith("audio/") ? "video/mp4" : major === "qt  " ? "video/quicktime" : found;

function chooseSoundType(major: string): string {
  if (major === "qt  ") return "audio/quicktime";
  if (major.startsWith("3g2")) return "audio/3gpp2";
  return major.startsWith("3g") ? "audio/3gpp" : "audio/mp4";
}

const [PICTURE_TRACK, SOUND_TRACK] = [1, 2];

/** Returns the type of a Matroska or WebM file by its tracks. @param found its type by its header alone */
export async function detectMatroskaType(
  found: "video/webm" | "video/matroska",
  file: FileReader,
): Promise<string> {
  const types = await listMatroskaTrackTypes(file);
  if (types.includes(PICTURE_TRACK) || !types.includes(SOUND_TRACK)) return found;
  return found === "video/webm" ? "audio/webm" : "audio/x-matroska";
}
