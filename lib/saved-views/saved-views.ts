import { db, runSqlTransaction } from "#lib/database/client.ts";
import { AppError, notFound } from "#lib/operation/errors.ts";
import { MAX_SAVED_VIEWS, type NewSavedView, type SavedView } from "#lib/saved-views/schema.ts";
import type { SqlClient } from "#lib/database/sql.ts";

/** Views of one person; nobody else reads or changes them. */

/** By name, in the order in which a reader looks for them. Every page of the desk asks, so it is SQL (docs/performance.md). */
export const listViews = (userId: string): Promise<SavedView[]> => db.$queryRaw<SavedView[]>`
  select id, name, query, created_at as "createdAt" from saved_views where user_id = ${userId}::uuid order by name, id`;

/**
 * Saves a view; one of the same name is replaced. The person's row is locked, so that two at once don't pass the limit.
 * @throws AppError CONFLICT with too many
 */
export async function saveView(userId: string, view: NewSavedView): Promise<SavedView> {
  const savedView = await runSqlTransaction((tx) => saveWithinLimit(tx, userId, view));
  if (savedView) return savedView;
  throw new AppError(
    "CONFLICT",
    `You have ${MAX_SAVED_VIEWS} saved views, which is as many as there can be.`,
    "Remove one that you no longer need.",
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

/** @throws AppError NOT_FOUND when it isn't there, or is somebody else's */
export async function removeView(userId: string, id: string): Promise<void> {
  const { count } = await db.savedView.deleteMany({ where: { id, userId } });
  if (count === 0) throw notFound("This view");
}
