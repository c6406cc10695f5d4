import fs from "node:fs";
import path from "node:path";

/** Where the system lists what should be mounted, and what is. */
const MOUNT_LISTS = { expected: "/etc/fstab", mounted: "/proc/self/mountinfo" };

/**
 * Returns the mount point above a folder, or the folder itself, that is listed in /etc/fstab but not mounted;
 * undefined when there is none, and on systems without these lists.
 */
export function findUnmountedMountPointAbove(folder: string, lists = MOUNT_LISTS): string | undefined {
  const expectedMounts = readColumn(lists.expected, 1);
  const currentMounts = new Set(readColumn(lists.mounted, 4));
  if (currentMounts.size === 0) return undefined;
  const real = fs.realpathSync(folder);
  return expectedMounts.find((point) => isAncestor(point, real) && !currentMounts.has(point));
}

const isAncestor = (point: string, folder: string): boolean =>
  path.isAbsolute(point) && point !== "/" && (folder === point || folder.startsWith(`${point}/`));

/** Spaces within a path are written as `\040`. */
function readColumn(file: string, column: number): string[] {
  const text = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("#"));
  return lines.map((line) =>
    (line.trim().split(/\s+/)[column] ?? "").replace(/\\(\d{3})/g, (_, code) =>
      String.fromCharCode(Number.parseInt(code, 8)),
    ),
  );
}
