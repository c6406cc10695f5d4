import { randomInt } from "node:crypto";
import { env } from "#lib/env.ts";

/** No hyphen and no underscore: mail programs leave marks at the end of an address out of the link. */
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** 142 random bits. */
const INVITE_CODE_LENGTH = 24;

/** 256 random bits. */
const MAILED_TOKEN_LENGTH = 43;

/** Generates the code of an invite (contract 5.3). */
export const generateInviteCode = (): string => generateCode(INVITE_CODE_LENGTH);

/** Generates the token of a mailed link. */
export const generateMailedToken = (): string => generateCode(MAILED_TOKEN_LENGTH);

const generateCode = (length: number): string =>
  Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");

/** Returns the URL of the page where an invite is accepted. */
export const buildInviteLink = (code: string): string => `${env().baseUrl}/invite/${code}`;

/** Returns whether a text has the format of a code; other texts need no database query. */
export const hasInviteCodeFormat = (text: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(text);

/** Reads the code of an invite from a link, without what was pasted with it (contract 5.3). */
export const readInviteCode = (text: string): string => readPastedCode(text, INVITE_CODE_LENGTH);

/** Reads the token of a mailed link, without what was pasted with it. */
export const readMailedToken = (text: string): string => readPastedCode(text, MAILED_TOKEN_LENGTH);

/**
 * Codes of earlier versions have the same lengths, and hyphens and underscores; beyond its length these two are marks
 * that were pasted. Letters and digits are never left out, and what can't be stored is no code.
 */
function readPastedCode(text: string, length: number): string {
  if (!text.isWellFormed() || text.includes("\0")) return "";
  const visible = text.slice(0, 500).replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "");
  const [code = ""] = /[A-Za-z0-9_-]+/.exec(visible) ?? [];
  return /^[_-]+$/.test(code.slice(length)) ? code.slice(0, length) : code;
}
