import { Prisma } from "#lib/generated/prisma/client.ts";

/**
 * SQL for whether the reporter wrote a message `m` in their mailbox, without an account. A conversation that never had
 * words has no mailbox: there, the author's account is gone.
 */
export const IS_FROM_MAILBOX_SQL = Prisma.sql`(m.from_party and m.author_id is null and exists (
  select 1 from conversations c where c.id = m.conversation_id and num_nonnulls(c.words_hash, c.closed_on) > 0))`;
