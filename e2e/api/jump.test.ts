import { describe, expect, test } from "vitest";
import { shareService } from "#e2e/support/service.ts";
import {
  checkCount,
  checkExactly,
  expectShape,
  checkList,
  checkRecord,
  checkText,
  checkTime,
  checkUuid,
} from "#e2e/support/shapes.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { type TestPerson, TestWorld } from "#e2e/support/world.ts";

/** The quick jump: who may call it is in the table of routes; here, what it finds. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, berta, bruno, event, foreignEvent, maya, nora, olga, omar, rita, sam, viktor } = world;

const jump = async (person: TestPerson, search: string) => {
  const reply = await world.as(person).get(`/api/users/me/jump?search=${encodeURIComponent(search)}`);
  expect(reply.status).toBe(200);
  return reply.body as {
    incidents: { id: string; title: string }[];
    events: { id: string }[];
    people: { id: string; name: string }[];
    pages: { page: string; place: string; path: string }[];
  };
};
const ids = (list: { id: string }[]) => list.map(({ id }) => id);

const word = generateUniqueWord();
// The SystemAdmin finds events and people of all worlds.
const gathering = await world.newEvent(world.organization, `Gathering ${word}`);
const attendee = await world.person(`Attendee ${word}`, { events: [[gathering, "Reporter"]] });
await world.grant(omar, gathering, "Responder");
await world.grant(ada, gathering, "Admin");
const report = await world.report(maya, event, { title: `Something with a ${word} in it` });
const foreign = await world.report(world.boris, foreignEvent, { title: `Elsewhere a ${word}, too` });

describe("incidents", () => {
  test("are found by a part of their title, in any letter case, with their shape", async () => {
    const found = await jump(omar, word.toUpperCase());
    const place = checkRecord({ id: checkUuid, name: checkText, slug: checkText });
    expectShape(found, {
      incidents: checkList(
        checkRecord({
          id: checkUuid,
          number: checkCount,
          codeName: checkText,
          title: checkText,
          state: checkExactly("submitted"),
          createdAt: checkTime,
          event: place,
        }),
      ),
      events: checkList(place),
      people: checkList(checkRecord({ id: checkUuid, name: checkText, event: place })),
      pages: checkList(checkRecord({ page: checkText, place: checkText, path: checkText })),
    });
    expect(ids(found.incidents)).toEqual([report.id]);
  });

  test("are found by their code name and number", async () => {
    const { codeName, number } = report;
    for (const text of [codeName, codeName.toUpperCase(), `${codeName} ${number}`])
      expect(ids((await jump(omar, text)).incidents)).toContain(report.id);
    expect(ids((await jump(berta, codeName)).incidents)).not.toContain(report.id);
  });

  test("are found by their id, and by its first eight digits", async () => {
    expect(ids((await jump(omar, report.id.toUpperCase())).incidents)).toEqual([report.id]);
    expect(ids((await jump(omar, report.id.slice(0, 8).toUpperCase())).incidents)).toEqual([report.id]);
    expect((await jump(berta, report.id.slice(0, 8))).incidents).toEqual([]);
  });

  test("of another event are not found, by title or by id, and its reporter finds their own alone", async () => {
    expect(ids((await jump(berta, word)).incidents)).toEqual([foreign.id]);
    expect((await jump(berta, report.id)).incidents).toEqual([]);
    expect(ids((await jump(maya, word)).incidents)).toEqual([report.id]);
    expect((await jump(rita, word)).incidents).toEqual([]);
  });

  test("are not found by members of the organization, nor by strangers", async () => {
    for (const person of [olga, viktor, bruno, nora])
      expect((await jump(person, word)).incidents).toEqual([]);
  });

  test("are not found by what their text says", async () => {
    const hidden = generateUniqueWord();
    await world.report(maya, event, { description: `In the text stands ${hidden}.` });
    expect((await jump(omar, hidden)).incidents).toEqual([]);
  });
});

describe("events and people", () => {
  test("an event is found by those with a role in it or in its organization, and by the SystemAdmin", async () => {
    for (const person of [ada, attendee, olga, viktor, sam])
      expect(ids((await jump(person, gathering.name)).events)).toEqual([gathering.id]);
    for (const person of [maya, berta, bruno, nora])
      expect(ids((await jump(person, gathering.name)).events)).toEqual([]);
  });

  test("a person is found by the team of an event that they share, and by nobody else", async () => {
    expect(ids((await jump(omar, attendee.name)).people)).toEqual([attendee.id]);
    expect(ids((await jump(sam, attendee.name)).people)).toEqual([attendee.id]);
    for (const person of [rita, attendee, olga, viktor, berta, bruno, nora])
      expect(ids((await jump(person, attendee.name)).people)).toEqual([]);
  });
});

test("one letter, or nothing, is refused", async () => {
  for (const query of ["", "?search=", "?search=x", "?search=%20%20a%20"])
    expect((await world.as(omar).get(`/api/users/me/jump${query}`)).status).toBe(400);
});

describe("pages of events and organizations", () => {
  const paths = async (person: TestPerson, search: string) =>
    (await jump(person, search)).pages.map(({ path }) => path);

  test("are found by their name and that of their place, by those who may open them", async () => {
    const own = (page: string) => `/e/${event.slug}/${page}`;
    expect(await paths(ada, `settings ${event.slug}`)).toEqual([own("settings")]);
    expect(await paths(ada, `${event.slug} code`)).toEqual([own("settings#conduct")]);
    expect(await paths(omar, `settings ${event.slug}`)).toEqual([]);
    expect(await paths(maya, `form ${event.slug}`)).toEqual([own("report")]);
    expect(await paths(nora, `form ${event.slug}`)).toEqual([]);
    expect(await paths(olga, "webhooks")).toEqual([`/orgs/${world.organization.slug}/webhooks`]);
    expect(await paths(viktor, "webhooks")).toEqual([]);
    expect(await paths(viktor, "numbers")).toEqual([`/orgs/${world.organization.slug}/insights`]);
  });

  test("are at most eight, and the name of a place alone finds none", async () => {
    for (let n = 0; n < 9; n += 1) await world.newEvent(world.organization, `Gathering number ${n}`);
    expect(await paths(sam, "settings")).toHaveLength(8);
    expect(await paths(ada, event.slug)).toEqual([]);
  });

  test("go by their names in the wanted language", async () => {
    const reply = await world.as(ada).get(`/api/users/me/jump?search=Einstellungen&language=de`);
    expect(reply.body.pages.map(({ path }: { path: string }) => path)).toContain(`/e/${event.slug}/settings`);
    expect((await world.as(ada).get("/api/users/me/jump?search=team&language=xx")).status).toBe(400);
  });
});
