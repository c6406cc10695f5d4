import fs from "node:fs";
import path from "node:path";

/** Where the system keeps what is to be mounted, and what is. */
const LISTS = { wanted: "/etc/fstab", mounted: "/proc/self/mountinfo" };

/**
 * The mount point above a folder, or the folder itself, that the system's list names and where nothing is mounted;
 * undefined where there is none, and on systems without these lists.
 */
export function unmountedAbove(folder: string, lists = LISTS): string | undefined {
  const wanted = columnOf(lists.wanted, 1);
  const mounted = new Set(columnOf(lists.mounted, 4));
  if (mounted.size === 0) return undefined;
  const real = fs.realpathSync(folder);
  return wanted.find((point) => isAbove(point, real) && !mounted.has(point));
}

const isAbove = (point: string, folder: string): boolean =>
  path.isAbsolute(point) && point !== "/" && (folder === point || folder.startsWith(`${point}/`));

/** Blanks within a path are written as `\040`. */
function columnOf(file: string, column: number): string[] {
  const text = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("#"));
  return lines.map((line) =>
    (line.trim().split(/\s+/)[column] ?? "").replace(/\\(\d{3})/g, (_, code) =>
      String.fromCharCode(Number.parseInt(code, 8)),
    ),
  );
}
