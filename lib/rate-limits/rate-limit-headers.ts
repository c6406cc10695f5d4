/** The headers of rate limits, in the form of the IETF draft "RateLimit header fields for HTTP" (contract 3.19). */

/** A limit of `points` calls within `seconds`. */
export type RateLimit = { name: string; points: number; seconds: number };

/** A limit that counts a call, and the number of calls that remain where the caller may know it. */
export type RateLimitUsage = RateLimit & {
  /** Absent where a stored or counted number would say something about a report (docs/decisions/029). */
  remaining?: { calls: number; ms: number };
};

/** Builds `RateLimit-Policy`, and `RateLimit` for the limits whose remaining calls may be known. */
export function buildRateLimitHeaders(usages: readonly RateLimitUsage[]): Record<string, string> {
  if (usages.length === 0) return {};
  const policies = usages.map(({ name, points, seconds }) => `"${name}";q=${points};w=${seconds}`);
  const remainders = usages.flatMap(({ name, remaining }) =>
    remaining
      ? [`"${name}";r=${Math.max(0, remaining.calls)};t=${toWholeSecondsAtLeastOne(remaining.ms)}`]
      : [],
  );
  return {
    "RateLimit-Policy": policies.join(", "),
    ...(remainders.length > 0 && { RateLimit: remainders.join(", ") }),
  };
}

/** Rounds up to whole seconds, at least one, as `Retry-After` and `RateLimit` have them. */
export const toWholeSecondsAtLeastOne = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));
