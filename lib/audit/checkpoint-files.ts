import fs from "node:fs";
import path from "node:path";
import type { Checkpoint, SignedCheckpoint } from "#lib/audit/checkpoints.ts";

/**
 * Checkpoint files in the data folder, out of reach of someone who has only the database.
 * `audit-checkpoints/<day>.jsonl` is append-only; `interim.json` is replaced and states what was sealed since the
 * last checkpoint.
 */

type DataFolder = { dataDir: string };

const INTERIM_FILE_NAME = "interim.json";

/** Appends lines to the file of the day, or to a later one that a clock ahead of time made, and syncs it to disk. */
export function appendCheckpointsToDailyFile(
  dataFolder: DataFolder,
  checkpoints: readonly SignedCheckpoint[],
): void {
  if (checkpoints.length === 0) return;
  const today = path.join(
    ensureCheckpointFolder(dataFolder),
    `${new Date().toISOString().slice(0, 10)}.jsonl`,
  );
  const newest = listDayFiles(dataFolder).at(-1);
  // The files are read in the order of their names, and have to keep the order of writing.
  const file = newest !== undefined && newest > today ? newest : today;
  const text = checkpoints.map(({ line }) => `${line}\n`).join("");
  const handle = fs.openSync(file, "a", 0o600);
  try {
    // If a crash cut off the last line, starts a new one.
    fs.writeSync(handle, endsInMidLine(file) ? `\n${text}` : text);
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

function endsInMidLine(file: string): boolean {
  const { size } = fs.statSync(file);
  if (size === 0) return false;
  const handle = fs.openSync(file, "r");
  try {
    const last = Buffer.alloc(1);
    fs.readSync(handle, last, 0, 1, size - 1);
    return last.toString() !== "\n";
  } finally {
    fs.closeSync(handle);
  }
}

/** Replaces the interim checkpoint; removes it when none is given. */
export function replaceOrRemoveInterimCheckpoint(
  dataFolder: DataFolder,
  checkpoint?: SignedCheckpoint,
): void {
  const file = path.join(ensureCheckpointFolder(dataFolder), INTERIM_FILE_NAME);
  if (!checkpoint) return fs.rmSync(file, { force: true });
  const draft = `${file}.part`;
  fs.writeFileSync(draft, `${checkpoint.line}\n`, { mode: 0o600 });
  fs.renameSync(draft, file);
}

export const readInterimCheckpointLine = (dataFolder: DataFolder): string | undefined =>
  readLines(path.join(buildCheckpointFolderPath(dataFolder), INTERIM_FILE_NAME))[0];

/** Reads every line of the daily files, oldest first. */
export const readCheckpointLines = (dataFolder: DataFolder): string[] =>
  listDayFiles(dataFolder).flatMap((file) => readLines(file));

/**
 * Reads the newest checkpoints of the daily files, from the last complete one on, or all where none is complete.
 * @param read returns undefined for lines to skip
 */
export function readCheckpointsSinceLastComplete(
  dataFolder: DataFolder,
  read: (line: string) => SignedCheckpoint | undefined,
): SignedCheckpoint[] {
  const newest: SignedCheckpoint[] = [];
  for (const file of listDayFiles(dataFolder).reverse()) {
    const dayCheckpoints = readLines(file).flatMap((line) => read(line) ?? []);
    const from = dayCheckpoints.findLastIndex(({ complete }: Checkpoint) => complete);
    newest.unshift(...dayCheckpoints.slice(Math.max(from, 0)));
    if (from >= 0) break;
  }
  return newest;
}

const buildCheckpointFolderPath = ({ dataDir }: DataFolder): string =>
  path.join(/* turbopackIgnore: true */ dataDir, "audit-checkpoints");

function ensureCheckpointFolder(dataFolder: DataFolder): string {
  fs.mkdirSync(buildCheckpointFolderPath(dataFolder), { recursive: true, mode: 0o700 });
  return buildCheckpointFolderPath(dataFolder);
}

function listDayFiles(dataFolder: DataFolder): string[] {
  const folder = buildCheckpointFolderPath(dataFolder);
  if (!fs.existsSync(folder)) return [];
  const names = fs.readdirSync(folder).filter((name) => /^\d{4}-\d{2}-\d{2}\.jsonl$/.test(name));
  return names.sort().map((name) => path.join(folder, name));
}

const readLines = (file: string): string[] =>
  fs.existsSync(file)
    ? fs
        .readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line.trim() !== "")
    : [];
