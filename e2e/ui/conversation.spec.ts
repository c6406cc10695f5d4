import type { Page } from "@playwright/test";
import { buildForm, createPhoto } from "#e2e/support/evidence.ts";
import type { TestPerson, ReportRecord, TestWorld } from "#e2e/support/world.ts";
import {
  checkEach,
  expect,
  expectNoSidewaysScroll,
  expectStructureAccessible,
  expectUsableAtEachSize,
  expectUsableOnPhone,
  LAPTOP,
  PHONE,
  test,
} from "./support/test.ts";
import { readHtml } from "./support/opened.ts";

/** What is said around a report, its files, and who has looked: for the team and for whoever reported. */

const pageOf = ({ event }: TestWorld, { id }: ReportRecord) => `/e/${event.slug}/i/${id}`;
const apiOf = ({ event }: TestWorld, { id }: ReportRecord) => `/api/events/${event.id}/incidents/${id}`;
const talkOf = (page: Page) => page.locator("section").filter({ has: page.locator("#timeline") });
const saidIn = (page: Page) => talkOf(page).getByRole("article");
const filesOf = (page: Page) => page.locator("section").filter({ has: page.locator("#files") });

const LONG_MESSAGE = `It began at the door. ${"And then it went on. ".repeat(200)}It ended there.`;

