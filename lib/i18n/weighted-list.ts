/** Browsers send a few dozen characters; a header longer than this is ignored. */
const MAX_HEADER_LENGTH = 1_000;
const MAX_ENTRIES = 50;

type WeightedEntry = { value: string; weight: number };

/**
 * Parses the entries of a header such as Accept-Encoding or Accept-Language (RFC 9110, 12.4.2), in their order, each
 * with its weight (default 1). Entries with other parameters or an invalid weight are left out; a header that is too
 * long counts as missing.
 */
export function parseWeightedList(header: string): WeightedEntry[] {
  if (header.length > MAX_HEADER_LENGTH) return [];
  return header.split(",", MAX_ENTRIES).flatMap((entry) => {
    const [value = "", parameter, extraParameter] = entry.split(";", 3).map((part) => part.trim());
    const weight = parameter === undefined ? 1 : parseWeight(parameter);
    return value !== "" && weight !== undefined && extraParameter === undefined ? [{ value, weight }] : [];
  });
}

/** Parses a weight such as "q=0.8". */
function parseWeight(parameter: string): number | undefined {
  const digits = /^q=([01](?:\.\d{0,3})?)$/i.exec(parameter)?.[1];
  return digits === undefined ? undefined : Math.min(Number(digits), 1);
}
