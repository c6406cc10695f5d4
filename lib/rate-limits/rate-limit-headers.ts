/** The headers of rate limits, in the form of the IETF draft "RateLimit header fields for HTTP" (contract 3.19). */

export type LimitPolicy = { name: string; points: number; seconds: number };

/** A limit that a call counts toward, and how much of it is left where the caller may know. */
export type LimitUsage = LimitPolicy & {
  /** Absent where a stored or counted number would say something about a report (docs/decisions/056). */
  left?: { calls: number; ms: number };
};

/** Builds `RateLimit-Policy`, and `RateLimit` for the limits whose rest may be known. */
export function formatRateLimitHeaders(usages: readonly LimitUsage[]): Record<string, string> {
  if (usages.length === 0) return {};
  const policies = usages.map(({ name, points, seconds }) => `"${name}";q=${points};w=${seconds}`);
  const rest = usages.flatMap(({ name, left }) =>
    left ? [`"${name}";r=${Math.max(0, left.calls)};t=${toWholeSeconds(left.ms)}`] : [],
  );
  return {
    "RateLimit-Policy": policies.join(", "),
    ...(rest.length > 0 && { RateLimit: rest.join(", ") }),
  };
}

/** Whole seconds after which a call counts no longer; at least one, like `Retry-After`. */
export const toWholeSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));
