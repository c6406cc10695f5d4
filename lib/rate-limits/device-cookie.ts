import { createHash, randomBytes, randomUUID } from "node:crypto";
import { z } from "zod";
import { defineSealedCookie, type ResponseCookie } from "#lib/crypto/sealed-cookie.ts";
import { prisma } from "#lib/database/client.ts";

/**
 * A sealed cookie that identifies a device which signed in to an account before. Failed attempts of such a device
 * count separately, so other people's attempts don't delay it (docs/decisions/030). The cookie grants nothing else,
 * is invalid after a change of password, outlives signing out, and is deleted by the quick exit. Its length is
 * constant, so that someone with the device can't see how many accounts it knows.
 */

const COOKIE_TTL_SECONDS = 180 * 24 * 3600;
const MAX_ACCOUNTS = 4;

const KnownDeviceSchema = z.object({
  device: z.string().length(22),
  userId: z.uuid(),
  /** Fingerprint of the account's password when the cookie was issued. */
  password: z.string().length(22),
});
const CookieContent = z.array(KnownDeviceSchema).length(MAX_ACCOUNTS);

/** Identifies a device for one account; renewed at each sign-in. */
type KnownDevice = z.infer<typeof KnownDeviceSchema>;

type Account = { id: string; passwordHash: string };

const deviceCookie = defineSealedCookie(
  { name: "device", member: "d", seconds: COOKIE_TTL_SECONDS, purpose: "device-cookie" },
  CookieContent,
);

export const getDeviceCookieName = deviceCookie.getName;

/** Returns the content of the cookie; empty for one that isn't ours, is malformed or has expired. */
export const unsealDeviceCookie = async (value: string | null): Promise<KnownDevice[]> =>
  (await deviceCookie.unseal(value)) ?? [];

/**
 * Finds the device id that the cookie holds for the account with this address. Returns null if that account never
 * signed in on the device, or its password has changed since.
 */
export async function findKnownDeviceId(known: KnownDevice[], email: string): Promise<string | null> {
  if (known.length === 0) return null;
  const account = await prisma.user.findUnique({
    where: { email },
    select: { id: true, passwordHash: true },
  });
  if (!account) return null;
  const password = fingerprintPassword(account);
  return known.find((one) => one.userId === account.id && one.password === password)?.device ?? null;
}

/** Seals the cookie to set after a sign-in: this account first, then those that signed in on this device before. */
export async function issueDeviceCookie(known: KnownDevice[], account: Account): Promise<ResponseCookie> {
  const device = randomBytes(16).toString("base64url");
  const currentDevice: KnownDevice = { device, userId: account.id, password: fingerprintPassword(account) };
  const others = known.filter(({ userId }) => userId !== account.id);
  const all = [currentDevice, ...others, ...Array.from({ length: MAX_ACCOUNTS }, createPlaceholder)].slice(
    0,
    MAX_ACCOUNTS,
  );
  return deviceCookie.seal(all);
}

/** Returns a cookie that deletes the device cookie. */
export const createExpiredDeviceCookie = deviceCookie.createExpired;

/** Fills an unused entry with random values, so that the cookie's length stays constant. */
const createPlaceholder = (): KnownDevice => ({
  device: randomBytes(16).toString("base64url"),
  userId: randomUUID(),
  password: randomBytes(16).toString("base64url"),
});

/** The hash includes a random salt, so its fingerprint reveals nothing about the password. */
const fingerprintPassword = ({ passwordHash }: Account): string =>
  createHash("sha256").update(passwordHash).digest().subarray(0, 16).toString("base64url");
