import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { isBelowCpuMs, measureShortestCpuMs } from "#e2e/support/cpu-time.ts";
import { describeDevice } from "#lib/accounts/devices.ts";
import { escapeFormula } from "#lib/design/csv.ts";
import { readBearerToken, readCredentials } from "#lib/http/identify.ts";
import { readJsonBody } from "#lib/http/json-body.ts";
import { parseNextPath } from "#lib/http/next-path.ts";
import { readQuery } from "#lib/http/query.ts";
import { assertIfMatch } from "#lib/operation/if-match.ts";
import {
  emailInput,
  idInput,
  singleLineInput,
  eventLogoUrlInput,
  slugInput,
  textInput,
  timeInput,
  websiteInput,
} from "#lib/operation/fields.ts";
import { parseWeightedList } from "#lib/i18n/weighted-list.ts";
import { renderLinkedText } from "#lib/design/linked-text.ts";
import { renderMarkdown } from "#lib/design/markdown.ts";
import { findMentionedMemberIds } from "#lib/conversations/mentions.ts";
import { slugify } from "#lib/design/slug.ts";
import { splitConductSections } from "#lib/events/conduct.ts";
import { formatContentDisposition } from "#lib/files/download/download.ts";
import {
  parseMultipartBoundary,
  parseContentDisposition,
  MultipartPieceParser,
} from "#lib/files/upload/multipart-parts.ts";
import { sanitizeFilename, toDownloadFilename } from "#lib/files/upload/names.ts";
import { parseRangeHeader } from "#lib/files/download/ranges.ts";
import { isValidIdempotencyKey } from "#lib/idempotency/key.ts";
import { chooseClientAddress } from "#lib/server/client-address.ts";
import { createRequestGuard } from "#lib/server/request-guard.ts";
import { parseAcceptedEncodings } from "#lib/server/static-files.ts";
import { negotiateLocale } from "#lib/i18n/locales.ts";

/** The most time that parsing untrusted text may take: the process serves nobody else in the meantime. */
const MAX_MS = 50;

beforeAll(() => void vi.stubEnv("BASE_URL", ""));
afterAll(() => void vi.unstubAllEnvs());

const TEXT = 20_000;
const HEADER = 30 * 1024;

/** Input that parsers are known to be slow on: repeated characters, unclosed openers, and failure at the very end. */
const SIGNS = [
  " ",
  "\t",
  "\n",
  "-",
  ".",
  "/",
  "_",
  "%",
  "@",
  "#",
  "!",
  "*",
  "`",
  "~",
  "|",
  "[",
  "](",
  "{",
  "(",
  "<",
  "<a ",
  '"',
  "\\",
  '\\"',
  ",",
  ";",
  ";q",
  "=",
  "q=0",
  "a",
  "a-",
  "a.",
  "1,",
  "a@",
  "&",
  "&a=",
  "%41",
  "../",
  "> ",
  "- ",
  "1. ",
  "**a",
  "[a](",
  "<!--",
  "://",
  "x\t",
  "\u0300\u0316",
  "\u0316\u0334",
  "\u00e9",
  "\ufdfa",
  "\u{1f600}",
  "\ud800",
  "\u200b",
];
const HEADER_OPENERS = ["", "q=", "*", "br", "br;", "en", "en;", "bearer ", "bytes=", '"', "Version/0"];
const TEXT_OPENERS = ["", "# ", "a@", "https://", "form-data; name="];

const shapes = (length: number, openers: readonly string[]): string[] =>
  SIGNS.flatMap((sign) => openers.map((opener) => `${opener}${sign.repeat(length / sign.length)}x`));

/** Turns text into a header value that the HTTP parser accepts: bytes without line ends. */
const asHeader = (value: string) => value.replace(/[\r\n\0]/g, " ").replace(/[^\t\x20-\xff]/g, "\xe9");

/** Made once for all parsers, which takes as long as most of them do. */
const HEADER_VALUES = [...new Set(shapes(HEADER, HEADER_OPENERS).map(asHeader))];
const TEXT_VALUES = shapes(TEXT, TEXT_OPENERS);

const headers = (name: string, value: string) => ({
  get: (requestedName: string) => (requestedName === name ? value : null),
  has: (requestedName: string) => requestedName === name,
});

const guard = createRequestGuard({
  TRUSTED_PROXIES: "0.0.0.0/0",
  corsOrigins: [],
  https: false,
  production: false,
  baseUrl: "http://localhost:3000",
});

