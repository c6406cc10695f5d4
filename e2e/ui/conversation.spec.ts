import type { Page } from "@playwright/test";
import { createPhoto } from "#e2e/support/evidence.ts";
import type { ReportRecord, TestWorld } from "#e2e/support/world.ts";
import {
  expect,
  expectNoSidewaysScroll,
  expectStructureAccessible,
  LAPTOP,
  PHONE,
  test,
} from "./support/test.ts";

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
    await world.as(world.maya).patch(`${comments}/${id}`, { body: "Second words." });
    await talk.getByText("Edit…").click();
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
  const [beginning, end] = [message.getByText("It began at the door."), message.getByText("It ended there.")];
  await expect(beginning.filter({ visible: true })).toHaveCount(1);
  await expect(end).toBeHidden();
  await message.locator("summary").filter({ hasText: "Show full text" }).focus();
  await page.keyboard.press("Enter");
  await expect(end).toBeVisible();
  await expect(message.getByText("Show less")).toBeVisible();
  await expect(beginning.filter({ visible: true })).toHaveCount(1);
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

/** Pages that are only read. */
