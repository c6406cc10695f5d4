import { hasServiceTokenFormat, isExpiredServiceToken } from "#lib/accounts/service-token-actor.ts";
import { hasApiTokenFormat, isExpiredApiToken } from "#lib/accounts/tokens.ts";
import { readBearerToken } from "#lib/http/identify.ts";
import type { ApiRequestHeaders } from "#lib/operation/request.ts";
import { AppError } from "#lib/operation/errors.ts";

/**
 * The challenge of a 401 response, which says how to sign in (contract 3.18). A browser opens no dialog for the scheme
 * Bearer.
 */

const CHALLENGE = 'Bearer realm="Heed"';

/** Returns the challenge headers of an error with this status. */
export const buildAuthChallengeHeaders = (status: number): Record<string, string> =>
  status === 401 ? { "WWW-Authenticate": CHALLENGE } : {};

/**
 * Replaces UNAUTHENTICATED with the reason why a token was refused, where the request came with one. Only the holder of
 * a token learns that it has expired: one that was deleted, or never existed, is invalid.
 */
export async function replaceErrorIfTokenWasRefused(
  error: AppError,
  headers: ApiRequestHeaders,
): Promise<AppError> {
  const token = readBearerToken(headers.get("authorization"));
  if (error.code !== "UNAUTHENTICATED" || token === undefined) return error;
  return (await isExpiredToken(token))
    ? new AppError("TOKEN_EXPIRED", "tokenExpired", {}, createTokenChallenge("The token has expired"))
    : new AppError("TOKEN_INVALID", "tokenInvalid", {}, createTokenChallenge("The token is not valid"));
}

async function isExpiredToken(token: string): Promise<boolean> {
  if (hasServiceTokenFormat(token)) return isExpiredServiceToken(token);
  return hasApiTokenFormat(token) && isExpiredApiToken(token);
}

const createTokenChallenge = (description: string) => ({
  headers: {
    "WWW-Authenticate": `${CHALLENGE}, error="invalid_token", error_description="${description}"`,
  },
});
