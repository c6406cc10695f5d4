import { sql } from "#lib/database/client.ts";

/**
 * Returns which of these stored files a row still refers to: evidence, logos, avatars. The sweeper removes the rest.
 */
export async function listReferencedKeys(keys: string[]): Promise<Set<string>> {
  const rows = await sql.$queryRaw<{ key: string }[]>`
    select storage_key as key from related_files where storage_key = any(${keys}::text[])
    union select original_key from related_files where original_key = any(${keys}::text[])
    union select logo_key from organizations where logo_key = any(${keys}::text[])
    union select logo_key from events where logo_key = any(${keys}::text[])
    union select avatar_key from users where avatar_key = any(${keys}::text[])`;
  return new Set(rows.map(({ key }) => key));
}
