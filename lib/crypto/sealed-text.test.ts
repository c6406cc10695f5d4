import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createOrReadSecret } from "./secrets.ts";
import { unsealText, sealText, tryUnsealText } from "./sealed-text.ts";

/** Sealed for `webhook` with a key of 32 sevens. */
const STORED_TEXT = "CQkJCQkJCQkJCQkJE8tcka79RdIi33VohUL9IWqUdTDsPuJpJhbCDfkyoA==";

let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), "heed-sealed-"));
  vi.stubEnv("HEED_DATA_DIR", dataDir);
  createOrReadSecret({ dataDir }, "data");
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(dataDir, { recursive: true, force: true });
});

describe("sealed text", () => {
  it("opens to what was sealed, and is never twice the same", () => {
    const [one, two] = [sealText("webhook", "schöner Schlüssel"), sealText("webhook", "schöner Schlüssel")];
    expect(unsealText("webhook", one)).toBe("schöner Schlüssel");
    expect(unsealText("webhook", two)).toBe("schöner Schlüssel");
    expect(Buffer.from(one).equals(two)).toBe(false);
    expect(Buffer.from(one).includes("Schl")).toBe(false);
  });

  it("does not open for another purpose, nor after a bit was changed", () => {
    const sealed = sealText("webhook", "key");
    expect(() => unsealText("totp", sealed)).toThrow();
    for (const place of [0, 12, 28]) {
      const changed = Uint8Array.from(sealed);
      changed[place] = (changed[place] ?? 0) ^ 1;
      expect(() => unsealText("webhook", changed)).toThrow();
    }
    expect(() => unsealText("webhook", sealed.subarray(0, 10))).toThrow();
  });

  it("opens with the key that sealed it only, given as bytes or in base64url", () => {
    const [key, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const sealed = sealText("form", "text", key);
    expect(tryUnsealText("form", sealed, key.toString("base64url"))).toBe("text");
    for (const wrongKey of [other, undefined]) expect(tryUnsealText("form", sealed, wrongKey)).toBeNull();
    expect(tryUnsealText("form", new Uint8Array(3), key)).toBeNull();
  });

  it("opens what the database holds: the format of a stored text stays", () => {
    const sealed = Buffer.from(STORED_TEXT, "base64");
    expect(unsealText("webhook", sealed, Buffer.alloc(32, 7))).toBe("stored long ago");
  });
});
