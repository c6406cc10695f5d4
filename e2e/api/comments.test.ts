import { describe, expect, test } from "vitest";
import type { RequestOptions } from "#e2e/support/client.ts";
import { summarizeResponse } from "#e2e/support/concurrent-requests.ts";
import { shareService } from "#e2e/support/service.ts";
import {
  checkExactly,
  expectShape,
  checkList,
  checkNullable,
  PAGINATION,
  checkRecord,
  checkText,
  checkTime,
  checkUuid,
  checkBoolean,
} from "#e2e/support/shapes.ts";
import { listTablesWith } from "#e2e/support/tables-with.ts";
import { TestWorld, type TestPerson, type ReportRecord } from "#e2e/support/world.ts";

/**
 * The conversation around an incident (contract 8.1). What is refused is in lib/conversations/comment-schema.test.ts, what
 * the history has of it in history.test.ts.
 */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, maya, omar, sam } = world;

const ABSENT = "0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a";

const PERSON = checkRecord({ id: checkUuid, name: checkText });
const COMMON = {
  id: checkUuid,
  incidentId: checkUuid,
  author: checkNullable(PERSON),
  body: checkText,
  html: checkText,
  edited: checkBoolean,
  createdAt: checkTime,
  updatedAt: checkTime,
};
const NOTE = checkRecord({ ...COMMON, visibility: checkExactly("internal"), mentions: checkList(PERSON) });
const MESSAGE = checkRecord({
  ...COMMON,
  visibility: checkExactly("public"),
  outcome: checkBoolean,
  fromMailbox: checkBoolean,
});

const at = (report: ReportRecord, rest = "") =>
  `/api/events/slug/${event.slug}/incidents/${report.id}/comments${rest}`;
const write = (person: TestPerson, report: ReportRecord, body: Record<string, unknown>) =>
  world.as(person).post(at(report), body);
async function written(person: TestPerson, report: ReportRecord, body: Record<string, unknown>) {
  const reply = await write(person, report, body);
  expect(reply.status, reply.text).toBe(201);
  return reply.body.comment;
}
const note = (person: TestPerson, report: ReportRecord, body: string, more = {}) =>
  written(person, report, { body, visibility: "internal", ...more });
const message = (person: TestPerson, report: ReportRecord, body: string) =>
  written(person, report, { body, visibility: "public" });
const list = async (person: TestPerson, report: ReportRecord, query = "") =>
  (await world.as(person).get(at(report, query))).body;
const edit = (
  person: TestPerson,
  report: ReportRecord,
  id: string,
  body: Record<string, unknown>,
  ask: RequestOptions = {},
) => world.as(person).patch(at(report, `/${id}`), body, ask);
const remove = (person: TestPerson, report: ReportRecord, id: string, ask: RequestOptions = {}) =>
  world.as(person).delete(at(report, `/${id}`), undefined, ask);
const bodies = (comments: { body: string }[]) => comments.map(({ body }) => body);

describe("writing", () => {
  test("is a note of the team unless its member says otherwise, and a message for the reporter", async () => {
    const report = await world.report(maya, event);
    const internal = await written(omar, report, { body: "  We **should** ask her.\n18.\n2.  " });
    NOTE(internal, "note");
    expect(internal).toMatchObject({
      incidentId: report.id,
      author: { id: omar.id, name: omar.name },
      body: "We **should** ask her.\n18.\n2.",
      html: "<p>We **should** ask her.<br>18.<br>2.</p>",
      visibility: "internal",
      edited: false,
      mentions: [],
    });
    expect(internal.updatedAt).toBe(internal.createdAt);
    const open = await written(omar, report, { body: "Thank you.", visibility: "public" });
    MESSAGE(open, "message");
    const answer = await written(maya, report, { body: "I am well." });
    MESSAGE(answer, "message of the reporter");
    expect(answer).toMatchObject({ author: { id: maya.id, name: maya.name }, visibility: "public" });
    // A Responder who reported the incident still counts as team.
    const own = await world.report(omar, event);
    expect((await written(omar, own, { body: "Mine." })).visibility).toBe("internal");
  });

  test("leaves an audit entry without its text", async () => {
    const report = await world.report(maya, event);
    const made = [
      await note(omar, report, "Kept in the note."),
      await message(maya, report, "Kept in the message."),
    ];
    const audited = await heed.sql(
      "select action, actor_id, by_right, object_type, data from audit_entries where object_id = any($1::uuid[]) order by seq",
      [made.map(({ id }) => id)],
    );
    const data = { incidentId: report.id };
    expect(audited).toEqual([
      { action: "note.create", actor_id: omar.id, by_right: "event:Responder", object_type: "note", data },
      {
        action: "message.create",
        actor_id: maya.id,
        by_right: "event:Reporter(own)",
        object_type: "message",
        data,
      },
    ]);
  });

  test("a note is not for a reporter: 403, and nothing is stored", async () => {
    const report = await world.report(maya, event);
    const reply = await write(maya, report, { body: "Just for you.", visibility: "internal" });
    expect([reply.status, reply.body.code]).toEqual([403, "FORBIDDEN"]);
    expect(await heed.rows("team_notes", "incident_id = $1", [report.id])).toBe(0);
    expect(await heed.rows("messages", "conversation_id = $1", [report.id])).toBe(0);
  });
});

