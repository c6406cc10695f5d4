import { prisma, runSqlTransaction, sql } from "#lib/database/client.ts";
import { AppError, notFound } from "#lib/operation/errors.ts";
import { MAX_SAVED_VIEWS, type NewSavedView, type SavedView } from "#lib/saved-views/schema.ts";
import type { SqlClient } from "#lib/database/sql.ts";

/** Saved views of one person; nobody else can read or change them. */

/** Lists a person's views by name. Every page of the inbox needs them, so it is plain SQL (docs/performance.md). */
export const listViews = (userId: string): Promise<SavedView[]> => sql.$queryRaw<SavedView[]>`
  select id, name, query, created_at as "createdAt" from saved_views where user_id = ${userId}::uuid order by name, id`;

/**
 * Saves a view, replacing one with the same name. Locks the person's row, so that concurrent requests can't exceed the
 * limit.
 * @throws AppError CONFLICT with too many
 */
export async function saveView(userId: string, view: NewSavedView): Promise<SavedView> {
  const savedView = await runSqlTransaction((tx) => saveWithinLimit(tx, userId, view));
  if (savedView) return savedView;
  throw new AppError(
    "CONFLICT",
    `You have ${MAX_SAVED_VIEWS} saved views, which is the maximum.`,
    "Remove one you no longer need.",
  );
}

async function saveWithinLimit(
  tx: SqlClient,
  userId: string,
  { name, query }: NewSavedView,
): Promise<SavedView | undefined> {
  await tx.$queryRaw`select id from users where id = ${userId}::uuid for no key update`;
  const [savedView] = await tx.$queryRaw<SavedView[]>`
    insert into saved_views (user_id, name, query)
    select ${userId}::uuid, ${name}, ${query} where ${MAX_SAVED_VIEWS}::int >
      (select count(*) from saved_views v where v.user_id = ${userId}::uuid and v.name <> ${name})
    on conflict (user_id, name) do update set query = excluded.query
    returning id, name, query, created_at as "createdAt"`;
  return savedView;
}

/** @throws AppError NOT_FOUND when it doesn't exist or is somebody else's */
export async function removeView(userId: string, id: string): Promise<void> {
  const { count } = await prisma.savedView.deleteMany({ where: { id, userId } });
  if (count === 0) throw notFound("This view");
}
