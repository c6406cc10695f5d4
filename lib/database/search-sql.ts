import { listMatchKeys } from "#lib/design/match-key.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { toLikePattern } from "#lib/operation/fields.ts";

/** The condition that one of some texts contains what is searched for, however it is spelled. */
export const containsSearchTextSql = (texts: readonly Prisma.Sql[], search: string): Prisma.Sql =>
  matchesSearchTextSql(
    texts.map((text) => Prisma.sql`match_keys(${text})`),
    search,
  );

/** The same condition on columns of match keys. */
export const matchesSearchTextSql = (keys: readonly Prisma.Sql[], search: string): Prisma.Sql => {
  const patterns = listMatchKeys(search).map(toLikePattern);
  const conditions = keys.flatMap((key) => patterns.map((pattern) => Prisma.sql`${key} like ${pattern}`));
  return Prisma.sql`(${Prisma.join(conditions, " or ")})`;
};
