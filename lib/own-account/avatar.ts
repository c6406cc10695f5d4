import { createContainerScope, type PathParams } from "#lib/operation/operation.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { prisma, runTransaction, type Tx } from "#lib/database/client.ts";
import { lockRow } from "#lib/database/row-lock.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import type { StoredLogo } from "#lib/files/logo.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";
import { USER_COLUMNS, toUser, type User } from "#lib/accounts/schema.ts";
import type { OwnAccountContext } from "#lib/accounts/tokens.ts";
import { parsePathIdOrNilUuid } from "#lib/operation/path-params.ts";
import type { PermissionSubject } from "#lib/operation/policy.ts";

/** The avatar of a person (contract 9.4). */

/** Stores or clears the avatar, queues the removal of the previous file and appends the audit entry. */
export async function saveOrClearAvatar(context: OwnAccountContext, image: StoredLogo | null): Promise<User> {
  const { actor } = context;
  return runTransaction(async (tx) => {
    const former = await lockAvatar(tx, actor.id);
    const row = await tx.user.update({
      where: { id: actor.id },
      data: {
        avatarKey: image?.key ?? null,
        avatarType: image?.type ?? null,
        avatarSize: image?.size ?? null,
      },
      select: USER_COLUMNS,
    });
    if (former) await enqueueJob(tx, "files.remove", { keys: [former] });
    await appendAuditEntry(
      tx,
      buildAuditEntry(
        context,
        "account.changeAvatar",
        { type: "user", id: actor.id },
        { set: image !== null },
      ),
    );
    return toUser(row);
  });
}

async function lockAvatar(tx: Tx, userId: string): Promise<string | null> {
  const former = await lockRow(tx, { table: "users", id: userId }, ["avatarKey"]);
  if (!former) throw createNotFoundError("person");
  return former.avatarKey;
}

/** The avatar that a path names. An unknown person and a person without an avatar get the same response. */
export const avatarScope = createContainerScope(
  async (params: PathParams): Promise<PermissionSubject & { key: string; type: string }> => {
    const found = await prisma.user.findUnique({
      where: { id: parsePathIdOrNilUuid(params.userId) },
      select: { avatarKey: true, avatarType: true },
    });
    if (!found?.avatarKey || !found.avatarType) throw createNotFoundError("picture");
    return { key: found.avatarKey, type: found.avatarType };
  },
);
