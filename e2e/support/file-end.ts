/** What a test file has started ends with it, also what one of its tests started. */

const endings: (() => Promise<void>)[] = [];

/** Runs a function after the last test of the current file. */
export function endWithFile(end: () => Promise<void>): void {
  endings.push(end);
}

/** Runs the functions of the current file, all at once, and forgets them: the next file may run in the same process. */
export async function runFileEndings(): Promise<void> {
  await Promise.all(endings.splice(0).map((end) => end()));
}
