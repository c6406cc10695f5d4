import ExifReader from "exifreader";
import { collectFilledFields, type Reveal, classifyFieldNames } from "#lib/files/cleaning/reveals.ts";

/**
 * What the hidden data of a photo tells, found in the browser before anything is sent. The service looks once more, and
 * closer (lib/files/cleaning/inspect.ts). Loaded only when somebody picks a photo.
 * @throws Error where it is no photo that can be read
 */
export async function readPhotoReveals(photo: File): Promise<Reveal[]> {
  try {
    const groups = await ExifReader.load(await photo.arrayBuffer(), { expanded: true, async: true });
    return classifyFieldNames(collectFilledFields(groups).names);
  } catch (error) {
    if (error instanceof ExifReader.errors.MetadataMissingError) return [];
    throw error;
  }
}