describe("the list", () => {
  test("holds notes and messages for the team, oldest first, and messages alone for the reporter", async () => {
    const report = await world.report(maya, event);
    await message(maya, report, "one");
    await note(omar, report, "two");
    await message(omar, report, "three");
    await note(ada, report, "four");
    const whole = await list(omar, report);
    expectShape(whole, {
      comments: checkList((one, path) => ((one as any).mentions ? NOTE : MESSAGE)(one, path)),
      pagination: PAGINATION,
    });
    expect(bodies(whole.comments)).toEqual(["one", "two", "three", "four"]);
    expect(whole.pagination).toEqual({ page: 1, limit: 50, total: 4, totalPages: 1 });
    const own = await list(maya, report);
    expectShape(own, { comments: checkList(MESSAGE), pagination: PAGINATION });
    expect(bodies(own.comments)).toEqual(["one", "three"]);
    expect(own.pagination).toEqual({ page: 1, limit: 50, total: 2, totalPages: 1 });
    expect(own.comments[1].author).toEqual({ id: omar.id, name: omar.name });
  });

  test("comes page by page and by kind, with counts of what may be seen only; a reporter can't request notes", async () => {
    const report = await world.report(maya, event);
    for (const number of [1, 2, 3]) {
      await note(omar, report, `note ${number}`);
      await message(omar, report, `message ${number}`);
    }
    const second = await list(omar, report, "?page=2&limit=4");
    expect(bodies(second.comments)).toEqual(["note 3", "message 3"]);
    expect(second.pagination).toEqual({ page: 2, limit: 4, total: 6, totalPages: 2 });
    const own = await list(maya, report, "?page=2&limit=2");
    expect(bodies(own.comments)).toEqual(["message 3"]);
    expect(own.pagination).toEqual({ page: 2, limit: 2, total: 3, totalPages: 2 });
    const notes = await list(omar, report, "?visibility=internal&limit=2");
    expect([bodies(notes.comments), notes.pagination.total]).toEqual([["note 1", "note 2"], 3]);
    for (const person of [omar, maya])
      expect(bodies((await list(person, report, "?visibility=public&limit=1")).comments)).toEqual([
        "message 1",
      ]);
    expect((await list(maya, report, "?page=9")).pagination.total).toBe(3);
    for (const [query, refusal] of [
      ["?visibility=internal", [403, "FORBIDDEN"]],
      ["?visibility=all", [400, "VALIDATION_ERROR"]],
    ] as const)
      expect(summarizeResponse(await world.as(maya).get(at(report, query)))).toEqual(refusal);
  });

  test("keeps the comments of a deleted account without its name", async () => {
    const report = await world.report(maya, event);
    const leaver = await world.person("Somebody Leaving", { events: [[event, "Responder"]] });
    await note(leaver, report, "stays");
    await message(leaver, report, "stays, too");
    await heed.sql("delete from users where id = $1", [leaver.id]);
    expect((await list(omar, report)).comments).toMatchObject([{ author: null }, { author: null }]);
    expect((await list(maya, report)).comments).toMatchObject([{ author: null, body: "stays, too" }]);
  });
});

