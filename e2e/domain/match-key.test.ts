import fc from "fast-check";
import { expect, it, test } from "vitest";
import { sql } from "#lib/database/client.ts";
import { listMatchKeys } from "#lib/design/match-key.ts";
import { listIncidentsAcrossEvents } from "#lib/incidents/list-queries.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";

/** The database compares texts by the same rule as the service. */

/** In parts, since a statement of the service may take a few seconds only. */
async function computeInDatabase(texts: readonly string[]): Promise<string[]> {
  const keys: string[] = [];
  for (let at = 0; at < texts.length; at += 10_000) {
    const rows = await sql.$queryRaw<{ keys: string }[]>`
      select match_keys(t.text) as keys from unnest(${texts.slice(at, at + 10_000)}::text[]) with ordinality as t(text, place)
      order by place`;
    keys.push(...rows.map((row) => row.keys));
  }
  return keys;
}

const computeInService = (texts: readonly string[]) => texts.map((text) => listMatchKeys(text).join("\n"));

/** Letters that the database's version of Unicode doesn't know yet are compared as they are. */
async function listCodePointsKnownToBoth(): Promise<number[]> {
  const rows = await sql.$queryRaw<{ code: number }[]>`
    select code from generate_series(1, 195103) as code
    where code not between 55296 and 57343 and unicode_assigned(chr(code))`;
  return rows.map(({ code }) => code).filter((code) => !/\p{Cn}/u.test(String.fromCodePoint(code)));
}

test("each character has the same key in the database", async () => {
  const characters = (await listCodePointsKnownToBoth()).map((code) => String.fromCodePoint(code));
  expect(characters.length).toBeGreaterThan(100_000);
  const [expected, computed] = [computeInService(characters), await computeInDatabase(characters)];
  const different = characters.filter((_, at) => expected[at] !== computed[at]);
  expect(different).toEqual([]);
});

test("generated texts have the same keys in the database", async () => {
  const codePoints = await listCodePointsKnownToBoth();
  const character = fc.oneof(
    fc.constantFrom(
      ..."aAeoOuUäÖüØßIiİıΣσς \t\n'’-–@%_\\1".split(""),
      "\u0308",
      "\u200b",
      "\u00a0",
      "\u0e38",
      "\u0e48",
    ),
    fc.nat(codePoints.length - 1).map((at) => String.fromCodePoint(codePoints[at] ?? 0)),
  );
  const texts = fc
    .sample(fc.string({ unit: character, maxLength: 140 }), 500)
    .map((text) => text.normalize("NFC"));
  expect(await computeInDatabase(texts)).toEqual(computeInService(texts));
});

const TITLE = "Łukasz Żółć schrie mich an";

const actor = async (eventId: string, organizationId: string): Promise<Actor> => ({
  id: (await createUser()).id,
  email: "maya@example.org",
  name: "Maya Castillo",
  avatarUrl: null,
  sessionId: "session",
  systemAdmin: false,
  organizations: [],
  events: [{ eventId, slug: "event", organizationId, roles: ["Responder"] }],
});

it("finds reports however they are spelled, and takes wildcards literally", async () => {
  const organizationId = (await createOrganization()).id;
  const eventId = (await createEvent(organizationId)).id;
  const reporterId = (await createUser("Sinéad O’Brien")).id;
  const { id } = await createIncident({
    eventId,
    reporterId,
    title: TITLE,
    description: "Jürgen Müller hat die Straße 100% verstellt, „unglaublich“.",
  });
  await createIncident({ eventId, title: "Something else happened", description: "Blue_sky, 1000 of them" });
  const reader = await actor(eventId, organizationId);
  const find = async (search: string) => {
    const { incidents } = await listIncidentsAcrossEvents(reader, {
      search,
      sort: "createdAt",
      order: "desc",
      page: 1,
      limit: 20,
    });
    return incidents.map((incident) => (incident.id === id ? "it" : incident.title));
  };
  const finds = [
    "lukasz zolc",
    "ŁUKASZ\u00a0ŻÓŁĆ",
    "Lu\u200bkasz",
    "Mueller",
    "muller",
    "MÜLLER",
    "Juergen Mueller",
    "strasse",
    "o'brien",
    "O´Brien",
    "100%",
    '"unglaublich"',
  ];
  expect(await Promise.all(finds.map(find))).toEqual(finds.map(() => ["it"]));
  expect(await find("%")).toEqual(["it"]);
  expect(await find("_")).toEqual(["Something else happened"]);
  expect(await find("blu_")).toEqual([]);
  expect(await find("blur")).toEqual([]);
});
