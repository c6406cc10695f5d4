import { AppError, InvalidInput } from "#lib/operation/errors.ts";

/**
 * The query of a URL as an object of texts. An empty value counts as missing, except that a number or a
 * choice left empty is refused by its schema only when given; a name that stands twice is refused.
 * @throws InvalidInput
 */
export function readQuery(url: string): Record<string, string> {
  const mark = url.indexOf("?");
  if (mark < 0) return {};
  const raw = url.slice(mark + 1).split("#", 1)[0] ?? "";
  if (raw.length > 16_384) throw new AppError("VALIDATION_ERROR", "The address is too long.");
  if (/%(?![0-9a-f]{2})/i.test(raw) || !decodes(raw)) {
    throw new AppError("VALIDATION_ERROR", "The address holds characters that can't be read.");
  }
  const query: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(raw)) {
    if (Object.hasOwn(query, name)) throw new InvalidInput({ [safeName(name)]: "is given more than once" });
    if (UNREADABLE.test(value))
      throw new InvalidInput({ [safeName(name)]: "holds characters that can't be used" });
    Object.defineProperty(query, name, { value, enumerable: true });
  }
  return query;
}

// NUL can't be stored; the other one is what bytes that are no UTF-8 have become on their way here.
// oxlint-disable-next-line no-control-regex
const UNREADABLE = /[\0\uFFFD]/;

const safeName = (name: string) => (/^[A-Za-z]{1,30}$/.test(name) ? name : "query");

function decodes(raw: string): boolean {
  try {
    decodeURIComponent(raw.replaceAll("+", " "));
    return true;
  } catch {
    return false;
  }
}
