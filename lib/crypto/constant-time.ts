import { createHash, timingSafeEqual } from "node:crypto";

/** Compares two texts. How long it takes depends neither on where they differ nor on how long `expected` is. */
export function equalsInConstantTime(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
