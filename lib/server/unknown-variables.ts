import { EnvironmentVariablesSchema } from "#lib/env.ts";

/** Variables that look like ours and aren't: a misspelled one would otherwise be ignored without a word. */

const KNOWN_NAMES = Object.keys(EnvironmentVariablesSchema.shape);
/** Of the service itself, of its tests, and those that Kubernetes sets for a service named heed. */
const OTHER_NAMES = /^HEED_(MEMORY_KEY|PORT(_.*)?|SERVICE_.*|(UI|TEST|ATTACK)_.*)$/;
const OWN_PREFIX = /^(HEED|RATE)_/i;

/** Returns a line for each variable that nobody reads, and whose name is close to one of ours or begins like them. */
export function describeUnknownVariables(source: Record<string, string | undefined>): string[] {
  return Object.keys(source)
    .filter((name) => source[name] && !KNOWN_NAMES.includes(name) && !OTHER_NAMES.test(name))
    .flatMap((name) => {
      const meant = KNOWN_NAMES.find((known) => isMisspelling(name.toUpperCase(), known));
      if (meant ? source[meant] : !OWN_PREFIX.test(name)) return [];
      const hint = meant ? `Did you mean ${meant}?` : "docs/operating.md lists those that it reads.";
      return [`${name} is set, but Heed reads no variable of this name. ${hint}`];
    });
}

/** Short names resemble too many others, such as PATH and PORT. */
function isMisspelling(name: string, known: string): boolean {
  const limit = known.length < 6 ? 0 : known.length < 9 ? 1 : 2;
  return countEdits(name, known) <= limit;
}

/** Counts the letters that were inserted, left out, replaced, or swapped with the next one. */
function countEdits(name: string, known: string): number {
  const rows = [[...known, ""].map((_, index) => index)];
  for (let i = 1; i <= name.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= known.length; j += 1) {
      const at = (up: number, left: number) => (up === 0 ? row : rows[i - up])?.[j - left] ?? Infinity;
      const isSame = name[i - 1] === known[j - 1];
      const isSwapped = name[i - 1] === known[j - 2] && name[i - 2] === known[j - 1];
      row.push(
        Math.min(
          at(1, 0) + 1,
          at(0, 1) + 1,
          at(1, 1) + (isSame ? 0 : 1),
          isSwapped && i > 1 ? at(2, 2) + 1 : Infinity,
        ),
      );
    }
    rows.push(row);
  }
  return rows.at(-1)?.at(-1) ?? 0;
}
