import fs from "node:fs";

/**
 * Removes a folder with everything in it. Tries again where a process that is just ending has added a file meanwhile.
 */
export const removeFolder = (folder: string): void =>
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
