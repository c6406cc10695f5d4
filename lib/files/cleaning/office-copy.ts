import { strippedPicture } from "./containers.ts";
import type { DocumentCopy, PictureNames } from "./document-copy.ts";
import { copyOdf, namesInOdf } from "./odf-copy.ts";
import { copyOoxml, namesInOoxml } from "./ooxml-copy.ts";
import { Archive, zip } from "./zip.ts";

/** Charts keep their numbers in a workbook of their own; deeper than that nothing honest nests. */
const MOST_DEEP = 2;

/**
 * A Word, Excel, PowerPoint or OpenDocument file without its properties, preview, printer, people, marks of changes,
 * and what its pictures tell. What was written, drawn, commented and changed stays, as if one nameless author had done
 * it. The copy is read again before it is given out: it has to be whole, and to tell nothing any more.
 * @param tell told of each picture in it, for its own metadata
 * @throws Error when it is broken, too large, or holds what can't be looked into: it was not read to its end then
 */
export async function copyOffice(bytes: Buffer, tell: PictureNames): Promise<DocumentCopy> {
  const names: string[] = [];
  const copy = await cleaned(bytes, { names, tell, depth: 0 });
  if (copy.equals(bytes)) return { names: [], copy: null, stuck: false };
  const again: string[] = [];
  const second = await cleaned(copy, { names: again, tell, depth: 0 });
  if (again.length > 0 || !second.equals(copy)) throw new Error("The copy would still tell something.");
  return { names, copy, stuck: false };
}

type Work = { names: string[]; tell: PictureNames; depth: number };

/** @throws Error when it is broken, too large, or holds what can't be cleaned */
async function cleaned(bytes: Buffer, { names, tell, depth }: Work): Promise<Buffer> {
  if (depth > MOST_DEEP) throw new Error("This document nests too deep.");
  const archive = await Archive.open(bytes);
  if (archive.dated) names.push("ModDate");
  const [namesIn, copy] = archive.has("mimetype") ? [namesInOdf, copyOdf] : [namesInOoxml, copyOoxml];
  names.push(...(await namesIn(archive)));
  const parts = await copy(archive, {
    tell: (name) => void names.push(name),
    picture: async (picture) => {
      const bare = strippedPicture(picture);
      if (!bare) throw new Error("This document holds a picture that can't be looked into.");
      if (!bare.equals(picture)) names.push(...(await tell(picture)));
      return bare;
    },
    document: (inner) => cleaned(inner, { names, tell, depth: depth + 1 }),
  });
  return zip(parts);
}
