import { beforeEach, describe, expect, test } from "vitest";
import { shareService } from "#e2e/support/service.ts";
import { expectShape, checkText, checkTime, checkUuid } from "#e2e/support/shapes.ts";
import { TestWorld, type TestPerson } from "#e2e/support/world.ts";

const heed = await shareService();
const world = await TestWorld.build(heed);
const { omar, sam } = world;

const PATH = "/api/users/me/saved-views";

beforeEach(() => heed.sql("delete from saved_views"));

const save = (person: TestPerson, name: unknown, query: unknown = "status=submitted") =>
  world.as(person).post(PATH, { name, query });
const names = async (person: TestPerson): Promise<string[]> =>
  (await world.as(person).get(PATH)).body.views.map(({ name }: { name: string }) => name);

describe("saved views", () => {
  test("are one's own, by name, and go when they are removed", async () => {
    const reply = await save(omar, "Waiting");
    expect(reply.status).toBe(201);
    expectShape(reply.body.view, { id: checkUuid, name: checkText, query: checkText, createdAt: checkTime });
    await save(omar, "At night");
    expect(await names(omar)).toEqual(["At night", "Waiting"]);
    expect(await names(sam)).toEqual([]);
    expect((await world.as(sam).delete(`${PATH}/${reply.body.view.id}`)).status).toBe(404);
    expect((await world.as(omar).delete(`${PATH}/${reply.body.view.id}`)).status).toBe(204);
    expect((await world.as(omar).delete(`${PATH}/${reply.body.view.id}`)).status).toBe(404);
    expect(await names(omar)).toEqual(["At night"]);
  });

  test("hold the filters and the order of a list in a canonical form, and nothing else", async () => {
    const query =
      "?page=3&sort=title&limit=50&status=submitted%2Cclosed&density=compact&search=a+b&status=closed";
    const { body } = await save(omar, "Everything", query);
    expect(body.view.query).toBe("status=submitted%2Cclosed&search=a+b&sort=title");
  });

  test("are replaced by name", async () => {
    const first = await save(omar, "Mine", "assigned=me");
    const second = await save(omar, " Mine ", "assigned=unassigned");
    expect(second.body.view).toMatchObject({ id: first.body.view.id, query: "assigned=unassigned" });
    expect(await heed.rows("saved_views")).toBe(1);
  });

  test("are thirty at most, however many come at once", async () => {
    for (let n = 0; n < 27; n += 1) await save(omar, `View ${n}`);
    const replies = await Promise.all(Array.from({ length: 8 }, (_, n) => save(omar, `Late ${n}`)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 409, 409, 409, 409, 409]);
    expect((await save(omar, "View 3", "assigned=me")).status).toBe(201);
    expect((await save(sam, "Another person's")).status).toBe(201);
  });

  test.each([
    ["x".repeat(61), ""],
    ["A name", "x".repeat(2001)],
  ])("refuse the name %j with the query %j", async (name, query) => {
    const reply = await world.as(omar).post(PATH, { name, query });
    expect([reply.status, reply.body.code]).toEqual([400, "VALIDATION_ERROR"]);
  });
});
