import { z } from "zod";
import { encodeFieldProblem } from "#lib/i18n/error-text.ts";
import { countCharacters, normalizeTypedText } from "#lib/design/text-input.ts";
import { VISIBLE_CHARACTER_PATTERN } from "#lib/design/visible-text.ts";
import { findTimeZoneByText } from "#lib/time-zones.ts";
import type { DayOrTime } from "#lib/wall-clock.ts";

/**
 * Schemas that all inputs share. Text is normalized before its length is counted (contract 3.7). NUL and lone surrogates are always refused.
 */

const isStorable = (value: string) => value.isWellFormed() && !value.includes("\0");

/** Trimmed text of `min` to `max` code points. Blank text is refused when `min` is 1 or more. */
export const textInput = (min: number, max: number) =>
  z
    .string(encodeFieldProblem("mustBeText"))
    .refine(isStorable, encodeFieldProblem("unstorableCharacters"))
    .transform(normalizeTypedText)
    .refine(
      (value) => {
        const length = countCharacters(value);
        return length >= min && length <= max;
      },
      min > 0
        ? encodeFieldProblem("mustHaveLength", { min, max })
        : encodeFieldProblem("mustHaveMaxLength", { max }),
    )
    .refine(
      (value) => min === 0 || VISIBLE_CHARACTER_PATTERN.test(value),
      encodeFieldProblem("mustBeVisible"),
    )
    .meta({ type: "string", minLength: min, maxLength: max });

/**
 * A name or title on one line, without control characters or bidirectional overrides that would garble a mail or list
 * it is in.
 */
export const singleLineInput = (max: number, min = 1) =>
  textInput(min, max).refine(
    (value) => !/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(value),
    encodeFieldProblem("mustBeOneLine"),
  );

export const MAX_PHONE_LENGTH = 40;

/** A phone number as people write it: digits, with spaces, brackets, dots, slashes or hyphens between them. */
export const phoneInput = textInput(2, MAX_PHONE_LENGTH).refine(
  (value) => /^\+?[\d ()./-]+$/.test(value) && /\d/.test(value),
  encodeFieldProblem("mustBePhone"),
);

/** Optional text; missing, null and blank all mean "none". */
export const optionalTextInput = (max: number) =>
  textInput(0, max)
    .nullish()
    .transform((value) => value || null);

/** Like optionalTextInput, for updates: missing leaves the field unchanged, null or blank clears it. */
export const textChangeInput = (max: number) =>
  textInput(0, max)
    .nullable()
    .transform((value) => value || null)
    .optional();

/** Returns whether a change has a field, for `refine`. */
export const hasChange = (change: object): boolean =>
  Object.values(change).some((value) => value !== undefined);

/** Converts a blank form field to null, for z.preprocess. */
export const convertBlankToNull = (value: unknown) =>
  typeof value === "string" && value.trim() === "" ? null : value;

/** An input time: ISO 8601 with a zone, or a date (midnight UTC). Years 1900 to 2100 (contract 3.6). */
export const timeInput = z
  .string(encodeFieldProblem("mustBeTime", { example: "2026-11-21T14:30:00Z" }))
  .refine(isIsoTime, encodeFieldProblem("mustBeTimeInRange", { example: "2026-11-21T14:30:00Z" }))
  .transform((value) => new Date(value))
  .meta({ type: "string", format: "date-time" });

/** A day without a time: "2026-11-21". Years 1900 to 2100. */
export const dayInput = z
  .string(encodeFieldProblem("mustBeDay", { example: "2026-11-21" }))
  .refine(
    (value) => /^\d{4}-\d{2}-\d{2}$/.test(value) && isIsoTime(value),
    encodeFieldProblem("mustBeDay", { example: "2026-11-21" }),
  )
  .meta({ type: "string", format: "date" });

/** An input time, or a day, which stays a text: a filter counts the whole of it in the zone that its reader sees. */
export const dayOrTimeInput = z
  .string(encodeFieldProblem("mustBeTime", { example: "2026-11-21T14:30:00Z" }))
  .refine(isIsoTime, encodeFieldProblem("mustBeTimeInRange", { example: "2026-11-21T14:30:00Z" }))
  .transform((value): DayOrTime => (value.length === "2026-11-21".length ? value : new Date(value)))
  .meta({
    type: "string",
    description: "A time with its zone, or a date: the whole day, in the zone in which you see times.",
    examples: ["2026-11-21", "2026-11-21T14:30:00Z"],
  });

const ISO_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:\d{2}))?$/;

