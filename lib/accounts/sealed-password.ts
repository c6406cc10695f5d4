import { unsealText, sealText } from "#lib/crypto/sealed-text.ts";

/**
 * Between the two steps of sign-in, the form itself carries the password, sealed: sign-in works without script, and
 * no page contains the password in plain text.
 */

const SEALED_PASSWORD_TTL_MS = 10 * 60_000;
const PURPOSE = "sign-in";

/**
 * Seals a password that was checked, so that the form for the two-factor code can carry it without revealing it. Valid
 * for ten minutes and for this address only.
 */
export function sealPasswordBetweenSignInSteps(email: string, password: string, now = Date.now()): string {
  const sealed = sealText(PURPOSE, JSON.stringify([email, password, now + SEALED_PASSWORD_TTL_MS]));
  return Buffer.from(sealed).toString("base64url");
}

/** Unseals the password. Returns null when the seal has expired, is for another address, or isn't ours. */
export function unsealPasswordBetweenSignInSteps(
  sealedPassword: string,
  email: string,
  now = Date.now(),
): string | null {
  try {
    const text = unsealText(PURPOSE, new Uint8Array(Buffer.from(sealedPassword, "base64url")));
    const [owner, password, expiresAt] = JSON.parse(text) as [string, string, number];
    return owner === email && expiresAt > now ? password : null;
  } catch {
    return null;
  }
}
