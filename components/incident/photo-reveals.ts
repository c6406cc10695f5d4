import ExifReader from "exifreader";
import { type LostPart, listLostParts } from "#lib/files/cleaning/lost-parts.ts";
import {
  collectImageFieldNamesAndValues,
  type RevealedCategory,
  listRevealedMetadataCategories,
} from "#lib/files/cleaning/reveals.ts";

/** What a photo's hidden data reveals, and what a copy of the photo lacks. */
export type PhotoContents = { reveals: RevealedCategory[]; lost: LostPart[] };

/**
 * Finds what a photo holds beside its picture, in the browser before anything is sent. The server checks again,
 * more thoroughly (lib/files/cleaning/inspect.ts). Loaded only when somebody picks a photo.
 * @throws Error if the file isn't a readable photo
 */
export async function inspectPhoto(photo: File): Promise<PhotoContents> {
  const bytes = await photo.arrayBuffer();
  const groups = await ExifReader.load(bytes, { expanded: true, async: true }).catch((error: unknown) => {
    if (error instanceof ExifReader.errors.MetadataMissingError) return {};
    throw error;
  });
  return {
    reveals: listRevealedMetadataCategories(collectImageFieldNamesAndValues(groups).names),
    lost: listLostParts(new Uint8Array(bytes), groups),
  };
}
