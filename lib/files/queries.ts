import { TEAM_ROLES_SQL } from "#lib/access/policy-sql.ts";
import { prisma } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";

/**
 * Returns which of these stored files a row still refers to: evidence, logos, avatars. The sweeper removes the rest.
 */
export async function filterReferencedStorageKeys(keys: string[]): Promise<Set<string>> {
  const isOneOf = { in: keys };
  const where = { logoKey: isOneOf };
  const select = { logoKey: true } as const;
  const [files, organizations, events, users] = await Promise.all([
    prisma.relatedFile.findMany({
      where: { OR: [{ storageKey: isOneOf }, { originalKey: isOneOf }] },
      select: { storageKey: true, originalKey: true },
    }),
    prisma.organization.findMany({ where, select }),
    prisma.event.findMany({ where, select }),
    prisma.user.findMany({ where: { avatarKey: isOneOf }, select: { avatarKey: true } }),
  ]);
  const referenced = [...files, ...organizations, ...events, ...users].flatMap((row) => Object.values(row));
  return new Set(referenced.filter((key) => key !== null));
}

/** The data that a download of a file's working copy needs. */
export type EvidenceWorkingCopy = {
  id: string;
  filename: string;
  mimetype: string;
  size: number;
  /** Hash of the working copy, which may be another file than the original. */
  sha256: string;
  storageKey: string;
};

/** Finds the working copy of a file by its id and further conditions, such as its incident; null without a match. */
export async function findEvidenceWorkingCopy(
  where: Prisma.RelatedFileWhereInput & { id: string },
): Promise<EvidenceWorkingCopy | null> {
  const row = await prisma.relatedFile.findFirst({
    where,
    select: {
      id: true,
      filename: true,
      mimetype: true,
      size: true,
      sha256: true,
      copySha256: true,
      storageKey: true,
    },
  });
  if (!row) return null;
  const { copySha256, ...file } = row;
  return { ...file, sha256: copySha256 ?? file.sha256 };
}

/** The data that decides with whom a sender shares a quota. `uploadedById` is null for a sender without a name. */
type UploadQuotaSender = {
  eventId: string;
  uploadedById: string | null;
  conversationId?: string | null | undefined;
};

type QuotaUsage = {
  all: bigint | null;
  outside: bigint | null;
  own: bigint | null;
  conversation: bigint | null;
};

/**
 * Adds up the bytes of evidence in an event: all of them, those of everybody outside its team, those of everybody who
 * shares the sender's quota, and those from the sender's conversation.
 */
export async function findUploadQuotaUsage(
  tx: SqlClient,
  sender: UploadQuotaSender,
): Promise<QuotaUsage | undefined> {
  const { eventId, conversationId } = sender;
  const [usage] = await tx.$queryRaw<QuotaUsage[]>`
    select
      sum(f.bytes)::bigint as all, sum(f.bytes) filter (where f.is_outside)::bigint as outside, sum(f.bytes) filter (where f.is_own)::bigint as own,
      sum(f.bytes) filter (where f.is_own and f.conversation_id = ${conversationId ?? null}::uuid)::bigint as conversation
    from (select conversation_id, size::bigint + coalesce(original_size, 0) as bytes, ${selectSenderSql(sender)} as is_own,
        not exists (select 1 from event_roles r where r.event_id = related_files.event_id
          and r.user_id = related_files.uploaded_by_id and r.role_name in ${TEAM_ROLES_SQL}) as is_outside
      from related_files where event_id = ${eventId}::uuid) f`;
  return usage;
}

/** SQL for the files that share a quota with those of the sender. */
function selectSenderSql({ uploadedById, conversationId }: UploadQuotaSender): Prisma.Sql {
  if (uploadedById) return Prisma.sql`uploaded_by_id = ${uploadedById}::uuid`;
  return conversationId
    ? Prisma.sql`uploaded_by_id is null and conversation_id is not null`
    : Prisma.sql`uploaded_by_id is null and conversation_id is null`;
}
