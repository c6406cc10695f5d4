import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/**
 * Compresses browser files of a build at the highest level, which takes too long to do per request: a .br and a .gz
 * lie next to each file. Results are cached under the hash of the file's content.
 */

const TEXT_FILE = /\.(js|css|svg|json|txt)$/;
/** Smaller files gain nothing, since they fit into a single packet anyway. */
const MIN_COMPRESSED_BYTES = 256;

const FORMATS = {
  br: (content: Buffer) =>
    promisify(brotliCompress)(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
  gz: (content: Buffer) => promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
};

/**
 * Writes a .br and a .gz next to each text file in `folder` and its subfolders. Afterwards `cache` holds copies of
 * exactly these compressed files, so that the next call compresses only what has changed.
 */
export async function compressTextFilesUsingCache(folder: string, cache: string): Promise<void> {
  fs.mkdirSync(cache, { recursive: true });
  const files = fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => TEXT_FILE.test(name))
    .map((name) => path.join(folder, name));
  // The work happens in libuv's threads, a few files at a time.
  const cachedNames = await Promise.all(files.map((file) => compressFile(file, cache)));
  const needed = new Set(cachedNames.flat());
  for (const name of fs.readdirSync(cache)) if (!needed.has(name)) fs.rmSync(path.join(cache, name));
}

/** @returns the cache names of the file's compressed forms */
async function compressFile(file: string, cache: string): Promise<string[]> {
  const content = fs.readFileSync(file);
  if (content.length < MIN_COMPRESSED_BYTES) return [];
  const hash = createHash("sha256").update(content).digest("hex");
  return Promise.all(
    Object.entries(FORMATS).map(async ([ending, compress]) => {
      const name = `${hash}.${ending}`;
      const stored = path.join(cache, name);
      if (!fs.existsSync(stored)) await writeAtomically(stored, await compress(content));
      fs.copyFileSync(stored, `${file}.${ending}`);
      return name;
    }),
  );
}

/** Writes to a draft and renames it when it is complete, since a build may be killed at any time. */
async function writeAtomically(file: string, content: Buffer): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await fs.promises.writeFile(draft, content);
  await fs.promises.rename(draft, file);
}