describe("editing", () => {
  test("is for the author, keeps what it said, and says that it was edited", async () => {
    const report = await world.report(maya, event);
    for (const [made, author] of [
      [await note(omar, report, "first"), omar],
      [await message(maya, report, "first"), maya],
    ] as const) {
      const reply = await edit(author, report, made.id, { body: "second" });
      expect(reply.status, reply.text).toBe(200);
      (made.visibility === "internal" ? NOTE : MESSAGE)(reply.body.comment, "comment");
      expect(reply.body.comment).toMatchObject({
        id: made.id,
        body: "second",
        edited: true,
        createdAt: made.createdAt,
      });
      expect(reply.body.comment.updatedAt > made.updatedAt).toBe(true);
      await edit(author, report, made.id, { body: "third" });
      const { body } = await world.as(author).get(at(report, `/${made.id}/revisions`));
      const REVISION = checkRecord({
        id: checkUuid,
        body: checkText,
        html: checkText,
        replacedAt: checkTime,
      });
      expectShape(body, { revisions: checkList(REVISION), pagination: PAGINATION });
      expect(bodies(body.revisions)).toEqual(["first", "second"]);
      expect(body.revisions[0].html).toBe("<p>first</p>");
      expect(body.pagination.total).toBe(2);
    }
    expect(
      await heed.rows("audit_entries", "data->>'incidentId' = $1 and action like '%.edit'", [report.id]),
    ).toBe(4);
  });

  test("is for nobody else: neither the team, nor an Admin, nor the reporter", async () => {
    const report = await world.report(maya, event);
    const remaining = await note(omar, report, "of omar");
    const sent = await message(omar, report, "of omar");
    const answer = await message(maya, report, "of maya");
    for (const [person, id] of [
      [ada, remaining.id],
      [sam, remaining.id],
      [ada, sent.id],
      [maya, sent.id],
      [omar, answer.id],
    ] as const) {
      const reply = await edit(person, report, id, { body: "of somebody else" });
      expect([reply.status, reply.body.code]).toEqual([403, "FORBIDDEN"]);
    }
    expect(bodies((await list(omar, report)).comments)).toEqual(["of omar", "of omar", "of maya"]);
  });

  test("with the same text changes nothing", async () => {
    const report = await world.report(maya, event);
    for (const made of [await note(omar, report, "same"), await message(omar, report, "same")]) {
      const reply = await edit(omar, report, made.id, { body: " same " });
      expect([reply.status, reply.body.comment]).toEqual([200, made]);
    }
    expect(
      await heed.rows("incident_history", "incident_id = $1 and action like '%.edited'", [report.id]),
    ).toBe(0);
  });

  test("of a changed comment is 409 with the If-Match of an earlier version", async () => {
    const report = await world.report(maya, event);
    for (const made of [await note(omar, report, "first"), await message(omar, report, "first")]) {
      const seen = { headers: { "if-match": `"${made.updatedAt}"` } };
      expect((await edit(omar, report, made.id, { body: "second" }, seen)).status).toBe(200);
      const stale = await edit(omar, report, made.id, { body: "third" }, seen);
      expect([stale.status, stale.body.code]).toEqual([409, "CONFLICT"]);
      const gone = await remove(omar, report, made.id, seen);
      expect([gone.status, gone.body.code]).toEqual([409, "CONFLICT"]);
    }
    expect(bodies((await list(omar, report)).comments)).toEqual(["second", "second"]);
  });

  test("can't turn a note into a message, or a message into a note", async () => {
    const report = await world.report(maya, event);
    const remaining = await note(omar, report, "inside");
    const sent = await message(omar, report, "outside");
    for (const [id, visibility] of [
      [remaining.id, "public"],
      [sent.id, "internal"],
    ]) {
      const reply = await edit(omar, report, id, { body: "other", visibility });
      expect([reply.status, reply.body.details]).toEqual([
        400,
        "visibility: can't be changed; delete the comment and write it again",
      ]);
    }
    expect((await edit(omar, report, remaining.id, { body: "other", visibility: "internal" })).status).toBe(
      200,
    );
  });

  test("ten at once leave ten revisions, each with the text before it", async () => {
    const report = await world.report(maya, event);
    const { id } = await message(maya, report, "text 0");
    const client = world.as(maya);
    const texts = Array.from({ length: 10 }, (_, index) => `text ${index + 1}`);
    const replies = await Promise.all(texts.map((body) => client.patch(at(report, `/${id}`), { body })));
    expect(replies.map(({ status }) => status)).toEqual(texts.map(() => 200));
    const { revisions } = (await client.get(at(report, `/${id}/revisions`))).body;
    const [last] = (await list(maya, report)).comments;
    expect([...bodies(revisions), last.body].toSorted()).toEqual(["text 0", ...texts].toSorted());
    expect(new Set(revisions.map(({ replacedAt }: any) => replacedAt)).size).toBe(10);
  });
});

