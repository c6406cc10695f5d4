import { describe, expect, test } from "vitest";
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
import { TestWorld, type TestPerson, type ReportRecord } from "#e2e/support/world.ts";

/** One history per incident (contract 8.2). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, maya, omar, rita } = world;

const ENTRY = checkRecord({
  id: checkUuid,
  kind: checkExactly("changes", "messages", "notes", "files"),
  action: checkText,
  from: checkNullable(checkText),
  to: checkNullable(checkText),
  actor: checkNullable(checkRecord({ id: checkUuid, name: checkText })),
  note: checkNullable(checkText),
  comment: checkNullable(
    checkRecord({
      id: checkNullable(checkUuid),
      visibility: checkExactly("internal", "public"),
      body: checkNullable(checkText),
      html: checkNullable(checkText),
      removed: checkBoolean,
      outcome: checkBoolean,
      fromMailbox: checkBoolean,
      edited: checkBoolean,
      updatedAt: checkNullable(checkTime),
    }),
  ),
  file: checkNullable(checkRecord({ id: checkUuid, removed: checkBoolean })),
  createdAt: checkTime,
});

type Shown = Record<string, any>;

const at = (report: ReportRecord, rest: string) =>
  `/api/events/slug/${event.slug}/incidents/${report.id}${rest && `/${rest}`}`;
const history = async (person: TestPerson, report: ReportRecord, query = ""): Promise<Shown[]> => {
  const reply = await world.as(person).get(at(report, `history${query}`));
  expect(reply.status, reply.text).toBe(200);
  expectShape(reply.body, { history: checkList(ENTRY), pagination: PAGINATION });
  return reply.body.history;
};
const write = async (
  person: TestPerson,
  report: ReportRecord,
  visibility: string,
  body: string,
): Promise<string> =>
  (await world.as(person).post(at(report, "comments"), { body, visibility })).body.comment.id;
const edit = (person: TestPerson, report: ReportRecord, id: string, body: string) =>
  world.as(person).patch(at(report, `comments/${id}`), { body });
const remove = (person: TestPerson, report: ReportRecord, id: string) =>
  world.as(person).delete(at(report, `comments/${id}`));
const actions = (entries: Shown[]) => entries.map(({ action }) => action);
const named = (person: TestPerson) => ({ id: person.id, name: person.name });

/** As the upload of a file leaves it: the row, and the entry that tells of it. */
async function file(
  report: ReportRecord,
  by: TestPerson,
  name: string,
  more = { visible: true },
): Promise<string> {
  const [row] = await heed.sql<{ id: string }>(
    `with f as (
       insert into related_files (incident_id, event_id, filename, mimetype, size, sha256, storage_key, visible_to_reporter, uploaded_by_id)
       values ($1, $2, $3, 'text/plain', 1, '', gen_random_uuid()::text, $4, $5) returning id)
     insert into incident_history (incident_id, event_id, actor_id, action, to_value, object_id)
     select $1, $2, $5, 'file.added', $3, id from f returning object_id as id`,
    [report.id, event.id, name, more.visible, by.id],
  );
  return row?.id ?? "";
}

async function removeFile(report: ReportRecord, by: TestPerson, id: string): Promise<void> {
  await heed.sql(
    `with f as (delete from related_files where id = $3 returning filename)
     insert into incident_history (incident_id, event_id, actor_id, action, to_value, object_id)
     select $1, $2, $4, 'file.deleted', filename, $3 from f`,
    [report.id, event.id, id, by.id],
  );
}

