import fs from "node:fs";
import { open, readFile, rename } from "node:fs/promises";
import path from "node:path";
import { computeKeyedHash } from "#lib/crypto/keyed-hash.ts";
import { prisma } from "#lib/database/client.ts";
import type { Tx } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";

/**
 * A ledger of erasures, and of changes that take away access, as keyed hashes: rows of a table, written in the
 * transaction, and lines of a file in the data folder, which a restore doesn't touch. After a restore, a line without a
 * row stands for an erasure or a change that happened after the backup was taken (docs/decisions/061).
 */

/** The kinds of records that are erased again when a restored backup brings them back. */
export type ErasedKind = "incident" | "organization" | "user";

/** Records an erasure in its transaction. */
export async function recordErasure(tx: Tx, kind: ErasedKind, id: string): Promise<void> {
  await tx.erasure.createMany({ data: [{ hash: hashLedgerEntryForRecord(kind, id) }], skipDuplicates: true });
}

export const hashLedgerEntryForRecord = (kind: ErasedKind, id: string): Uint8Array<ArrayBuffer> =>
  hashLedgerEntry(`${kind}:${id}`);

/** Hashes an entry of the ledger. @param entry its kind and ids, with colons between them */
export const hashLedgerEntry = (entry: string): Uint8Array<ArrayBuffer> => computeKeyedHash("erasure", entry);

/** Formats the hash of an erased record as a line of the erasure file. */
export const formatErasureFileLine = (hash: Uint8Array): string => Buffer.from(hash).toString("base64url");

/**
 * Returns the lines of the erasure file that have no row: erasures that happened after the restored backup was taken.
 */
export async function listErasureFileLinesLostInRestore(): Promise<Set<string>> {
  const lines = await readErasureFile();
  if (lines.size === 0) return lines;
  const rows = await prisma.erasure.findMany();
  return lines.difference(new Set(rows.map(({ hash }) => formatErasureFileLine(hash))));
}

/** Adds rows for lines of the erasure file, once their records have been erased again. */
export async function addErasureRowsFromFileLines(lines: Iterable<string>): Promise<void> {
  const data = [...lines].map((line) => ({ hash: new Uint8Array(Buffer.from(line, "base64url")) }));
  await prisma.erasure.createMany({ data, skipDuplicates: true });
}

/**
 * Adds the rows that the erasure file doesn't have to the file. The file is rewritten, in the order of the hashes, even
 * if nothing is added: neither the place of a line nor the time of the file shows when something happened. Only the
 * process that owns the data folder may call it.
 */
export async function addDatabaseErasuresToFile(): Promise<void> {
  await addRowsToErasureFile(await prisma.erasure.findMany());
}

/**
 * Adds the given rows of the ledger to the erasure file, and rewrites the file as `addDatabaseErasuresToFile` does. The
 * rows may come from another database, such as one that a restore is about to replace.
 */
export async function addRowsToErasureFile(rows: { hash: Uint8Array }[]): Promise<void> {
  const lines = (await readErasureFile()).union(new Set(rows.map(({ hash }) => formatErasureFileLine(hash))));
  if (lines.size === 0) return;
  const file = getErasureFilePath();
  const handle = await open(`${file}.part`, "w", 0o600);
  try {
    await handle.writeFile(`${[...lines].toSorted().join("\n")}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.part`, file);
}

const getErasureFilePath = (): string => path.join(env().dataDir, "erasures.log");

/** Returns all lines of the erasure file: the hashes of the ledger's entries. */
export async function readErasureFile(): Promise<Set<string>> {
  const file = getErasureFilePath();
  if (!fs.existsSync(file)) return new Set();
  const text = await readFile(file, "utf8");
  return new Set(text.split("\n").filter((line) => ERASURE_LINE.test(line)));
}

/** 32 bytes in base64url. */
const ERASURE_LINE = /^[\w-]{43}$/;
