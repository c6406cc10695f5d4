import { randomBytes } from "node:crypto";
import { env } from "#lib/env.ts";

/** A new code of 144 random bits (contract 5.3). */
export const generateInviteCode = (): string => randomBytes(18).toString("base64url");

/** The page where an invite is accepted. */
export const buildInviteLink = (code: string): string => `${env().baseUrl}/invite/${code}`;

/** Could this text be a code at all? What can't be one needs no look into the database. */
export const hasInviteCodeFormat = (text: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(text);
