import os from "node:os";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import { env } from "#lib/env.ts";
import { COMMON_PASSWORDS } from "#lib/accounts/common-passwords.ts";

/** bcrypt's cost (rulings R3). */
const COST = 12;

/** Longer passwords would be cut by bcrypt, so they are refused (rulings R3). */
const MAX_PASSWORD_BYTES = 72;
export const MIN_PASSWORD_LENGTH = 8;

/** A password as it is chosen: kept exactly as typed, no composition rules (rulings R3). */
export const newPassword = z
  .string("must be text")
  .refine((value) => value.isWellFormed() && !value.includes("\0"), "holds characters that can't be used")
  .refine(
    (value) => [...value].length >= MIN_PASSWORD_LENGTH,
    `must be at least ${MIN_PASSWORD_LENGTH} characters`,
  )
  .refine(
    (value) => Buffer.byteLength(value) <= MAX_PASSWORD_BYTES,
    `is too long: at most ${MAX_PASSWORD_BYTES} characters, and fewer with accents, other alphabets or emoji`,
  )
  .refine(
    (value) => !env().production || !isCommon(value),
    "is one of the most common passwords; choose another",
  )
  .meta({ type: "string", minLength: MIN_PASSWORD_LENGTH, format: "password" });

/** A password as it is given to sign in: anything goes, and most of it is wrong. */
export const givenPassword = z
  .string("must be text")
  .max(1000, "must be at most 1000 characters")
  .meta({ type: "string", format: "password" });

const isCommon = (password: string) => COMMON_PASSWORDS.has(password.toLowerCase());

/** Hashes with bcrypt, cost 12, in a worker thread. */
export const hashPassword = (password: string): Promise<string> =>
  ask({ kind: "hash", password, cost: COST }) as Promise<string>;

/**
 * Does the password match? Without a hash (unknown account) the same work is done and the answer is no,
 * so that both cost the same time (rulings R3).
 */
export async function passwordMatches(password: string, hash: string | undefined): Promise<boolean> {
  const tooLong = Buffer.byteLength(password) > MAX_PASSWORD_BYTES;
  const matches = await ask({ kind: "compare", password: tooLong ? "" : password, hash: hash ?? NOBODY });
  return matches === true && hash !== undefined && !tooLong;
}

// The hash of a random text that was thrown away.
const NOBODY = "$2b$12$lWetZDIdff9N1CPFEmNgGew2lOsgLRi0MUzMsFsa9eFIUFQTdn4T.";

type Question =
  { kind: "hash"; password: string; cost: number } | { kind: "compare"; password: string; hash: string };
type Waiting = { resolve: (value: unknown) => void; reject: (error: Error) => void };

// One worker fewer than there are cores: the other core answers requests while passwords are hashed.
const WORKERS = Math.max(1, Math.min(4, os.availableParallelism() - 1));

type Pool = { workers: Worker[]; waiting: Map<number, Waiting>; next: number };
const kept = globalThis as unknown as { heedHashers?: Pool };

function ask(question: Question): Promise<unknown> {
  const pool = (kept.heedHashers ??= { workers: [], waiting: new Map(), next: 0 });
  const id = (pool.next += 1);
  return new Promise((resolve, reject) => {
    pool.waiting.set(id, { resolve, reject });
    const worker = workerFor(pool, id % WORKERS);
    worker.ref();
    worker.postMessage({ id, ...question });
  });
}

function workerFor(pool: Pool, slot: number): Worker {
  const running = pool.workers[slot];
  if (running) return running;
  const worker = new Worker(
    path.join(/* turbopackIgnore: true */ process.cwd(), "lib", "accounts", "hash-worker.mjs"),
  );
  pool.workers[slot] = worker;
  worker.on("message", ({ id, result, error }: { id: number; result?: unknown; error?: string }) => {
    const waiting = pool.waiting.get(id);
    pool.waiting.delete(id);
    // An idle hasher doesn't keep the process alive; one at work does.
    if (pool.waiting.size === 0) for (const idle of pool.workers) idle?.unref();
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error("password hashing failed"));
  });
  worker.on("error", (error) => {
    delete pool.workers[slot];
    for (const [id, waiting] of pool.waiting) {
      if (id % WORKERS !== slot) continue;
      pool.waiting.delete(id);
      waiting.reject(error);
    }
  });
  return worker;
}
