import { dictionary } from "@zxcvbn-ts/language-common";

/** The passwords that attackers try first, lower-cased (refused in production mode, contract 4.4). */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  dictionary["passwords-common"].map((word) => String(word).toLowerCase()),
);