describe("the history, for the team", () => {
  test("has moves, assignments and changes with old and new value", async () => {
    const report = await world.report(maya, event);
    await world.move(report, "investigating", { notes: "Omar looks into it." });
    await world.as(omar).patch(at(report, ""), { severity: "high" });
    await world.as(ada).patch(at(report, "title"), { title: "Another title for it" });
    const entries = await history(omar, report);
    const [submitted, ...changes] = entries;
    expect(submitted).toMatchObject({ kind: "changes", action: "submitted", actor: named(maya) });
    // What happened in one move has one time, and no order within it.
    expect(
      changes
        .slice(0, 3)
        .map(({ action, from, to }) => [action, from, to])
        .toSorted(),
    ).toEqual([
      ["assignee", null, omar.name],
      ["note", null, null],
      ["state", "submitted", "investigating"],
    ]);
    expect(changes.slice(3)).toMatchObject([
      { action: "severity", from: null, to: "high", actor: named(omar), comment: null, file: null },
      { action: "title", from: report.title, to: "Another title for it", actor: named(ada) },
    ]);
    const note = changes.find(({ action }) => action === "note");
    expect(note).toMatchObject({
      kind: "notes",
      note: "Omar looks into it.",
      comment: {
        visibility: "internal",
        body: "Omar looks into it.",
        html: "<p>Omar looks into it.</p>",
        removed: false,
        edited: false,
      },
    });
    const { comments } = (await world.as(omar).get(at(report, "comments"))).body;
    expect(note?.comment.id).toBe(comments[0].id);
    expect(note?.comment.updatedAt).toBe(comments[0].updatedAt);
  });

  test("has notes and messages with their current text, and each edit with its change", async () => {
    const report = await world.report(maya, event);
    for (const [kind, visibility] of [
      ["notes", "internal"],
      ["messages", "public"],
    ] as const) {
      const id = await write(omar, report, visibility, "first");
      await edit(omar, report, id, "second");
      await edit(omar, report, id, "third");
      const entries = await history(ada, report, `?kind=${kind}`);
      expect(entries.map(({ action, from, to }) => [action.split(".")[1] ?? "", from, to])).toEqual([
        ["", null, null],
        ["edited", "first", "second"],
        ["edited", "second", "third"],
      ]);
      for (const { comment, actor } of entries) {
        expect(comment).toEqual({
          id,
          visibility,
          body: "third",
          html: "<p>third</p>",
          removed: false,
          outcome: false,
          fromMailbox: false,
          edited: true,
          updatedAt: expect.any(String),
        });
        expect(actor).toEqual(named(omar));
      }
      expect(entries[0]?.note).toBe(kind === "notes" ? "third" : null);
    }
  });

  test("says that and by whom a comment was removed, without its text", async () => {
    const report = await world.report(maya, event);
    const moved = await world.move(report, "acknowledged", { notes: "removed-word of a move" });
    const [{ id: noteOfMove }] = (await world.as(omar).get(at(moved, "comments"))).body.comments;
    const note = await write(omar, report, "internal", "removed-word one");
    await edit(omar, report, note, "removed-word two");
    const message = await write(maya, report, "public", "removed-word three");
    for (const id of [noteOfMove, note, message]) expect((await remove(ada, report, id)).status).toBe(204);
    const entries = await history(omar, report);
    expect(JSON.stringify(entries)).not.toContain("removed-word");
    const noteEntries = entries.filter(({ kind }) => kind !== "changes");
    expect(noteEntries.map(({ action, comment }) => [action, comment.removed, comment.body])).toEqual(
      ["note", "note", "note.edited", "message", "note.deleted", "note.deleted", "message.deleted"].map(
        (action) => [action, true, null],
      ),
    );
    expect(noteEntries.slice(4).map(({ actor }) => actor)).toEqual([named(ada), named(ada), named(ada)]);
    expect(noteEntries.slice(4).map(({ comment }) => comment.id)).toEqual([noteOfMove, note, message]);
  });

  test("has files, also those that are gone", async () => {
    const report = await world.report(maya, event);
    const remaining = await file(report, omar, "plan.txt");
    const gone = await file(report, maya, "letter.txt");
    await removeFile(report, ada, gone);
    expect(await history(omar, report, "?kind=files")).toMatchObject([
      {
        kind: "files",
        action: "file.added",
        to: "plan.txt",
        file: { id: remaining, removed: false },
        comment: null,
      },
      { kind: "files", action: "file.added", to: "letter.txt", file: { id: gone, removed: true } },
      {
        kind: "files",
        action: "file.deleted",
        to: "letter.txt",
        file: { id: gone, removed: true },
        actor: named(ada),
      },
    ]);
  });

  test("can be filtered by kind, has pages, and both orders", async () => {
    const report = await world.report(maya, event);
    await world.as(omar).patch(at(report, ""), { severity: "low" });
    for (const body of ["one", "two", "three"]) await write(omar, report, "internal", body);
    await write(maya, report, "public", "four");
    const whole = await history(omar, report);
    expect(actions(whole)).toEqual(["submitted", "severity", "note", "note", "note", "message"]);
    expect(await history(omar, report, "?kind=all&limit=1000")).toEqual(whole);
    expect(actions(await history(omar, report, "?kind=changes"))).toEqual(["submitted", "severity"]);
    expect(await history(omar, report, "?page=2&limit=4")).toEqual(whole.slice(4));
    expect(await history(omar, report, "?order=desc&limit=2")).toEqual(whole.toReversed().slice(0, 2));
    const { body } = await world.as(omar).get(at(report, "history?kind=notes&limit=2&page=7"));
    expect(body).toEqual({ history: [], pagination: { page: 7, limit: 2, total: 3, totalPages: 2 } });
    expect((await world.as(omar).get(at(report, "history?kind=x"))).status).toBe(400);
  });
});

