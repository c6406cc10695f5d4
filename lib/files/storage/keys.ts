const STORAGE_KEY = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Is this the key of a stored file: a lower-case UUID? */
export const isStorageKey = (text: string): boolean => STORAGE_KEY.test(text);

/**
 * Refuses anything that isn't a key before it becomes part of a path.
 * @throws Error, since a wrong key is a mistake of ours and never of a caller.
 */
export function assertStorageKey(key: string): void {
  if (!isStorageKey(key)) throw new Error("a stored file is named by a lower-case UUID");
}
