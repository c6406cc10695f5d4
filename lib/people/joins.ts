/**
 * Who is one with whom. A join is a line between two people, as somebody drew it; the people whom lines connect are a
 * group. Lines are stored as `joinedToId`, each at one of its ends, and groups by the person at whom they all end. No join
 * changes another line, so taking one away leaves everybody as they were before it (contract 7.22).
 */
export type Joinable = { id: string; joinedToId: string | null };

/** Computes the lines once two people of different groups are joined. */
export function joinPeople(people: readonly Joinable[], id: string, otherId: string): Joinable[] {
  const path = listPathToEnd(people, id);
  return people.map((person) => {
    const place = path.indexOf(person.id);
    // The lines between the person and the end of their group are turned around: the person is the end then.
    if (place < 0) return person;
    return { id: person.id, joinedToId: place === 0 ? otherId : (path[place - 1] ?? null) };
  });
}

/**
 * Computes the lines once a person is split from those to whom they are joined directly, and those from them, as far as
 * somebody whom the actor may know is behind that line. The others don't exist for the actor.
 */
export function splitPerson<Person extends Joinable>(
  people: readonly Person[],
  id: string,
  isKnown: (person: Person) => boolean,
): Joinable[] {
  const groupWithout = (cut: string) =>
    computeGroups(people.map((one) => (one.id === cut ? { ...one, joinedToId: null } : one)));
  const hasKnownBehind = (lineOf: string): boolean => {
    const groups = groupWithout(lineOf);
    return people.some((one) => isKnown(one) && groups.get(one.id) !== groups.get(id));
  };
  return people.map(({ id: end, joinedToId }) => {
    const isLineOfPerson = joinedToId !== null && (end === id || joinedToId === id);
    return { id: end, joinedToId: isLineOfPerson && hasKnownBehind(end) ? null : joinedToId };
  });
}

/** Computes the group of each person: the id of the one at whom the lines end. */
export const computeGroups = (people: readonly Joinable[]): Map<string, string> =>
  new Map(people.map(({ id }) => [id, listPathToEnd(people, id).at(-1) ?? id]));

function listPathToEnd(people: readonly Joinable[], id: string): string[] {
  const path = [id];
  for (;;) {
    const next = people.find((person) => person.id === path.at(-1))?.joinedToId;
    if (!next || path.includes(next)) return path;
    path.push(next);
  }
}
