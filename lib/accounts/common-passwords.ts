import { dictionary } from "@zxcvbn-ts/language-common";

/** The passwords that attackers try first, lower-cased (rulings R3: refused in production mode). */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  dictionary["passwords-common"].map((word) => String(word).toLowerCase()),
);