function isIsoTime(value: string): boolean {
  const parts = ISO_TIME.exec(value.trim() === value ? value : "");
  if (!parts) return false;
  const [year, month, day] = parts.slice(1, 4).map(Number) as [number, number, number];
  if (month < 1 || month > 12 || day < 1 || day > new Date(Date.UTC(year, month, 0)).getUTCDate())
    return false;
  const time = new Date(value);
  if (Number.isNaN(time.getTime())) return false;
  return time.getUTCFullYear() >= 1900 && time.getUTCFullYear() <= 2100;
}

/** An input time zone: its IANA name, or a city's name that is part of one (contract 3.6). */
const timeZoneInput = z
  .string(encodeFieldProblem("mustBeTimeZone", { example: "Europe/Berlin" }))
  .transform((value, context) => {
    const zone = findTimeZoneByText(value);
    if (zone === null)
      context.addIssue({
        code: "custom",
        message: encodeFieldProblem("mustBeTimeZone", { example: "Europe/Berlin" }),
      });
    return zone ?? z.NEVER;
  })
  .meta({ type: "string" });

export const optionalTimeZoneInput = z.preprocess(convertBlankToNull, timeZoneInput.nullable()).default(null);
export const timeZoneChangeInput = z.preprocess(convertBlankToNull, timeZoneInput.nullable()).optional();

/** An output time: ISO 8601, UTC, milliseconds. Responses convert dates to text only here. */
export const timeOutput = z
  .date()
  .transform((value) => value.toISOString())
  .pipe(z.string().meta({ format: "date-time" }));

/** An output time that is already text, in the same format as `timeOutput`. */
export const timeTextOutput = z.string().meta({ format: "date-time" });

export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** An id in a body or query; upper case is accepted and lowercased. */
export const idInput = z
  .string(encodeFieldProblem("mustBeId"))
  .transform((value) => value.toLowerCase())
  .refine((value) => UUID_PATTERN.test(value), encodeFieldProblem("mustBeId"))
  .meta({ type: "string", format: "uuid" });

/** An id in a response. */
export const idOutput = z.string().meta({ format: "uuid" });

/** An email address or a web address in a response. */
export const emailAddressOutput = z.string().meta({ format: "email" });
export const urlOutput = z.string().meta({ format: "uri" });

const RESERVED_SLUGS = new Set([
  "api",
  "slug",
  "me",
  "new",
  "invite",
  "admin",
  "session",
  "events",
  "organizations",
]);

/** 2 to 63 of `a-z 0-9 -`, without a hyphen at either end (contract 3.6). Words used in paths are reserved. */
export const slugInput = z
  .string(encodeFieldProblem("mustBeText"))
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/, encodeFieldProblem("mustBeSlug"))
  .refine((value) => !RESERVED_SLUGS.has(value), encodeFieldProblem("reservedWord"));

