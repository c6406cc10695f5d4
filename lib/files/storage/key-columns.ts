/** Every column that names a stored file, as table and column. A file that none of them names is orphaned. */
export const STORAGE_KEY_COLUMNS = [
  ["related_files", "storage_key"],
  ["related_files", "original_key"],
  ["organizations", "logo_key"],
  ["events", "logo_key"],
  ["users", "avatar_key"],
] as const;
