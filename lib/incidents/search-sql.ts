import { getVisibleIncidentFilter } from "#lib/access/visibility.ts";
import { listMatchKeys } from "#lib/design/match-key.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { toLikePattern } from "#lib/operation/fields.ts";
import type { Actor } from "#lib/operation/policy.ts";

/**
 * The search of incidents (contract 7.12): each word is found somewhere, in any order: in the report, and where the actor
 * reads that, in what was written about it since.
 */

const listWords = (search: string): string[] => [...new Set(search.split(/\s+/).filter(Boolean))];

/**
 * The condition that incident `i` has all words of a search. What is found is united by hashing: counting distinct words would
 * sort every hit of a common word.
 */
export function searchConditionSql(search: string, actor: Actor): Prisma.Sql {
  const words = listWords(search);
  const hits = searchHitsSql(words, actor);
  if (words.length === 1) return Prisma.sql`i.id in (select h.id from (${hits}) h)`;
  return Prisma.sql`i.id in (select f.id from (select h.id from (${hits}) h group by h.id, h.word) f
    group by f.id having count(*) = ${words.length}::int)`;
}

/** Selects the places, `place`, at which incidents with these ids, `id`, have words of a search; of each at least one. */
export const searchPlacesSql = (search: string, actor: Actor, ids: readonly string[]): Prisma.Sql =>
  Prisma.sql`select distinct h.id, h.place from (${searchHitsSql(listWords(search), actor, ids)}) h`;

/** Selects `id`, `word` and `place` of what is found. @param ids the only incidents to look at, if given */
function searchHitsSql(words: readonly string[], actor: Actor, ids?: readonly string[]): Prisma.Sql {
  const spellings = words.flatMap((word, at) =>
    listMatchKeys(word).map((key) => ({ at, pattern: toLikePattern(key) })),
  );
  const w = Prisma.sql`unnest(${spellings.map(({ at }) => at)}::int[], ${spellings.map(({ pattern }) => pattern)}::text[]) w(word, pattern)`;
  const within = ids ? Prisma.sql`x.id = any(${[...ids]}::uuid[])` : Prisma.sql`true`;
  return Prisma.sql`
    select x.id, w.word, 'report' as place from ${w} join incidents x on x.search_keys like w.pattern where ${within}
    union all
    select x.id, w.word, 'reporter' from ${w} join users u on match_keys(u.name) like w.pattern
      join incidents x on x.reporter_id = u.id where ${within}
    ${teamHitsSql(w, actor, within)}`;
}

/** What only the team reads: the messages with the reporter they read, too. A service token reads no notes and no people. */
function teamHitsSql(w: Prisma.Sql, actor: Actor, within: Prisma.Sql): Prisma.Sql {
  const isService = actor.token?.service === true;
  const visibility = getVisibleIncidentFilter(actor);
  const onTeam = visibility.everything
    ? Prisma.sql`true`
    : Prisma.sql`x.event_id = any(${visibility.all}::uuid[])`;
  const isWithReporter = Prisma.sql`c.id = x.id and (x.reporter_id = ${actor.id}::uuid or ${onTeam})`;
  const ofPersonOnTeam = Prisma.sql`union all
    select x.id, w.word, 'people' from ${w} join incident_people p on p.search_keys like w.pattern
      join incidents x on x.id = p.incident_id where ${onTeam} and ${within}
    union all
    select x.id, w.word, 'note' from ${w} join team_notes n on n.search_keys like w.pattern
      join incidents x on x.id = n.incident_id where ${onTeam} and ${within}`;
  return Prisma.sql`union all
    select x.id, w.word, 'summary' from ${w} join incidents x on x.team_keys like w.pattern where ${onTeam} and ${within}
    union all
    select x.id, w.word, 'message' from ${w} join messages m on m.search_keys like w.pattern
      join conversations c on c.id = m.conversation_id join incidents x on x.id = c.incident_id
      where (${isWithReporter}${isService ? Prisma.empty : Prisma.sql` or ${onTeam}`}) and ${within}
    ${isService ? Prisma.empty : ofPersonOnTeam}`;
}