describe("revisions", () => {
  test("of a message are for the team and its author; of a note for the team", async () => {
    const report = await world.report(maya, event);
    const mine = await message(maya, report, "mine, first");
    await edit(maya, report, mine.id, { body: "mine" });
    const theirs = await message(omar, report, "theirs, first");
    await edit(omar, report, theirs.id, { body: "theirs" });
    const remaining = await note(omar, report, "kept, first");
    await edit(omar, report, remaining.id, { body: "kept" });
    const ask = async (person: TestPerson, id: string) => {
      const { status, body } = await world.as(person).get(at(report, `/${id}/revisions`));
      return body.revisions ? bodies(body.revisions) : status;
    };
    for (const person of [omar, ada, sam]) {
      expect(await ask(person, mine.id)).toEqual(["mine, first"]);
      expect(await ask(person, remaining.id)).toEqual(["kept, first"]);
    }
    expect(await ask(maya, mine.id)).toEqual(["mine, first"]);
    expect(await ask(maya, theirs.id)).toBe(403);
    expect(await ask(maya, remaining.id)).toBe(404);
  });
});

describe("a note, for its reporter", () => {
  test("gets the same response as a comment that never existed", async () => {
    const report = await world.report(maya, event);
    const { id } = await note(omar, report, "not for maya");
    for (const [method, rest, body] of [
      ["PATCH", "", { body: "x" }],
      ["DELETE", "", undefined],
      ["GET", "/revisions", undefined],
    ] as const) {
      const hidden = await world.as(maya).send(method, at(report, `/${id}${rest}`), body);
      const absent = await world.as(maya).send(method, at(report, `/${ABSENT}${rest}`), body);
      expect([hidden.status, hidden.body]).toEqual([404, absent.body]);
    }
    expect((await list(omar, report)).pagination.total).toBe(1);
  });

  test("isn't found after the role is lost, not even by its author", async () => {
    const person = await world.person("Former Responder", { events: [[event, "Responder"]] });
    const report = await world.report(person, event);
    const { id } = await note(person, report, "as a Responder");
    await world.revoke(person, event);
    await world.grant(person, event, "Reporter");
    expect((await edit(person, report, id, { body: "as a Reporter" })).status).toBe(404);
    expect((await list(person, report)).comments).toEqual([]);
  });
});

describe("removing", () => {
  test("deletes the text and its revisions", async () => {
    const report = await world.report(maya, event);
    for (const made of [
      await note(omar, report, "planted-word first"),
      await message(omar, report, "planted-word first"),
    ]) {
      await edit(omar, report, made.id, { body: "planted-word second" });
      const kind = made.visibility === "internal" ? "team_note" : "message";
      expect(await listTablesWith(heed, "planted-word")).toContain(`public.${kind}_revisions`);
      const reply = await remove(omar, report, made.id);
      expect([reply.status, reply.text]).toEqual([204, ""]);
      expect((await remove(omar, report, made.id)).status).toBe(404);
    }
    expect((await list(omar, report)).comments).toEqual([]);
    expect(await listTablesWith(heed, "planted-word")).toEqual([]);
  });

  test("of other people's comments is for Admins, of their own message for a reporter", async () => {
    const report = await world.report(maya, event);
    const made = [
      await note(omar, report, "note"),
      await message(omar, report, "message"),
      await message(maya, report, "hers"),
    ];
    const other = await world.person("Other Responder", { events: [[event, "Responder"]] });
    for (const { id } of made) expect((await remove(other, report, id)).status).toBe(403);
    expect((await remove(maya, report, made[1].id)).status).toBe(403);
    expect((await remove(maya, report, (await message(maya, report, "hers")).id)).status).toBe(204);
    expect((await remove(ada, report, made[0].id)).status).toBe(204);
    expect((await remove(sam, report, made[1].id)).status).toBe(204);
    expect((await remove(ada, report, made[2].id)).status).toBe(204);
    const rights = await heed.sql(
      "select by_right from audit_entries where object_id = any($1::uuid[]) and action like '%.delete' order by seq",
      [made.map(({ id }) => id)],
    );
    expect(rights.map(({ by_right }) => by_right)).toEqual(["event:Admin", "SystemAdmin", "event:Admin"]);
  });
});

