import { dictionary } from "@zxcvbn-ts/language-common";
import { processWide } from "#lib/process-wide.ts";

/** The passwords that attackers try first, lower-cased, with their rank (refused in production mode, contract 4.4). */
export const COMMON_PASSWORD_RANKS: ReadonlyMap<string, number> = processWide(
  "common password ranks",
  () => new Map(dictionary["passwords-common"].map((word, index) => [String(word).toLowerCase(), index + 1])),
);
