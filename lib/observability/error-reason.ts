/** Returns the code or name of an error, which is safe to log: it holds no path, personal name or address. */
export function describeErrorForLog(thrown: unknown): string {
  const { code, name } = (thrown ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === "string" && /^\w{1,40}$/.test(code)) return code;
  return typeof name === "string" ? name : typeof thrown;
}
