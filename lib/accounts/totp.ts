import { generateSecret, generateURI, verifySync } from "otplib";
import QRCode from "qrcode";

/** Time-based codes (RFC 6238) as every authenticator app computes them: SHA-1, six digits, 30 seconds. */

const STEP_SECONDS = 30;

/** Generates a secret of 160 bits, in Base32. */
export const generateTotpSecret = (): string => generateSecret();

/**
 * Returns the time step that a code belongs to, or null for a wrong code. Clocks may differ by one step.
 * @param at seconds since 1970
 */
export function findTotpStep(
  secret: string,
  code: string,
  at = Math.floor(Date.now() / 1000),
): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const result = verifySync({ secret, token: code, epoch: at, epochTolerance: STEP_SECONDS });
  return result.valid && "timeStep" in result ? result.timeStep : null;
}

/**
 * Builds the enrollment for an authenticator app: the secret with the names of the service and the account, as a link
 * and as a QR image (SVG in a data URL).
 */
export async function buildTotpUriAndQrCode(
  secret: string,
  { issuer, email }: { issuer: string; email: string },
): Promise<{ uri: string; qr: string }> {
  const uri = generateURI({ issuer: withoutColons(issuer), label: email, secret });
  const svg = await QRCode.toString(uri, { type: "svg", errorCorrectionLevel: "M", margin: 4 });
  return { uri, qr: `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}` };
}

/** A label is "issuer:account", so an app would cut the name at a colon of its own. */
const withoutColons = (issuer: string): string =>
  issuer
    .split(":")
    .map((part) => part.trim())
    .join(" ");
