import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it } from "vitest";

it.runIf(fs.existsSync("/proc/self/fd"))("what can't be written leaves no descriptor open", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-failing-writes-"));
  fs.writeFileSync(path.join(folder, "source"), "What I saw.");
  try {
    // A file size limit of zero bytes makes writes fail as on a full disk.
    const command = `trap "" XFSZ; ulimit -f 0; exec "$0" --expose-gc e2e/support/failing-writes.ts "$1"`;
    const printed = execFileSync("bash", ["-c", command, process.execPath, folder], {
      encoding: "utf8",
      env: { ...process.env, HEED_DATA_DIR: folder, LOG_LEVEL: "silent" },
    });
    expect(JSON.parse(printed)).toEqual({
      failures: {
        "an upload": "STORAGE_UNAVAILABLE",
        "a small upload": "STORAGE_UNAVAILABLE",
        "an upload that is too large": "STORAGE_UNAVAILABLE",
        sealing: "EFBIG",
        "the check of the storage": "STORAGE_UNAVAILABLE",
      },
      left: [],
    });
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
