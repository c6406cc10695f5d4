import { AppError, InvalidInputError } from "#lib/operation/errors.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";

/**
 * Parses the query of a URL into an object of texts. Keeps empty values, since each schema decides whether they count
 * as missing. Values of a list whose name is repeated are joined by commas.
 * @throws InvalidInputError for another name that appears twice
 */
export function readQuery(
  url: string,
  isList: (name: string) => boolean = () => false,
): Record<string, string> {
  const queryText = extractQueryText(url);
  if (queryText.length > 16_384) throw new AppError("VALIDATION_ERROR", "addressTooLong");
  if (/%(?![0-9a-f]{2})/i.test(queryText) || !isDecodable(queryText)) {
    throw new AppError("VALIDATION_ERROR", "addressUnreadable");
  }
  const query: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(queryText)) {
    const former = Object.hasOwn(query, name) ? query[name] : undefined;
    // A name in brackets is refused as another spelling, with the name that is meant.
    if (former !== undefined && !isList(name) && !/\[\w*\]$/.test(name))
      throw new InvalidInputError({ [toSafeName(name)]: createFieldProblem("givenMoreThanOnce") });
    if (UNREADABLE_CHARACTER.test(value))
      throw new InvalidInputError({ [toSafeName(name)]: createFieldProblem("unusableCharacters") });
    const joined = former === undefined ? value : `${former},${value}`;
    Object.defineProperty(query, name, { value: joined, enumerable: true, configurable: true });
  }
  return query;
}

/** Returns the names in the query of a URL, for an operation that reads none of them. */
export const listUrlQueryNames = (url: string): string[] => [
  ...new URLSearchParams(extractQueryText(url)).keys(),
];

const extractQueryText = (url: string): string => /\?([^#]*)/.exec(url)?.[1] ?? "";

// NUL can't be stored; U+FFFD is what invalid UTF-8 is decoded to.
// oxlint-disable-next-line no-control-regex
const UNREADABLE_CHARACTER = /[\0\uFFFD]/;

const toSafeName = (name: string) => (/^[A-Za-z]{1,30}$/.test(name) ? name : "query");

function isDecodable(queryText: string): boolean {
  try {
    decodeURIComponent(queryText.replaceAll("+", " "));
    return true;
  } catch {
    return false;
  }
}
