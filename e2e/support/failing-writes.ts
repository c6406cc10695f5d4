import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createDiskStorage } from "#lib/files/storage/disk.ts";
import { readMultipartForm } from "#lib/files/upload/multipart.ts";
import { sealFile } from "#lib/crypto/sealed-file.ts";

/**
 * A program for a test in which no file can be written. It runs uploads and the storage check in the data folder of its
 * argument, and prints the errors and the descriptors that were left to the garbage collector.
 */

const folder = process.argv[2] ?? "";
const source = path.join(folder, "source");
const leftOpenFiles = new Set<string>();
process.on("warning", ({ message }) => leftOpenFiles.add(message));
const failures: Record<string, string> = {};

async function attempt(name: string, work: () => Promise<unknown>): Promise<void> {
  failures[name] = await work().then(
    () => "none",
    (error: { code?: string }) => error.code ?? String(error),
  );
  for (const file of listOpenFiles()) leftOpenFiles.add(`${name}: ${path.relative(folder, file)}`);
}

const listOpenFiles = (): string[] =>
  fs
    .readdirSync("/proc/self/fd")
    .flatMap((descriptor) => {
      try {
        return [fs.readlinkSync(`/proc/self/fd/${descriptor}`, "utf8")];
      } catch {
        // Excludes the descriptor with which the folder itself was read.
        return [];
      }
    })
    .filter((file) => file.startsWith(folder));

const upload = (...sizes: number[]) => {
  const body = new FormData();
  for (const size of sizes) body.append("relatedFiles", new Blob([Buffer.alloc(size, "a")]), "a.txt");
  const request = new Request("http://localhost/", { method: "POST", body });
  return readMultipartForm(request as never, {
    files: { field: ["relatedFiles"], max: 2, maxBytesEach: 1_000_000, maxBytesTotal: 1_500_000 },
    fields: { maxCount: 5, maxBytes: 1000 },
  });
};

const storage = createDiskStorage(folder);
await attempt("an upload", () => upload(400_000));
await attempt("a small upload", () => upload(10));
await attempt("an upload that is too large", () => upload(10, 1_200_000));
await attempt("sealing", () =>
  sealFile(source, path.join(folder, "sealed"), { name: "a", key: Buffer.alloc(32) }),
);
await attempt("the check of the storage", () => storage.check());
(globalThis as { gc?: () => void }).gc?.();
await sleep(50);
process.stdout.write(JSON.stringify({ failures, left: [...leftOpenFiles] }));
