import { createRequire } from "node:module";
import type { DictionaryMatch, ZxcvbnFactory, ZxcvbnResult } from "@zxcvbn-ts/core";
import { processWide } from "#lib/process-wide.ts";

/** How hard a password is to guess, as zxcvbn estimates it. */

/** Below this many guesses a new password is refused in production mode (contract 4.4). */
const MIN_PASSWORD_GUESSES = 100_000;

/** With more, a password made to be slow to check would block the event loop for hundreds of milliseconds. */
const MAX_SUBSTITUTIONS = 10;

/** Loaded for the first new password: its lists take 26 MB. */
const getEstimator = (): ZxcvbnFactory => processWide("password estimator", loadEstimator);

function loadEstimator(): ZxcvbnFactory {
  const require = createRequire(import.meta.url);
  const { ZxcvbnFactory } = require("@zxcvbn-ts/core") as typeof import("@zxcvbn-ts/core");
  const { adjacencyGraphs, dictionary } =
    require("@zxcvbn-ts/language-common") as typeof import("@zxcvbn-ts/language-common");
  return new ZxcvbnFactory({
    dictionary,
    graphs: adjacencyGraphs,
    l33tMaxSubstitutions: MAX_SUBSTITUTIONS,
  });
}

/** Returns whether a password is one that attackers try first, in any letter case. */
export function isCommonPassword(password: string): boolean {
  const { sequence } = getEstimator().check(password);
  const [match] = sequence as Partial<DictionaryMatch>[];
  return (
    sequence.length === 1 &&
    match?.dictionaryName === "passwords-common" &&
    match.reversed !== true &&
    match.l33t !== true
  );
}

/**
 * Returns whether a password takes few guesses, or does so once the known terms are removed from it.
 * @param terms what an attacker tries first: words of the person and of the service, in lower case
 */
export function isGuessablePassword(password: string, terms: ReadonlySet<string> = new Set()): boolean {
  if (estimateGuesses(password, [...terms]).guesses < MIN_PASSWORD_GUESSES) return true;
  const rest = removeTerms(password.toLowerCase(), terms);
  return rest.length < password.length && estimateGuesses(rest).guesses < MIN_PASSWORD_GUESSES;
}

const estimateGuesses = (password: string, terms: string[] = []): ZxcvbnResult =>
  getEstimator().check(password, terms);

const removeTerms = (text: string, terms: ReadonlySet<string>): string =>
  [...terms].toSorted((a, b) => b.length - a.length).reduce((rest, term) => rest.replaceAll(term, ""), text);
