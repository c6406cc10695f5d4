import { type Context, only, type Params } from "#lib/operation/operation.ts";
import { audit } from "#lib/audit/audit.ts";
import { db, transaction, type Tx } from "#lib/database/client.ts";
import { notFound } from "#lib/operation/errors.ts";
import type { StoredLogo } from "#lib/files/logo.ts";
import { enqueue } from "#lib/jobs/enqueue.ts";
import { USER_COLUMNS, userOf, type User } from "#lib/accounts/schema.ts";
import { idInPath } from "#lib/operation/path-params.ts";
import type { Actor, Subject } from "#lib/operation/policy.ts";

/** The picture of a person (contract 9.4). */

type Doing = Context<Subject, Actor>;

/** Writes the row, has the file before it removed, and records it. */
export async function saveAvatar(doing: Doing, image: StoredLogo | null): Promise<User> {
  const { actor, right, call } = doing;
  return transaction(async (tx) => {
    const before = await lockAvatar(tx, actor.id);
    const row = await tx.user.update({
      where: { id: actor.id },
      data: {
        avatarKey: image?.key ?? null,
        avatarType: image?.type ?? null,
        avatarSize: image?.size ?? null,
      },
      select: USER_COLUMNS,
    });
    if (before) await enqueue(tx, "files.remove", { keys: [before] });
    await audit(tx, {
      action: "account.changeAvatar",
      actorId: actor.id,
      right,
      object: { type: "user", id: actor.id },
      data: { set: image !== null },
      requestId: call.requestId,
    });
    return userOf(row);
  });
}

async function lockAvatar(tx: Tx, userId: string): Promise<string | null> {
  const [before] = await tx.$queryRaw<{ key: string | null }[]>`
    select avatar_key as key from users where id = ${userId}::uuid for no key update`;
  if (!before) throw notFound("This person");
  return before.key;
}

/** A person's picture. Nobody of that id and no picture are the same. */
export const avatarScope = only(async (params: Params): Promise<Subject & { key: string; type: string }> => {
  const found = await db.user.findUnique({
    where: { id: idInPath(params.userId) },
    select: { avatarKey: true, avatarType: true },
  });
  if (!found?.avatarKey || !found.avatarType) throw notFound("This picture");
  return { key: found.avatarKey, type: found.avatarType };
});
