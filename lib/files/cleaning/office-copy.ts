import { stripPictureMetadata } from "./containers.ts";
import type { DocumentCleaningResult, PictureMetadataFieldReader } from "./document-copy.ts";
import { assertNoHomePaths } from "./home-paths.ts";
import { stripOdfMetadata, listOdfMetadataFieldNames } from "./odf-copy.ts";
import { stripOoxmlMetadata, listOoxmlMetadataFieldNames } from "./ooxml-copy.ts";
import { ZipArchive, buildZipWithoutMetadata } from "./zip.ts";

/** Charts keep their numbers in an embedded workbook. Legitimate documents don't nest deeper than that. */
const MAX_NESTING_DEPTH = 2;

/**
 * Removes from a Word, Excel, PowerPoint or OpenDocument file its properties, preview, printer, people, authorship of
 * changes, and its pictures' metadata. What was written, drawn, commented and changed stays, as if by one unnamed
 * author. Reads the copy again before returning it: it must be intact and hold no more metadata.
 * @param readPictureFields lists the metadata fields of each embedded picture
 * @param refuseHomePaths whether to throw where a path of somebody's home folder is left outside of the text
 * @throws Error when the file is broken, too large, or holds what can't be inspected, and so wasn't read to its end
 */
export async function stripOfficeMetadata(
  bytes: Buffer,
  readPictureFields: PictureMetadataFieldReader,
  { refuseHomePaths = false }: { refuseHomePaths?: boolean } = {},
): Promise<DocumentCleaningResult> {
  const names: string[] = [];
  const copy = await cleanArchive(bytes, { names, readPictureFields, refuseHomePaths, depth: 0 });
  if (copy.equals(bytes)) return { names: [], copy: null, stuck: false };
  const remainingNames: string[] = [];
  const secondCopy = await cleanArchive(copy, {
    names: remainingNames,
    readPictureFields,
    refuseHomePaths,
    depth: 0,
  });
  if (remainingNames.length > 0 || !secondCopy.equals(copy))
    throw new Error("The copy would still reveal something.");
  return { names, copy, stuck: false };
}

type ArchiveCleaning = {
  names: string[];
  readPictureFields: PictureMetadataFieldReader;
  refuseHomePaths: boolean;
  depth: number;
};

/**
 * Cleans the parts of an archive.
 * @throws Error when the archive is broken, too large, or holds what can't be cleaned
 */
async function cleanArchive(
  bytes: Buffer,
  { names, readPictureFields, refuseHomePaths, depth }: ArchiveCleaning,
): Promise<Buffer> {
  if (depth > MAX_NESTING_DEPTH) throw new Error("This document nests too deep.");
  const archive = await ZipArchive.open(bytes);
  if (archive.hasDates) names.push("ModDate");
  const [namesIn, copy] = archive.has("mimetype")
    ? [listOdfMetadataFieldNames, stripOdfMetadata]
    : [listOoxmlMetadataFieldNames, stripOoxmlMetadata];
  names.push(...(await namesIn(archive)));
  const parts = await copy(archive, {
    noteField: (name) => void names.push(name),
    picture: async (picture) => {
      const cleanPicture = stripPictureMetadata(picture);
      if (!cleanPicture) throw new Error("This document holds a picture that can't be looked into.");
      if (!cleanPicture.equals(picture)) names.push(...(await readPictureFields(picture)));
      return cleanPicture;
    },
    document: (inner) => cleanArchive(inner, { names, readPictureFields, refuseHomePaths, depth: depth + 1 }),
  });
  if (refuseHomePaths) assertNoHomePaths(parts);
  return buildZipWithoutMetadata(parts);
}
