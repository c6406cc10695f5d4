/** Returns whether a URL leads to the computer on which it is opened, so that it is of no use to anybody else. */
export function isLoopbackUrl(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(?:(?:.*\.)?localhost\.?|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0|\[::\])$/.test(hostname);
}
