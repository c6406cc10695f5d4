import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { OperationCall } from "#lib/operation/operation.ts";

const dataDir = mkdtempSync(path.join(os.tmpdir(), "heed-report-keys-"));
vi.stubEnv("HEED_DATA_DIR", dataDir);
const { createOrReadSecret } = await import("#lib/crypto/secrets.ts");
const { computeKeyedHash } = await import("#lib/crypto/keyed-hash.ts");
const { createReceiptCode } = await import("#lib/crypto/receipt.ts");
const { deriveIdempotencyRecord } = await import("./idempotency.ts");
const { sealWriterIdAsFormTicket } = await import("#lib/http/form-drafts.ts");
const { NewIncidentInput } = await import("./schema.ts");
createOrReadSecret({ dataDir }, "data");
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(dataDir, { recursive: true, force: true });
});

const SENDER = "6b1f4f5e-6f0b-4f0e-9d9b-0d9a3c8f5a10";
const RANDOM_KEY = "0b0e7a52-3f0c-4b1e-8a57-5f6f1f1f4c11";

function derive(idempotencyKey: string, anonymous: boolean, namesSender = false) {
  const report = NewIncidentInput.parse({
    title: "Shouting at the desk",
    description: "For a while.",
    anonymous,
  });
  const call = { idempotencyKey, files: [] } as unknown as OperationCall;
  const record = deriveIdempotencyRecord(SENDER, { eventId: "event", call, namesSender }, report);
  if (!record) throw new Error("a key has a record");
  return record;
}

/** What somebody computes who has the data folder and guesses sender, event and key. */
const guess = (key: string) => computeKeyedHash("report key", `${SENDER} event ${key}`);

/** Not UUIDs, or UUIDs that follow from a time or a name, and a long text that isn't a ticket. */
const GUESSABLE_KEYS = [
  "one",
  "report-2026-11-26-00000001",
  "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
  "2ed6657d-e927-568b-95e1-2665a8aea6a2",
  "a".repeat(120),
];

describe("the stored key of a report without a name", () => {
  it.each(GUESSABLE_KEYS)("can't be found with the data folder by guessing %s", (key) => {
    expect(derive(key, true).keyHash).not.toEqual(guess(key));
    expect(derive(key, true).isGuessable).toBe(true);
  });

  it("can be found where the report has a name, or names who took it", () => {
    expect(derive("one", false).keyHash).toEqual(guess("one"));
    expect(derive("one", true, true).keyHash).toEqual(guess("one"));
  });

  it("is found by a report with a name under the same key, and the other way around", () => {
    expect(derive("one", true).otherKeyHash).toEqual(derive("one", false).keyHash);
    expect(derive("one", false).otherKeyHash).toEqual(derive("one", true).keyHash);
  });

  it.each([
    ["UUID", RANDOM_KEY],
    ["form ticket", sealWriterIdAsFormTicket(SENDER)],
    ["form ticket with dots", `${sealWriterIdAsFormTicket(SENDER)}..`],
  ])("outlives a restart for a random %s", (_, key) =>
    expect(derive(key, true)).toMatchObject({ keyHash: guess(key), isGuessable: false }),
  );
});

it("a receipt can't be computed with the data folder and a guessed key", () => {
  const { owner, isGuessable } = derive("one", true);
  expect(createReceiptCode(owner, { isGuessable })).toBe(createReceiptCode(owner, { isGuessable }));
  expect(createReceiptCode(owner, { isGuessable })).not.toBe(createReceiptCode(owner));
});