async function said(world: TestWorld, report: ReportRecord) {
  const { body } = await world.as(world.omar).get(`${apiOf(world, report)}/comments`);
  return body.comments.map((one: Record<string, unknown>) => [one.visibility, one.body]);
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with script" : "without script", () => {
    test.use({ javaScriptEnabled });

    test("the reporter replies, edits and deletes their own message, and sees no team notes", async ({
      page,
      signIn,
      world,
    }) => {
      const report = await world.report(world.maya, world.event);
      const comments = `${apiOf(world, report)}/comments`;
      await world.as(world.omar).post(comments, { visibility: "public", body: "Where were you?" });
      await world.as(world.omar).post(comments, { visibility: "internal", body: "LANTERN among ourselves" });
      await signIn(world.maya);
      await page.goto(pageOf(world, report));
      const talk = talkOf(page);
      const own = saidIn(page).nth(1);
      await expect(saidIn(page)).toHaveCount(1);
      await expect(page.getByRole("form", { name: "Team note" })).toHaveCount(0);
      expect(await page.content()).not.toContain("LANTERN");
      await test.step("an empty message is refused at its field", async () => {
        await page.getByRole("button", { name: "Send to the team" }).click();
        await expect(page.getByRole("alert").first()).toContainText("Write something first.");
      });
      await test.step("a reply is sent", async () => {
        const composer = page.getByRole("form", { name: "Message to the team" });
        await composer.getByRole("textbox").fill("At the desk by the river.");
        await composer.getByRole("button", { name: "Send to the team" }).click();
        await expect(saidIn(page)).toContainText(["Where were you?", "At the desk"]);
        expect(await said(world, report)).toContainEqual(["public", "At the desk by the river."]);
      });
      const edit = page.getByRole("form", { name: "Edit message" });
      await test.step("their own message is edited", async () => {
        await expect(talk.getByText("Edit…")).toHaveCount(1);
        await talk.getByText("Edit…").click();
        await edit.getByRole("textbox").fill("It was on Wednesday.");
        await edit.getByRole("button", { name: "Save message" }).click();
        await expect(own).toContainText("edited");
        await expect(own).toContainText("It was on Wednesday.");
      });
      await test.step("a stale edit keeps its text", async () => {
        const { body } = await world.as(world.maya).get(comments);
        const { id } = body.comments.at(-1);
        // Without script this loads the page, with the form.
        if (!javaScriptEnabled) await talk.getByText("Edit…").click();
        await world.as(world.maya).patch(`${comments}/${id}`, { body: "Second words." });
        if (javaScriptEnabled) await talk.getByText("Edit…").click();
        await edit.getByRole("textbox").fill("Words of a stale screen.");
        await edit.getByRole("button", { name: "Save message" }).click();
        await expect(edit.getByRole("alert")).toContainText("changed this in the meantime");
        await expect(edit.getByRole("alert")).toContainText("Second words.");
        await expect(edit.getByRole("textbox")).toHaveValue("Words of a stale screen.");
        expect(await said(world, report)).toContainEqual(["public", "Second words."]);
        await edit.getByRole("button", { name: "Use my version" }).click();
        await expect(own).toContainText("Words of a stale screen.");
      });
      await test.step("their own message is deleted", async () => {
        await talk.getByText("Delete…").click();
        await page.getByRole("button", { name: "Delete message" }).click();
        await expect(saidIn(page)).toHaveCount(1);
        expect(await said(world, report)).toEqual([
          ["public", "Where were you?"],
          ["internal", "LANTERN among ourselves"],
        ]);
      });
    });

    test("a very long message is collapsed, and opens by keyboard", async ({ page, signIn, world }) => {
      const report = await world.report(world.maya, world.event);
      await world.as(world.maya).post(`${apiOf(world, report)}/comments`, { body: LONG_MESSAGE });
      await signIn(world.omar);
      await page.goto(pageOf(world, report));
      const message = saidIn(page).first();
      const [beginning, end] = [
        message.getByText("It began at the door."),
        message.getByText("It ended there."),
      ];
      await expect(beginning.filter({ visible: true })).toHaveCount(1);
      await expect(end).toBeHidden();
      await message.locator("summary").filter({ hasText: "Show full text" }).focus();
      await page.keyboard.press("Enter");
      await expect(end).toBeVisible();
      await expect(message.getByText("Show less")).toBeVisible();
      await expect(beginning.filter({ visible: true })).toHaveCount(1);
      if (!javaScriptEnabled) return;
      // More of the same text, in the same colors; the journey of the whole page has it collapsed.
      await expectStructureAccessible(page);
      for (const viewport of [LAPTOP, PHONE]) {
        await page.setViewportSize(viewport);
        await expectNoSidewaysScroll(page);
      }
    });

    test("a file is added later, described, shared and deleted", async ({ page, signIn, world }) => {
      const report = await world.report(world.maya, world.event);
      await signIn(world.ada);
      await page.goto(pageOf(world, report));
      const files = filesOf(page);
      await files.getByText("Add files").first().click();
      const adding = page.getByRole("form", { name: "Add files" });
      await adding.getByLabel("What they show").fill("The desk, as it was left");
      await adding.getByRole("button", { name: "Add files" }).click();
      await expect(adding.getByRole("alert")).toContainText("Choose a file first.");
      await expect(adding.getByLabel("What they show")).toHaveValue("The desk, as it was left");
      await adding
        .getByLabel("Photos, recordings, documents")
        .setInputFiles({ name: "desk.jpg", mimeType: "image/jpeg", buffer: await createPhoto() });
      await adding.getByRole("button", { name: "Add files" }).click();
      await expect(files.getByRole("link", { name: "desk.jpg", exact: true })).toBeVisible();
      await expect(files).toContainText("The desk, as it was left");
      await expect(files).toContainText(
        "This photo contained hidden data showing where, when, with which device and by whom it was taken. We removed it from the team’s copy.",
      );
      await expect(files).toContainText("Team only");
      await files.getByRole("button", { name: "Share with the reporter" }).click();
      await expect(files).toContainText("The reporter can see it");
      await files.getByText("Edit description…").click();
      const describing = page.getByRole("form", { name: "Describe desk.jpg" });
      await describing.getByLabel("Description").fill("The desk at noon");
      await describing.getByRole("button", { name: "Save description" }).click();
      await expect(files.getByText("The desk at noon", { exact: true })).toBeVisible();
      await files.getByText("Delete…").click();
      await page.getByRole("button", { name: "Delete file" }).click();
      await expect(files.getByRole("link", { name: "desk.jpg", exact: true })).toHaveCount(0);
    });

    test("an Admin opens an original, with a reason", async ({ page, signIn, world }) => {
      const report = await world.report(world.maya, world.event);
      const bytes = await createPhoto();
      await world
        .as(world.maya)
        .post(`${apiOf(world, report)}/related-files`, buildForm({}, { name: "river.jpg", bytes }));
      await signIn(world.omar);
      const ofResponder = await readHtml(page, pageOf(world, report));
      expect(ofResponder).toContain("river.jpg");
      expect(ofResponder).not.toContain("Open the original");
      await signIn(world.ada);
      expect(await readHtml(page, pageOf(world, report))).toContain("Open the original");
      await page.goto(pageOf(world, report));
      await filesOf(page).getByText("Open the original").click();
      const opening = page.getByRole("form", { name: "Open the original of river.jpg" });
      await opening.getByRole("button").click();
      await expect(opening.getByRole("alert")).toContainText("Say briefly why you need the original.");
      await opening.getByLabel("Why do you need it?").fill("The police asked for it.");
      const started = page.waitForEvent("download");
      await opening.getByRole("button").click();
      expect((await started).suggestedFilename()).toBe("river.jpg");
      const { body } = await world.as(world.ada).get(`${apiOf(world, report)}/access?kind=original`);
      expect(body.access).toMatchObject([{ actor: { id: world.ada.id } }]);
    });
  });
}

