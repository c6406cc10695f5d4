import { openText, sealText } from "#lib/crypto/sealed-text.ts";

/**
 * Between the two steps of signing in, the form itself keeps the password, sealed, so that it works without script
 * and the password stands in no page.
 */

const SEALED_PASSWORD_TTL_MS = 10 * 60_000;
const PURPOSE = "sign-in";

/** What the form holds while it asks for the code; for ten minutes, and with this address only. */
export function sealPassword(email: string, password: string, now = Date.now()): string {
  const sealed = sealText(PURPOSE, JSON.stringify([email, password, now + SEALED_PASSWORD_TTL_MS]));
  return Buffer.from(sealed).toString("base64url");
}

/** The password again, or null when it was kept too long ago, for another address, or not by us. */
export function unsealPassword(sealedPassword: string, email: string, now = Date.now()): string | null {
  try {
    const text = openText(PURPOSE, new Uint8Array(Buffer.from(sealedPassword, "base64url")));
    const [owner, password, expiresAt] = JSON.parse(text) as [string, string, number];
    return owner === email && expiresAt > now ? password : null;
  } catch {
    return null;
  }
}
