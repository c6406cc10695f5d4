import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createOrReadSecret } from "#lib/crypto/secrets.ts";
import { generateRecoveryCodes, hashRecoveryCode } from "./recovery-codes.ts";

let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), "heed-codes-"));
  vi.stubEnv("HEED_DATA_DIR", dataDir);
  createOrReadSecret({ dataDir }, "data");
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(dataDir, { recursive: true, force: true });
});

test("a set is ten different codes that can be read aloud", () => {
  const codes = generateRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){2}$/);
});

test("a code matches however it is typed, for its own account only", () => {
  const hash = hashRecoveryCode("maya", "k0x1-0v7m-2qpd");
  for (const typed of ["K0X1 0V7M 2QPD", "k0x10v7m2qpd", " kOxl-oV7m-2qpd "])
    expect(hashRecoveryCode("maya", typed)).toEqual(hash);
  expect(hashRecoveryCode("omar", "k0x1-0v7m-2qpd")).not.toEqual(hash);
  expect(hashRecoveryCode("maya", "k0x1-0v7m-2qpe")).not.toEqual(hash);
});