test("the team writes a message and a note, each in its own composer, and filters the history by kind, which is in the address", async ({
  page,
  signIn,
  world,
}) => {
  const report = await world.report(world.maya, world.event);
  await signIn(world.omar);
  await page.goto(pageOf(world, report));
  const message = page.getByRole("form", { name: "Message to reporter" });
  const note = page.getByRole("form", { name: "Team note" });
  await message.getByLabel("Message").fill("We have your report, and **two** of us read it.");
  await message.getByRole("button", { name: "Send to reporter" }).click();
  await expect(saidIn(page)).toContainText(["and **two** of us read it"]);
  await expect(message.getByLabel("Message")).toHaveValue("");
  {
    await expect(message.getByText(/^Press Ctrl \+ Enter to send/)).toBeVisible();
    await expect(note.getByText(/^Press Ctrl \+ Enter to save/)).toBeVisible();
  }
  await note.getByLabel("Note").fill("Ask the desk who was on shift.");
  await note.getByRole("button", { name: "Save note" }).click();
  await expect(saidIn(page)).toContainText(["Message to reporter", "Team note"]);
  expect(await said(world, report)).toEqual([
    ["public", "We have your report, and **two** of us read it."],
    ["internal", "Ask the desk who was on shift."],
  ]);

  await world.move(report, "acknowledged", { notes: "Talked on the phone" });
  const history = talkOf(page);
  await expect(history).toContainText("Report sent");
  await history.getByRole("link", { name: "Notes" }).click();
  await expect(page).toHaveURL(/kind=notes/);
  await expect(history).toContainText("Talked on the phone");
  await expect(history).not.toContainText("Report sent");
  await signIn(world.maya);
  await page.reload();
  await expect(history).toContainText("Report sent");
  await expect(history.getByRole("link", { name: "Notes" })).toHaveCount(0);
});

test("the page of a report and its access log can be used by the team and the reporter", async ({
  page,
  signIn,
  world,
}) => {
  const report = await world.report(world.maya, world.event);
  const say = async (person: TestPerson, comment: Record<string, unknown>) => {
    const { status } = await world.as(person).post(`${apiOf(world, report)}/comments`, comment);
    expect(status).toBe(201);
  };
  await say(world.maya, { body: LONG_MESSAGE });
  await say(world.maya, { body: "Words\n\n- with a list\n- and [a link](https://example.org)" });
  await say(world.omar, { visibility: "public", body: "> quoted\n\nAn answer" });
  await say(world.omar, { visibility: "internal", body: `@${world.ada.name} see \`this\`` });
  await world
    .as(world.maya)
    .post(
      `${apiOf(world, report)}/related-files`,
      buildForm({}, { name: "a.jpg", bytes: await createPhoto() }),
    );
  // Reporters have no access log: the same address shows them the same page.
  for (const [who, queries] of [
    ["ada", ["", "?kind=access"]],
    ["maya", [""]],
  ] as const) {
    await signIn(world[who]);
    const expectFits = who === "ada" ? expectUsableOnPhone : expectUsableAtEachSize;
    await checkEach(queries, async (query) => {
      await page.goto(`${pageOf(world, report)}${query}`);
      await expect(filesOf(page)).toContainText("a.jpg");
      if (query === "") await expect(page.getByText("Show full text").first()).toBeVisible();
      await expectFits(page);
    });
  }
});