function passGuard(given: Record<string, string>, url = "/"): void {
  const response = {
    writeHead: () => response,
    end: () => response,
    once: () => response,
    setHeader: () => response,
    hasHeader: () => false,
    getHeader: () => undefined,
    removeHeader: () => undefined,
  };
  const request = {
    url,
    method: "GET",
    headers: { host: "localhost", ...given },
    socket: { remoteAddress: "127.0.0.1" },
  };
  guard(request as unknown as IncomingMessage, response as unknown as ServerResponse);
}

const HEADER_PARSERS: Record<string, (value: string) => unknown> = {
  "Accept-Encoding": parseAcceptedEncodings,
  "Accept-Language": (value) => negotiateLocale(null, value),
  "a list with weights": parseWeightedList,
  Authorization: readBearerToken,
  Cookie: (value) => readCredentials(headers("cookie", value)),
  Range: (value) =>
    parseRangeHeader(
      { method: "GET", url: "/", headers: headers("range", value), body: null },
      { size: 10, etag: '"a"' },
    ),
  "If-Match": (value) => assertIfMatch("event", { ifMatch: value } as never, value),
  "Idempotency-Key": isValidIdempotencyKey,
  "User-Agent": describeDevice,
  "Content-Type": (value) => parseMultipartBoundary(`multipart/form-data; ${value}`),
  "X-Forwarded-For": (value) => chooseClientAddress("127.0.0.1", value, () => true),
  "X-Request-Id, X-Forwarded-For and an address": (value) =>
    passGuard({ "x-request-id": value, "x-forwarded-for": value }, `/${value}`),
};

const team = Array.from({ length: 20 }, (_, at) => ({ id: String(at), name: `${"a".repeat(at)} b` }));

const TEXT_PARSERS: Record<string, (value: string) => unknown> = {
  "a text of a body": (value) => textInput(1, 20_000).safeParse(value),
  "a name of one line": (value) => singleLineInput(100).safeParse(value),
  "an email address": (value) => emailInput.safeParse(value),
  "a web address": (value) => websiteInput.safeParse(value),
  "a link": (value) => eventLogoUrlInput.safeParse(value),
  "a slug": (value) => slugInput.safeParse(value),
  "an id": (value) => idInput.safeParse(value),
  "a time": (value) => timeInput.safeParse(value),
  "a name that becomes a slug": slugify,
  "a comment": renderLinkedText,
  Markdown: renderMarkdown,
  "a code of conduct": splitConductSections,
  "names behind an @": (value) => findMentionedMemberIds(value, team),
  "a file's name": sanitizeFilename,
  "a file's name to save": (value) => toDownloadFilename(value, ["pdf"]),
  "a file's name in a header": formatContentDisposition,
  "a cell of a table": escapeFormula,
  "a query": (value) => readQuery(`/?${value}`),
  "a path to go to next": parseNextPath,
  "the disposition of a part": parseContentDisposition,
  "a multipart body": (value) => new MultipartPieceParser("b").parseChunk(Buffer.from(`--b\r\n${value}`)),
};

/** Returns the values that take too long; a refusal counts as a result, too. */
async function findSlow(parse: (value: string) => unknown, values: readonly string[]): Promise<string[]> {
  const parseOrRefuse = (value: string) => {
    try {
      parse(value);
    } catch {
      // Only the time counts.
    }
  };
  parseOrRefuse("warm up");
  const slow: string[] = [];
  for (const value of values)
    if (!(await isBelowCpuMs(MAX_MS, 3, () => parseOrRefuse(value))))
      slow.push(JSON.stringify(value.slice(0, 20)));
  return slow;
}

describe.each(Object.entries(HEADER_PARSERS))("a header of 30 KiB: %s", (_, parse) => {
  test("is read at once", async () => {
    expect(await findSlow(parse, HEADER_VALUES)).toEqual([]);
  });
});

describe.each(Object.entries(TEXT_PARSERS))("20,000 characters: %s", (_, parse) => {
  test("are read at once", async () => {
    expect(await findSlow(parse, TEXT_VALUES)).toEqual([]);
  });
});

const BODIES: Record<string, string> = {
  "names without an end": `{${'"a":{'.repeat(20_000)}`,
  "deep lists": "[".repeat(50_000) + "]".repeat(50_000),
  "many names": `{${Array.from({ length: 9_000 }, (_, at) => `"k${at}":1`).join(",")}}`,
  "blanks behind a string": `["a"${" ".repeat(99_000)}]`,
  escapes: `["${"\\\\".repeat(49_000)}"]`,
};

test.each(Object.entries(BODIES))("a JSON body of %s is read at once", async (_, body) => {
  const read = () =>
    readJsonBody(
      new Request("http://localhost/", {
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
      }),
    ).catch(() => null);
  await read();
  expect(await measureShortestCpuMs(6, read)).toBeLessThan(MAX_MS);
});
