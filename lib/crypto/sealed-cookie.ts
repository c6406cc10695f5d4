import { sealData, unsealData } from "iron-session";
import type { z } from "zod";
import { deriveCookieSealingKeys } from "#lib/crypto/keyed-hash.ts";
import { env } from "#lib/env.ts";

/** A cookie to set on a response. */
export type ResponseCookie = { name: string; value: string; maxAge: number; secure: boolean };

/** The longest value that is tried, so that nobody makes the service decrypt more. */
const MAX_VALUE_LENGTH = 2000;

/** Cookies that open something on this device without a session. */
const SEALED_COOKIE_NAMES = ["handed-over", "mailbox"] as const;
type SealedCookieName = (typeof SEALED_COOKIE_NAMES)[number];
/**
 * The name of the cookie with a browser's random secret, for which its refused forms are sealed
 * (lib/http/visitor-form.ts).
 */
const RETURN_COOKIE_NAME = "returned";
/** Signing out and the quick exit remove all of these. */
const REMOVED_COOKIE_NAMES = [...SEALED_COOKIE_NAMES, RETURN_COOKIE_NAME] as const;
/** The cookie of a device that signed in before. It outlives signing out (lib/rate-limits/device-cookie.ts). */
const DEVICE_COOKIE_NAME = "device";
type CookieName = (typeof REMOVED_COOKIE_NAMES)[number] | typeof DEVICE_COOKIE_NAME;

export const getRefusedFormSecretCookieName = (): string => getCookieName(RETURN_COOKIE_NAME);

const getCookieName = (name: CookieName): string => (env().https ? `__Host-${name}` : name);

const createExpiredCookie = (name: CookieName): ResponseCookie => ({
  name: getCookieName(name),
  value: "",
  maxAge: 0,
  secure: env().https,
});

/**
 * Returns cookies that remove all sealed cookies except that of a known device: the device leaves its mailbox, its
 * hand-over ends, and it can no longer show a refused form.
 */
export const createExpiredSealedCookies = (): ResponseCookie[] =>
  REMOVED_COOKIE_NAMES.map(createExpiredCookie);

type SealedCookieDeclaration = {
  name: SealedCookieName | typeof DEVICE_COOKIE_NAME;
  member: string;
  seconds: number;
  purpose?: string;
};

/**
 * Declares a cookie whose content is sealed and stored nowhere else, so no row shows whether or when somebody came
 * back. It expires after a fixed time.
 * @param name the name of the cookie
 * @param member the member of the sealed object that holds the content
 * @param seconds how long the cookie lasts
 * @param purpose what its key is derived from; the name when missing
 */
export function defineSealedCookie<Content>(
  { name, member, seconds, purpose = name }: SealedCookieDeclaration,
  schema: z.ZodType<Content>,
) {
  const getName = (): string => getCookieName(name);
  return {
    getName,
    /** Returns the cookie with this content. */
    async seal(content: Content): Promise<ResponseCookie> {
      const [password] = deriveCookieSealingKeys(purpose) as [string];
      const value = await sealData({ [member]: content }, { password, ttl: seconds });
      return { name: getName(), value, maxAge: seconds, secure: env().https };
    },
    /** Returns a cookie that removes it from the device. */
    createExpired: (): ResponseCookie => createExpiredCookie(name),
    /** Returns what the cookie holds; null for one that isn't ours, is malformed or has expired. */
    async unseal(value: string | null | undefined): Promise<Content | null> {
      if (!value || value.length > MAX_VALUE_LENGTH) return null;
      for (const password of deriveCookieSealingKeys(purpose)) {
        try {
          const data = await unsealData<Record<string, unknown>>(value, { password, ttl: seconds });
          const content = schema.safeParse(data[member]);
          if (content.success) return content.data;
        } catch {
          // iron-session throws on some malformed seals.
        }
      }
      return null;
    },
  };
}