describe("the history, for the reporter", () => {
  test("has states, messages and own files; of the team only who wrote a message", async () => {
    const report = await world.report(maya, event);
    const states = await world.move(report, "investigating", { notes: "hidden-word of the move" });
    await world.move(states, "resolved");
    await world.as(omar).patch(at(report, "reopen"), { notes: "hidden-word of reopening" });
    await world.as(omar).patch(at(report, ""), { severity: "high", assignedResponderId: ada.id });
    await write(omar, report, "internal", "hidden-word");
    const theirs = await write(omar, report, "public", "What we said, hidden-word.");
    await edit(omar, report, theirs, "What we say.");
    const mine = await write(maya, report, "public", "What I said.");
    await edit(maya, report, mine, "What I say.");
    const own = await file(report, maya, "mine.txt");
    await file(report, omar, "hidden-word.txt", { visible: false });
    await file(report, omar, "shared-by-the-team.txt");
    const entries = await history(maya, report);
    expect(JSON.stringify(entries)).not.toMatch(/hidden-word|shared-by-the-team/);
    expect(entries.map(({ action, from, to, actor }) => [action, from, to, actor])).toEqual([
      ["submitted", null, "submitted", null],
      ["state", "submitted", "investigating", null],
      ["state", "investigating", "resolved", null],
      ["reopen", "resolved", "acknowledged", null],
      ["message", null, null, named(omar)],
      ["message.edited", null, null, named(omar)],
      ["message", null, null, named(maya)],
      ["message.edited", "What I said.", "What I say.", named(maya)],
      ["file.added", null, "mine.txt", named(maya)],
    ]);
    expect(entries[4]?.comment).toMatchObject({ id: theirs, visibility: "public", body: "What we say." });
    expect(entries[8]?.file).toEqual({ id: own, removed: false });
    for (const { note } of entries) expect(note).toBeNull();
    expect(JSON.stringify(await history(omar, report))).toMatch(/hidden-word.*shared-by-the-team/s);
  });

  test("says that a message or a file was removed, and by whom only if it was the reporter", async () => {
    const report = await world.report(maya, event);
    const byAda = await write(omar, report, "public", "removed by ada");
    const byMaya = await write(maya, report, "public", "removed by maya");
    await remove(ada, report, byAda);
    await remove(maya, report, byMaya);
    const lost = await file(report, maya, "mine.txt");
    await removeFile(report, ada, lost);
    const entries = await history(maya, report);
    expect(entries.slice(3).map(({ action, actor }) => [action, actor])).toEqual([
      ["message.deleted", null],
      ["message.deleted", named(maya)],
      ["file.added", named(maya)],
      ["file.deleted", null],
    ]);
    expect(JSON.stringify(entries)).not.toContain(ada.name);
    expect(JSON.stringify(entries)).not.toContain("removed by");
  });

  test("counts what it shows, and has no notes to ask for", async () => {
    const report = await world.report(maya, event);
    await write(omar, report, "internal", "inside");
    await write(omar, report, "public", "outside");
    const { pagination } = (await world.as(maya).get(at(report, "history?limit=1"))).body;
    expect(pagination).toEqual({ page: 1, limit: 1, total: 2, totalPages: 2 });
    const refused = await world.as(maya).get(at(report, "history?kind=notes"));
    expect([refused.status, refused.body.code]).toEqual([403, "FORBIDDEN"]);
    expect((await world.as(rita).get(at(report, "history"))).status).toBe(404);
  });
});
