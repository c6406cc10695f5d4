import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { findUnmountedMountPointAbove } from "./mounts.ts";

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "heed-mounts-")));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const place = path.join(folder, "back ups", "heed");
fs.mkdirSync(place, { recursive: true });
const written = path.join(folder, "back\\040ups");

function lists(fstab: string, mountinfo: string) {
  const files = { expected: path.join(folder, "fstab"), mounted: path.join(folder, "mountinfo") };
  fs.writeFileSync(files.expected, fstab);
  fs.writeFileSync(files.mounted, mountinfo);
  return files;
}
const ROOT = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n";
const FSTAB = `# disks\nUUID=1 / ext4 defaults 0 1\nUUID=2 ${written} ext4 nofail 0 2\nUUID=3 none swap sw 0 0\n`;

it("names a mount point above a folder where nothing is mounted", () => {
  expect(findUnmountedMountPointAbove(place, lists(FSTAB, ROOT))).toBe(path.join(folder, "back ups"));
});

it("accepts mounted folders, and folders that aren't listed", () => {
  const mounted = `${ROOT}23 22 8:2 / ${written} rw - ext4 /dev/sdb1 rw\n`;
  expect(findUnmountedMountPointAbove(place, lists(FSTAB, mounted))).toBeUndefined();
  expect(findUnmountedMountPointAbove(folder, lists(FSTAB, ROOT))).toBeUndefined();
  expect(
    findUnmountedMountPointAbove(place, { expected: "/nonexistent/fstab", mounted: "/nonexistent/mounts" }),
  ).toBeUndefined();
});
