import ExifReader from "exifreader";
import {
  collectImageFieldNamesAndValues,
  type RevealedCategory,
  listRevealedMetadataCategories,
} from "#lib/files/cleaning/reveals.ts";

/**
 * Finds what a photo's hidden data reveals, in the browser before anything is sent. The server checks again,
 * more thoroughly (lib/files/cleaning/inspect.ts). Loaded only when somebody picks a photo.
 * @throws Error if the file isn't a readable photo
 */
export async function detectPhotoHiddenData(photo: File): Promise<RevealedCategory[]> {
  try {
    const groups = await ExifReader.load(await photo.arrayBuffer(), { expanded: true, async: true });
    return listRevealedMetadataCategories(collectImageFieldNamesAndValues(groups).names);
  } catch (error) {
    if (error instanceof ExifReader.errors.MetadataMissingError) return [];
    throw error;
  }
}
