/** Browsers send a few dozen characters; what is longer than this isn't read at all. */
const MAX_HEADER_LENGTH = 1_000;
const MAX_ENTRIES = 50;

type WeightedEntry = { value: string; weight: number };

/**
 * The entries of a header such as Accept-Encoding or Accept-Language (RFC 9110, 12.4.2), in their order, each with its
 * weight: 1 where there is none. What has another parameter, or a weight that is none, is left out, and a header that is
 * too long counts as one that isn't there.
 */
export function parseWeightedList(header: string): WeightedEntry[] {
  if (header.length > MAX_HEADER_LENGTH) return [];
  return header.split(",", MAX_ENTRIES).flatMap((entry) => {
    const [value = "", parameter, extraParameter] = entry.split(";", 3).map((part) => part.trim());
    const weight = parameter === undefined ? 1 : parseWeight(parameter);
    return value !== "" && weight !== undefined && extraParameter === undefined ? [{ value, weight }] : [];
  });
}

/** As in "q=0.8". */
function parseWeight(parameter: string): number | undefined {
  const digits = /^q=([01](?:\.\d{0,3})?)$/i.exec(parameter)?.[1];
  return digits === undefined ? undefined : Math.min(Number(digits), 1);
}
