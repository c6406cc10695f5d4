import { z } from "zod";
import { type Context, nothing, only, operation, type Params, requestOf } from "#lib/operation/operation.ts";
import { audit } from "#lib/audit/audit.ts";
import { db, transaction, type Tx } from "#lib/database/client.ts";
import { notFound } from "#lib/operation/errors.ts";
import { imageResponse } from "#lib/files/download/download.ts";
import { LOGO_UPLOAD, type StoredLogo, withStoredLogo } from "#lib/files/logo.ts";
import { enqueue } from "#lib/jobs/enqueue.ts";
import { MessageAndUser, USER_COLUMNS, userOf, type User } from "#lib/accounts/schema.ts";
import { idInPath } from "#lib/organizations/scope.ts";
import type { Actor, Subject } from "#lib/operation/policy.ts";

/** The picture of a person (contract 9.4). */

type Doing = Context<Subject, Actor>;

export const uploadAvatar = operation({
  name: "uploadAvatar",
  summary: "Give yourself a picture, in place of the one you have",
  on: nothing,
  can: "account.own",
  body: "multipart",
  upload: { ...LOGO_UPLOAD, fields: ["avatar"] },
  limit: "upload",
  output: MessageAndUser,
  run: async (context) => ({
    message: "Your picture is saved.",
    user: await withStoredLogo(context.call.files, (image) => saveAvatar(context, image), "avatar"),
  }),
});

export const removeAvatar = operation({
  name: "removeAvatar",
  summary: "Remove your picture",
  on: nothing,
  can: "account.own",
  output: z.undefined(),
  status: 204,
  run: async (context) => {
    await saveAvatar(context, null);
    return undefined;
  },
});

/** Writes the row, has the file before it removed, and records it. */
async function saveAvatar(doing: Doing, image: StoredLogo | null): Promise<User> {
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
const avatarScope = only(async (params: Params): Promise<Subject & { key: string; type: string }> => {
  const found = await db.user.findUnique({
    where: { id: idInPath(params.userId) },
    select: { avatarKey: true, avatarType: true },
  });
  if (!found?.avatarKey || !found.avatarType) throw notFound("This picture");
  return { key: found.avatarKey, type: found.avatarType };
});

export const showAvatar = operation({
  name: "showAvatar",
  summary: "The picture of a person",
  on: avatarScope,
  can: "account.viewAvatar",
  output: null,
  produces: ["image/webp"],
  run: async ({ key, type, call }) => {
    const response = await imageResponse(requestOf(call), { key, type, etag: `"${key}"` });
    // For signed-in eyes only: no cache that others share may keep it.
    response.headers.set("Cache-Control", "private, max-age=300");
    response.headers.set("Vary", "Cookie, Authorization");
    return response;
  },
});
