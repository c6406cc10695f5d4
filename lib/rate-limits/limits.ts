import { env } from "#lib/env.ts";
import type { RateLimit } from "#lib/rate-limits/rate-limit-headers.ts";

export const MINUTE = 60;
/** The period in which refused forms are counted: as long as one is stored. */
const QUARTER_HOUR = 15 * MINUTE;
const HOUR = 3600;
const DAY = 24 * HOUR;

export const MEBIBYTE = 1024 ** 2;
/** Files of people with an account are counted in units of this many bytes. */
export const FILE_UNIT_BYTES = 10 * MEBIBYTE;

export type LimitName = keyof ReturnType<typeof getRateLimits>;

/** Returns the limits that the environment sets: calls and seconds (contract 3.13). */
export const getRateLimits = () => {
  const e = env();
  const limit = (name: string, points: number, seconds: number): RateLimit => ({ name, points, seconds });
  return {
    login: limit("login", e.RATE_LOGIN_ADDRESS_PER_MINUTE, MINUTE),
    signInDevice: limit("sign-in-device", 30, MINUTE),
    wrongCode: limit("wrong-code", e.RATE_WRONG_CODE_ACCOUNT_PER_HOUR, HOUR),
    register: limit("register", e.RATE_REGISTER_ADDRESS_PER_HOUR, HOUR),
    forgot: limit("forgot", e.RATE_FORGOT_ADDRESS_PER_HOUR, HOUR),
    forgotAccount: limit("forgot-account", e.RATE_FORGOT_ACCOUNT_PER_HOUR, HOUR),
    verifyEmail: limit("verify-email", e.RATE_FORGOT_ACCOUNT_PER_HOUR, HOUR),
    emailChange: limit("email-change", e.RATE_FORGOT_ACCOUNT_PER_HOUR, HOUR),
    mailTest: limit("mail-test", 10, HOUR),
    lookup: limit("lookup", e.RATE_LOOKUP_ADDRESS_PER_MINUTE, MINUTE),
    report: limit("report", e.RATE_REPORT_USER_PER_HOUR, HOUR),
    criticalReport: limit("critical-report", e.RATE_CRITICAL_REPORT_USER_PER_HOUR, HOUR),
    anonymousFiles: limit(
      "anonymous-files",
      Math.floor((e.RATE_ANONYMOUS_FILES_MB_USER_PER_DAY * MEBIBYTE) / FILE_UNIT_BYTES),
      DAY,
    ),
    files: limit("files", Math.floor((e.RATE_FILES_MB_USER_PER_DAY * MEBIBYTE) / FILE_UNIT_BYTES), DAY),
    unidentifiedFiles: limit("unidentified-files", e.RATE_FILES_MB_ADDRESS_PER_DAY, DAY),
    message: limit("message", e.RATE_MESSAGE_USER_PER_HOUR, HOUR),
    join: limit("join", e.RATE_JOIN_USER_PER_HOUR, HOUR),
    upload: limit("upload", e.RATE_UPLOAD_USER_PER_HOUR, HOUR),
    search: limit("search", e.RATE_SEARCH_USER_PER_MINUTE, MINUTE),
    general: limit("general", e.RATE_GENERAL_USER_PER_MINUTE, MINUTE),
    anonymous: limit("anonymous", e.RATE_GENERAL_ADDRESS_PER_MINUTE, MINUTE),
    unidentifiedReport: limit("unidentified-report", e.RATE_REPORT_ADDRESS_PER_HOUR, HOUR),
    refusedForm: limit("refused-form", 20, QUARTER_HOUR),
    refusedForms: limit("refused-forms", 500, QUARTER_HOUR),
    unidentifiedMessage: limit("unidentified-message", e.RATE_MESSAGE_USER_PER_HOUR, HOUR),
  };
};
