import { AppError, InvalidInputError } from "#lib/operation/errors.ts";

/**
 * The query of a URL as an object of texts. An empty value counts as missing, except that a number or a
 * choice left empty is refused by its schema only when given; a name that stands twice is refused.
 * @throws InvalidInputError
 */
export function readQuery(url: string): Record<string, string> {
  const queryStart = url.indexOf("?");
  if (queryStart < 0) return {};
  const queryText = url.slice(queryStart + 1).split("#", 1)[0] ?? "";
  if (queryText.length > 16_384) throw new AppError("VALIDATION_ERROR", "The address is too long.");
  if (/%(?![0-9a-f]{2})/i.test(queryText) || !isDecodable(queryText)) {
    throw new AppError("VALIDATION_ERROR", "The address holds characters that can't be read.");
  }
  const query: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(queryText)) {
    if (Object.hasOwn(query, name))
      throw new InvalidInputError({ [safeName(name)]: "is given more than once" });
    if (UNREADABLE_CHARACTER.test(value))
      throw new InvalidInputError({ [safeName(name)]: "holds characters that can't be used" });
    Object.defineProperty(query, name, { value, enumerable: true });
  }
  return query;
}

// NUL can't be stored; the other one is what bytes that are no UTF-8 have become on their way here.
// oxlint-disable-next-line no-control-regex
const UNREADABLE_CHARACTER = /[\0\uFFFD]/;

const safeName = (name: string) => (/^[A-Za-z]{1,30}$/.test(name) ? name : "query");

function isDecodable(queryText: string): boolean {
  try {
    decodeURIComponent(queryText.replaceAll("+", " "));
    return true;
  } catch {
    return false;
  }
}