describe("mentions", () => {
  test("are the ids that are given, and full names behind an @", async () => {
    const report = await world.report(maya, event);
    const byId = await note(omar, report, "Have a look.", { mentions: [ada.id.toUpperCase(), ada.id] });
    expect(byId.mentions).toEqual([{ id: ada.id, name: ada.name }]);
    const byName = await note(
      ada,
      report,
      `@${omar.name.toLowerCase()}, what do you think? @Maya Castillo is fine.`,
    );
    expect(byName.mentions).toEqual([{ id: omar.id, name: omar.name }]);
    expect((await list(ada, report)).comments.map(({ mentions }: any) => mentions)).toEqual([
      byId.mentions,
      byName.mentions,
    ]);
    const byWideSign = await note(ada, report, `＠${omar.name} as well.`);
    expect(byWideSign.mentions).toEqual([{ id: omar.id, name: omar.name }]);
  });

  test("are people of this event's team: anybody else is refused, and the field is named", async () => {
    const report = await world.report(maya, event);
    for (const person of [maya, world.ines, world.nora, world.olga, sam]) {
      const reply = await write(omar, report, { body: "Have a look.", mentions: [ada.id, person.id] });
      expect([reply.status, reply.body.code]).toEqual([400, "VALIDATION_ERROR"]);
      expect(reply.body.details).toBe("mentions: must be people on this event's response team");
    }
    expect((await list(omar, report)).comments).toEqual([]);
  });

  test("are not for messages", async () => {
    const report = await world.report(maya, event);
    for (const person of [omar, maya]) {
      const reply = await write(person, report, { body: "x", visibility: "public", mentions: [ada.id] });
      expect([reply.status, reply.body.details]).toEqual([400, "mentions: are only for team notes"]);
    }
    const sent = await message(omar, report, `@${ada.name} will write to you.`);
    expect(await heed.rows("team_note_mentions", "note_id = $1", [sent.id])).toBe(0);
  });

  test("are kept by an edit without mentions, and replaced by one with mentions", async () => {
    const report = await world.report(maya, event);
    const { id } = await note(omar, report, "Have a look.", { mentions: [ada.id] });
    const mentioned = async (body: Record<string, unknown>) =>
      (await edit(omar, report, id, body)).body.comment.mentions.map((person: TestPerson) => person.id);
    expect(await mentioned({ body: "Have another look." })).toEqual([ada.id]);
    expect(await mentioned({ body: `Have another look, @${omar.name}.` })).toEqual([ada.id, omar.id]);
    expect(await mentioned({ body: "Never mind.", mentions: [] })).toEqual([]);
    expect(await mentioned({ body: "Never mind.", mentions: [omar.id] })).toEqual([omar.id]);
    const { revisions } = (await world.as(omar).get(at(report, `/${id}/revisions`))).body;
    expect(revisions.length).toBe(3);
  });

  test("of a former member are kept, and can't be added again", async () => {
    const report = await world.report(maya, event);
    const leaver = await world.person("Leaving Member", { events: [[event, "Responder"]] });
    const { id } = await note(omar, report, "Have a look.", { mentions: [leaver.id] });
    await world.revoke(leaver, event);
    expect(
      (await edit(omar, report, id, { body: "Have a look, please." })).body.comment.mentions,
    ).toHaveLength(1);
    expect((await edit(omar, report, id, { body: "x", mentions: [leaver.id] })).status).toBe(400);
  });
});