/** Returns an address whose domain is in ASCII, as browsers send it: maya@münchen.example as maya@xn--mnchen-3ya.example. */
function toAsciiDomain(address: string): string {
  const at = address.lastIndexOf("@");
  const domain = address.slice(at + 1);
  // Parsers of URLs drop control characters at the end, and replace halves of characters.
  if (!/[^!-~]/.test(domain) || !/^[^\s\p{Cc}\p{Cs}/:?#\\]{1,253}$/u.test(domain)) return address;
  const url = URL.parse(`http://${domain}`);
  return url ? address.slice(0, at + 1) + url.hostname : address;
}

/** An email address, trimmed and lowercased, with its domain in ASCII (contract 3.7). */
export const emailInput = z
  .string(encodeFieldProblem("mustBeEmail"))
  .transform((value) => toAsciiDomain(value.trim().toLowerCase()))
  .refine((value) => value.length <= 254 && EMAIL_PATTERN.test(value), encodeFieldProblem("mustBeEmail"))
  .meta({ type: "string", format: "email" });

const EMAIL_PATTERN =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/;

/** Email addresses, each once. The problem names the first text that isn't one. */
export const emailListInput = ({ min, max }: { min: number; max: number }) =>
  z
    .array(z.string(encodeFieldProblem("mustBeEmails", { max })), encodeFieldProblem("mustBeEmails", { max }))
    .max(max, encodeFieldProblem("mustBeEmails", { max }))
    .transform((given, context) => {
      const wrong = given.find((text) => !emailInput.safeParse(text).success);
      if (wrong !== undefined)
        context.addIssue({
          code: "custom",
          message: encodeFieldProblem("notAnEmail", { text: wrong.slice(0, 100) }),
        });
      else if (given.length < min)
        context.addIssue({ code: "custom", message: encodeFieldProblem("missing") });
      return [...new Set(given.map((text) => emailInput.safeParse(text).data ?? text))];
    })
    .meta({ type: "array", items: { type: "string", format: "email" }, minItems: min, maxItems: max });

/** A link to display: http or https, without user info. */
export const websiteInput = z
  .string(encodeFieldProblem("mustBeWebAddress"))
  .transform((value) => value.trim())
  .refine(
    (value) => value === "" || isWebAddress(value, ["http:", "https:"]),
    encodeFieldProblem("mustBeWebAddressLike", { example: "https://example.org" }),
  )
  .meta({ type: "string", format: "uri", maxLength: 500 });

/**
 * An https URL.
 * @param example the URL that the error message gives as an example
 */
export const httpsUrlInput = (example: string) =>
  z
    .string(encodeFieldProblem("mustBeHttps"))
    .transform((value) => value.trim())
    .refine((value) => isWebAddress(value, ["https:"]), encodeFieldProblem("mustBeHttpsLike", { example }))
    .meta({ type: "string", format: "uri", maxLength: 500 });

/** A made-up URL that shows the form of one. */
export const EXAMPLE_LOGO_URL = "https://example.org/logo.png";

/** The address of an event's logo elsewhere: an https link. */
export const eventLogoUrlInput = httpsUrlInput(EXAMPLE_LOGO_URL);

function isWebAddress(value: string, protocols: string[]): boolean {
  if (value.length > 500 || !isStorable(value) || !/^https?:\/\/[^/]/i.test(value) || /\s/.test(value))
    return false;
  try {
    const { protocol, username, password, hostname } = new URL(value);
    return protocols.includes(protocol) && !username && !password && hostname.length > 0;
  } catch {
    return false;
  }
}

/** `true` or `false` in a query. */
export const booleanQuery = z
  .enum(["true", "false"])
  .transform((value) => value === "true")
  .meta({ type: "boolean" });

/** A whole number from `min` to `max` in a query, written in decimal digits only. */
export const wholeNumberQuery = (min: number, max: number) =>
  z
    .string(encodeFieldProblem("mustBeWholeNumber"))
    .regex(/^\d{1,15}$/, encodeFieldProblem("mustBeWholeNumberFrom", { min }))
    .transform(Number)
    .refine((value) => value >= min && value <= max, encodeFieldProblem("mustBeBetween", { min, max }))
    .meta({ type: "integer", minimum: min });

/** The `page` parameter of a list, starting at 1. */
export const pageNumberQuery = wholeNumberQuery(1, Number.MAX_SAFE_INTEGER)
  .default(1)
  .meta({ type: "integer", minimum: 1, default: 1 });

/** The `limit` parameter of a list; values above 100, of any length, are treated as 100 (contract 3.10). */
export const limitQuery = (fallback: number) =>
  z
    .string(encodeFieldProblem("mustBeWholeNumber"))
    .regex(/^0*[1-9]\d*$/, encodeFieldProblem("mustBeWholeNumberFrom", { min: 1 }))
    .transform((digits) => Math.min(Number(digits), 100))
    .default(fallback)
    .meta({ type: "integer", minimum: 1, default: fallback });

/** The `limit` parameter of the cross-event list; values outside 1 to 100 are refused (contract 7.13). */
export const strictLimitQuery = (fallback: number) =>
  wholeNumberQuery(1, 100)
    .default(fallback)
    .meta({ type: "integer", minimum: 1, maximum: 100, default: fallback });

/** The `search` parameter, matched literally: no character in it is special. */
export const searchQuery = textInput(0, 200)
  .optional()
  .transform((value) => value || undefined);

/** Returns a LIKE pattern that matches `value` literally, with `%`, `_` and `\` escaped. */
export const toLikePattern = (value: string) => `%${value.replace(/[\\%_]/g, "\\$&")}%`;

export const Pagination = z.object({
  page: z.int(),
  limit: z.int(),
  total: z.int(),
  totalPages: z.int(),
});

/** Computes how many rows come before a page; at most the most that the database client can skip. */
export const computePageOffset = (page: number, limit: number): number =>
  Math.min((page - 1) * limit, 2 ** 31 - 1);

export const buildPaginationFromTotal = (query: { page: number; limit: number }, total: number) => ({
  page: query.page,
  limit: query.limit,
  total,
  totalPages: Math.ceil(total / query.limit),
});
