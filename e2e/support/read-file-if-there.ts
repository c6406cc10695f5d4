import fs from "node:fs";

/** Reads a file that a running service may remove at any time: one that is gone has no bytes. */
export function readFileIfThere(file: string): Buffer {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return Buffer.alloc(0);
  }
}
