const STORAGE_KEY = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Checks whether a text is the key of a stored file: a lower-case UUID. */
export const isStorageKey = (text: string): boolean => STORAGE_KEY.test(text);

/**
 * Rejects anything that isn't a key before it becomes part of a path.
 * @throws Error, since a wrong key is always a bug of the service and never the caller's fault
 */
export function assertStorageKey(key: string): void {
  if (!isStorageKey(key)) throw new Error("a stored file is named by a lower-case UUID");
}