/** Pages that are only read. */
test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("a reporter changes only their own files, and can remove them until the first response", async ({
    page,
    signIn,
    world,
  }) => {
    const report = await world.report(world.maya, world.event);
    const files = `${apiOf(world, report)}/related-files`;
    const note = (name: string) => ({ name, bytes: "words", type: "text/plain" });
    await world.as(world.maya).post(files, buildForm({}, note("mine.txt")));
    await world.as(world.omar).post(files, buildForm({ visibleToReporter: "true" }, note("theirs.txt")));
    await world.as(world.omar).post(files, buildForm({}, note("LANTERN.txt")));
    await signIn(world.maya);
    await page.goto(pageOf(world, report));
    expect(await page.content()).not.toContain("LANTERN");
    await expect(filesOf(page).getByRole("link", { name: /^(?!View)[^…]*$/ })).toHaveText([
      "mine.txt",
      "theirs.txt",
    ]);
    await expect(filesOf(page).getByText("Delete…")).toHaveCount(1);
    await expect(filesOf(page)).not.toContainText(world.omar.name);
    await world.move(report, "acknowledged");
    await page.reload();
    await expect(filesOf(page).getByText("Delete…")).toHaveCount(0);
    await expect(filesOf(page).getByText("Describe…")).toHaveCount(1);
  });

  test("readers are shown by name to the team, as a number and a day to the reporter", async ({
    page,
    signIn,
    world,
  }) => {
    const report = await world.report(world.maya, world.event);
    await signIn(world.maya);
    await page.goto(pageOf(world, report));
    await expect(page.locator("body")).toContainText("No one has opened it yet.");
    for (const person of [world.ada, world.omar]) await world.as(person).get(apiOf(world, report));
    await page.reload();
    // Midnight may come between the second view and the page.
    await expect(page.locator("body")).toContainText(/Viewed by 2 people, most recently (today|yesterday)\./);
    // The team is named where the reporter may hide the report from somebody, and nowhere else.
    const readers = page.locator("section").filter({ has: page.locator("#readers") });
    await readers.evaluate((section) => section.remove());
    await expect(page.locator("main")).not.toContainText(world.ada.name);
    await signIn(world.ada);
    await page.goto(pageOf(world, report));
    const log = page.locator("section").filter({ has: page.locator("#access") });
    await expect(log).toContainText(world.omar.name);
    await log.getByRole("link", { name: "View access log" }).click();
    await expect(page).toHaveURL(/kind=access/);
    await expect(page.getByRole("list", { name: "Access log, newest first" })).toContainText(
      `${world.omar.name} viewed the incident`,
    );
  });

  test("a long conversation opens at its end and is paged; a reporter whose account was deleted is offered no message", async ({
    page,
    signIn,
    world,
  }) => {
    const report = await world.report(world.maya, world.event);
    await world.service.sql(
      `with written as (
         insert into messages (conversation_id, author_id, body, created_at, updated_at)
         select $1, $2, 'Message number ' || n || '.', at, at
         from generate_series(1, 16) n, lateral (select now() + n * interval '1 second' as at) one
         returning id, conversation_id, created_at)
       insert into incident_history (incident_id, event_id, actor_id, action, object_id, created_at)
       select conversation_id, $3, $2, 'message', id, created_at from written`,
      [report.id, world.maya.id, world.event.id],
    );
    await signIn(world.omar);
    await page.goto(pageOf(world, report));
    await expect(saidIn(page).last()).toContainText("Message number 16.");
    await expect(saidIn(page)).toHaveCount(15);
    await talkOf(page).getByRole("link", { name: "Next" }).click();
    await expect(page).toHaveURL(/page=2/);
    await expect(saidIn(page).first()).toContainText("Message number 1.");

    await expect(page.getByRole("form", { name: "Message to reporter" })).toHaveCount(1);
    await world.service.sql(
      "update incidents set reporter_id = null, due_for = null, due_since = null, due_at = null where id = $1",
      [report.id],
    );
    await page.goto(pageOf(world, report));
    await expect(page.getByText("You can’t message the reporter")).toBeVisible();
    await expect(page.getByRole("form", { name: "Message to reporter" })).toHaveCount(0);
    await expect(page.getByRole("form", { name: "Team note" })).toHaveCount(1);
  });
});
