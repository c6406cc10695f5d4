import { randomBytes } from "node:crypto";
import { env } from "#lib/env.ts";

/** Generates a code of 144 random bits (contract 5.3). */
export const generateInviteCode = (): string => randomBytes(18).toString("base64url");

/** Returns the URL of the page where an invite is accepted. */
export const buildInviteLink = (code: string): string => `${env().baseUrl}/invite/${code}`;

/** Returns whether a text has the format of a code; other texts need no database query. */
export const hasInviteCodeFormat = (text: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(text);
