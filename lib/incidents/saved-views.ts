import { compareNames } from "#lib/design/name-order.ts";
import { prisma, runTransaction, type Tx } from "#lib/database/client.ts";
import { lockRow } from "#lib/database/row-lock.ts";
import { AppError, createNotFoundError } from "#lib/operation/errors.ts";
import { MAX_SAVED_VIEWS, type NewSavedViewInput, type SavedView } from "#lib/incidents/saved-view-schema.ts";

/** Saved views of one person; nobody else can read or change them. */

const SAVED_VIEW = { id: true, name: true, query: true, createdAt: true };

/** Lists a person's views, sorted by name. */
export const listSavedViewsOfUser = async (userId: string): Promise<SavedView[]> => {
  const views = await prisma.savedView.findMany({
    where: { userId },
    orderBy: { id: "asc" },
    select: SAVED_VIEW,
  });
  return views.toSorted(compareNames);
};

/**
 * Saves a view, replacing one with the same name. Locks the person's row, so that concurrent requests can't exceed the
 * limit.
 * @throws AppError CONFLICT with too many
 */
export async function saveView(userId: string, view: NewSavedViewInput): Promise<SavedView> {
  const savedView = await runTransaction((tx) => saveWithinLimit(tx, userId, view));
  if (savedView) return savedView;
  throw new AppError("CONFLICT", "tooManySavedViews", { max: MAX_SAVED_VIEWS });
}

async function saveWithinLimit(
  tx: Tx,
  userId: string,
  { name, query }: NewSavedViewInput,
): Promise<SavedView | undefined> {
  await lockRow(tx, { table: "users", id: userId });
  const otherViewCount = await tx.savedView.count({ where: { userId, name: { not: name } } });
  if (otherViewCount >= MAX_SAVED_VIEWS) return undefined;
  return tx.savedView.upsert({
    where: { userId_name: { userId, name } },
    update: { query },
    create: { userId, name, query },
    select: SAVED_VIEW,
  });
}

/** Removes a view. @throws AppError NOT_FOUND when it doesn't exist or is somebody else's */
export async function removeView(userId: string, id: string): Promise<void> {
  const { count } = await prisma.savedView.deleteMany({ where: { id, userId } });
  if (count === 0) throw createNotFoundError("view");
}
