import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";

const dataDir = mkdtempSync(path.join(os.tmpdir(), "heed-receipt-"));
vi.stubEnv("HEED_DATA_DIR", dataDir);
const { createOrReadSecret } = await import("./secrets.ts");
const { HURTFUL_STEMS } = await import("./hurtful-stems.ts");
const { createReceiptCode, listMistypedReceiptTerms, hashReceipt, normalizeReceipt, RECEIPT_WORD_COUNT } =
  await import("./receipt.ts");
createOrReadSecret({ dataDir }, "data");
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(dataDir, { recursive: true, force: true });
});

describe("a receipt", () => {
  it("has seven listed words, and another seven each time", () => {
    const receipts = Array.from({ length: 50 }, () => createReceiptCode(null));
    expect(new Set(receipts).size).toBe(50);
    for (const receipt of receipts) {
      expect(receipt.split(" ")).toHaveLength(RECEIPT_WORD_COUNT);
      expect(listMistypedReceiptTerms(receipt)).toEqual([]);
    }
  });

  it("has no word that begins in a hurtful way, in 7,000 drawn words, though earlier receipts may have them", () => {
    const drawn = Array.from({ length: 1000 }, () => createReceiptCode(null).split(" ")).flat();
    const hurtful = drawn.filter((word) => [...HURTFUL_STEMS].some((stem) => word.startsWith(stem)));
    expect(hurtful).toEqual([]);
    expect(new Set(drawn).size).toBeGreaterThan(3500);
    expect(listMistypedReceiptTerms("dork afraid debtless")).toEqual([]);
  });

  it("is the same for a repeated request, and another for any other", () => {
    expect(createReceiptCode("one key")).toBe(createReceiptCode("one key"));
    expect(createReceiptCode("one key")).not.toBe(createReceiptCode("another key"));
  });

  it("is read however it was typed", () => {
    const receipt = createReceiptCode("typed");
    const typed = [
      receipt.toUpperCase(),
      receipt.replaceAll(" ", "\n"),
      receipt
        .split(" ")
        .map((word, at) => `${at + 1}. ${word}`)
        .join(",  "),
      `  ${receipt.replaceAll(" ", "-")}. `,
    ];
    for (const text of typed) expect(normalizeReceipt(text)).toBe(receipt);
  });

  it("is stored as a hash that another key doesn't give", () => {
    const receipt = createReceiptCode("hashed");
    expect(hashReceipt(receipt)).toHaveLength(32);
    expect(Buffer.from(hashReceipt(receipt)).toString()).not.toContain(receipt.split(" ")[0]);
  });

  it("with a typing error says which word isn't listed", () => {
    expect(listMistypedReceiptTerms("abacus abdomem")).toEqual(["abdomem"]);
  });
});
