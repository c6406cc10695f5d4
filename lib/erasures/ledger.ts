import fs from "node:fs";
import { appendFile, readFile } from "node:fs/promises";
import path from "node:path";
import { computeKeyedHash } from "#lib/crypto/keyed-hash.ts";
import { prisma } from "#lib/database/client.ts";
import type { Tx } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";

/**
 * What was erased, as keyed hashes of ids: a row that is written in the transaction of the erasure, and a line in a file of
 * the data folder, which outlives a restore. Whatever stands in the file and not in the table came back with a backup
 * (docs/decisions/061).
 */

export type ErasedKind = "incident" | "organization" | "user";

/** Remembers an erasure, in its transaction. */
export async function recordErasure(tx: Tx, kind: ErasedKind, id: string): Promise<void> {
  await tx.erasure.createMany({ data: [{ hash: hashErased(kind, id) }], skipDuplicates: true });
}

export const hashErased = (kind: ErasedKind, id: string): Uint8Array<ArrayBuffer> =>
  computeKeyedHash("erasure", `${kind}:${id}`);

/** The form in which a hash stands in the file. */
export const toErasureLine = (hash: Uint8Array): string => Buffer.from(hash).toString("base64url");

/** Returns the lines of the file that the table doesn't have. */
export async function findForgottenErasures(): Promise<Set<string>> {
  const lines = await readErasureFile();
  if (lines.size === 0) return lines;
  const rows = await prisma.erasure.findMany();
  return lines.difference(new Set(rows.map(({ hash }) => toErasureLine(hash))));
}

/** Adds lines of the file to the table, so that they are known again. */
export async function restoreErasures(lines: Iterable<string>): Promise<void> {
  const data = [...lines].map((line) => ({ hash: new Uint8Array(Buffer.from(line, "base64url")) }));
  await prisma.erasure.createMany({ data, skipDuplicates: true });
}

/** Appends to the file what only the table has. The process that owns the data folder calls it, and no other. */
export async function appendErasuresToFile(): Promise<void> {
  const rows = await prisma.erasure.findMany();
  if (rows.length === 0) return;
  const lines = new Set(rows.map(({ hash }) => toErasureLine(hash))).difference(await readErasureFile());
  if (lines.size === 0) return;
  // An earlier line that a crash cut off is ended first.
  await appendFile(findErasureFile(), `\n${[...lines].join("\n")}\n`, { mode: 0o600, flush: true });
}

const findErasureFile = (): string => path.join(env().dataDir, "erasures.log");

async function readErasureFile(): Promise<Set<string>> {
  const file = findErasureFile();
  if (!fs.existsSync(file)) return new Set();
  const text = await readFile(file, "utf8");
  return new Set(text.split("\n").filter((line) => ERASURE_LINE.test(line)));
}

/** 32 bytes in base64url. */
const ERASURE_LINE = /^[\w-]{43}$/;
