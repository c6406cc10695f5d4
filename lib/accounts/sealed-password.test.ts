import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createOrReadSecret } from "#lib/crypto/secrets.ts";
import { sealPasswordBetweenSignInSteps, unsealPasswordBetweenSignInSteps } from "./sealed-password.ts";

let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), "heed-kept-"));
  vi.stubEnv("HEED_DATA_DIR", dataDir);
  createOrReadSecret({ dataDir }, "data");
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(dataDir, { recursive: true, force: true });
});

const email = "maya@example.org";

test("a sealed password opens for its address and for ten minutes only", () => {
  const sealed = sealPasswordBetweenSignInSteps(email, "a quiet river", 1_000_000);
  expect(sealed).not.toContain("river");
  expect(unsealPasswordBetweenSignInSteps(sealed, email, 1_000_000 + 599_000)).toBe("a quiet river");
  expect(unsealPasswordBetweenSignInSteps(sealed, email, 1_000_000 + 600_000)).toBeNull();
  expect(unsealPasswordBetweenSignInSteps(sealed, "omar@example.org", 1_000_000)).toBeNull();
});

test.each(["", "x", "a".repeat(200), "%"])("what was never sealed opens to nothing: %j", (sealed) => {
  expect(unsealPasswordBetweenSignInSteps(sealed, email)).toBeNull();
});
