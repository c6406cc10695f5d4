import { toNameKey } from "#lib/design/match-key.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { InvalidInputError } from "#lib/operation/errors.ts";
import { TEAM_ROLES_SQL } from "#lib/access/policy-sql.ts";

/** Mentions in a team note. */

/** In each of its forms that normalizing makes one. */
const AT_SIGN = /[@\uff20\ufe6b]/;

type TeamMember = { id: string; name: string };

/** Lists the people on the event's response team. */
export const listResponseTeam = (tx: SqlClient, eventId: string): Promise<TeamMember[]> => tx.$queryRaw<
  TeamMember[]
>`
  select distinct u.id, u.name from event_roles r join users u on u.id = r.user_id
  where r.event_id = ${eventId}::uuid and r.role_name in ${TEAM_ROLES_SQL} and u.disabled_at is null`;

/**
 * Returns the people whom a note mentions: those given by id, and those whose full name follows an @ in its text.
 * @param mentions ids from the client; undefined for none
 * @throws InvalidInputError when one of these ids isn't on the event's response team
 */
export async function resolveMentions(
  tx: SqlClient,
  eventId: string,
  { body, mentions: mentionedIds = [] }: { body: string; mentions?: string[] | undefined },
): Promise<string[]> {
  if (mentionedIds.length === 0 && !AT_SIGN.test(body)) return [];
  const team = await listResponseTeam(tx, eventId);
  if (mentionedIds.some((id) => !team.some((member) => member.id === id)))
    throw new InvalidInputError({ mentions: createFieldProblem("mustBeTeamMembers") });
  return [...new Set([...mentionedIds, ...findMentionedMemberIds(body, team)])];
}

/**
 * Returns the members whose full name follows an @, however it is spelled (lib/design/match-key.ts). If one name is a
 * prefix of another, the longer one wins; people with the same name all match.
 */
export function findMentionedMemberIds(body: string, team: readonly TeamMember[]): string[] {
  if (!AT_SIGN.test(body)) return [];
  const text = normalizeText(body);
  const longestFirst = team
    .flatMap(({ id, name }) => spellName(normalizeText(name)).map((spelling) => ({ id, name: spelling })))
    .toSorted((a, b) => b.name.length - a.name.length);
  const memberIds = new Set<string>();
  for (const { index } of text.matchAll(/(?<![\p{L}\p{N}_])@/gu)) {
    const name = longestFirst.find((member) => isNameAt(text, index + 1, member.name))?.name;
    for (const member of longestFirst) if (member.name === name) memberIds.add(member.id);
  }
  return [...memberIds];
}

const normalizeText = (text: string) => toNameKey(text).replaceAll("-", " ");

/** Returns the name with and without its quotes. */
const spellName = (name: string) => [name, name.replaceAll("'", "")].filter(Boolean);

const isNameAt = (text: string, at: number, name: string) =>
  text.startsWith(name, at) &&
  !/^[\p{L}\p{M}\p{N}_]/u.test(text.slice(at + name.length, at + name.length + 2));
