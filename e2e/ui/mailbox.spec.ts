import type { Page } from "@playwright/test";
import { buildForm, createPhoto } from "#e2e/support/evidence.ts";
import { openMailboxIn, showReceiptIn, readHtml } from "./support/opened.ts";
import {
  dispatchVisibilityChange,
  expect,
  expectNoSidewaysScroll,
  expectUsable,
  PHONE,
  test,
  waitForScript,
} from "./support/test.ts";

/** Somebody who reported without a name comes back with seven words. */

test.use({ viewport: PHONE });

const REPORT = { title: "Shouted at beside the stairs", description: "It happened an hour ago." };

type World = { service: { visitor: () => { post: Poster } }; event: { slug: string } };
type Poster = (path: string, body: unknown) => Promise<{ body: { receipt: string } }>;

/** Sends a report without an account over the API. @returns its receipt */
async function sendReport(world: World, report: object = REPORT): Promise<string> {
  const path = `/api/events/slug/${world.event.slug}/anonymous-reports`;
  return (await world.service.visitor().post(path, report)).body.receipt;
}

async function enterReceipt(page: Page, receipt: string): Promise<void> {
  await page.goto("/mailbox");
  await page.getByLabel("Your seven words").fill(receipt);
  await page.getByRole("button", { name: "Open" }).click();
}

test("a reporter without an account reads the answer, replies and leaves", async ({ page, world }) => {
  const receipt = await sendReport(world);
  await page.goto("/mailbox");
  await expectUsable(page);
  await page.getByLabel("Your seven words").fill(receipt.split(" ").slice(1).join(" "));
  await page.getByRole("button", { name: "Open" }).click();
  await expect(page.getByText(/must be 7 words/).first()).toBeVisible();
  await page.getByLabel("Your seven words").fill(receipt.toUpperCase());
  await page.getByRole("button", { name: "Open" }).click();

  await expect(page.getByRole("heading", { level: 1, name: "Your report" })).toBeVisible();
  await expect(page.getByText("Your report has arrived.")).toBeVisible();
  await expectUsable(page);
  await expectNoSidewaysScroll(page);
  await page.getByLabel("Message to the response team").fill("I forgot: it was after the keynote.");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByText("Your message was sent.")).toBeVisible();
  // The style sheet of icons comes after the page.
  await expect(page.locator("i.icon").first()).toHaveCSS("mask-image", /svg/);
  await expect(page.getByText("I forgot: it was after the keynote.")).toBeVisible();
  await page.getByLabel("Message to the response team").fill("And there were two of them.");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByText("And there were two of them.")).toBeVisible();
  await expect(page.getByLabel("Message to the response team")).toHaveValue("");
  const other = await page.context().newPage();
  // It learns of the lock only once its script listens.
  waitForScript(other);
  await other.goto("/mailbox");
  await expect(other.getByText("And there were two of them.")).toBeVisible();
  await page.getByRole("button", { name: "Lock on this device" }).click();
  await expect(other.getByLabel("Your seven words")).toBeVisible();
  await expect(other.getByText("And there were two of them.")).toHaveCount(0);
  await expect(
    page.getByText("This is no longer open on this device. Your seven words open it again."),
  ).toBeVisible();
  const locked = await readHtml(page, "/mailbox");
  expect(locked).toMatch(/<label[^>]*>Your seven words/);
  expect(locked).not.toContain("And there were two of them.");
});

test("an attendee without an account reports from the event's page and gets the words", async ({
  page,
  world,
}) => {
  await page.goto(`/e/${world.event.slug}`);
  await page.getByRole("link", { name: "Report something that happened" }).click();
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByLabel("In your own words").fill("Someone shouted at me beside the stairs.");
  for (let step = 1; step < 4; step += 1) {
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(page.getByText(`Step ${step + 1} of 4`).filter({ visible: true })).toBeVisible();
  }
  await expect(page.getByLabel("Leave my name out")).toHaveCount(0);
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Send report" }).click();
  await expect(page.getByRole("alert").first()).toContainText("Not sent: you’re offline.");
  await page.context().setOffline(false);
  await page.getByRole("button", { name: "Send report" }).click();
  await expect(page).toHaveURL(/\/mailbox$/);
  await expect(page.getByRole("heading", { level: 1, name: /Your report was sent/ })).toBeVisible();
  await expect(page.getByRole("list", { name: "Your seven words" }).getByRole("listitem")).toHaveCount(7);
  await expect(page.getByText(/^To come back, go to .*\/mailbox.* and enter the words\.$/)).toBeVisible();
  await expect(page.getByText("If you use “Leave this page quickly” before")).toBeVisible();
  await expectNoSidewaysScroll(page);
});

test("downloading the words is enough to continue", async ({ page, context, world }) => {
  await showReceiptIn(context, world, { ...REPORT, severity: "critical" });
  await page.goto("/mailbox");
  await expect(page.getByRole("alert").filter({ hasText: "Is someone in danger now?" })).toBeVisible();
  // A mistyped word doesn't stand in the way of words that were saved after it.
  await page.getByLabel("Word 2").fill("abacus");
  await page.getByRole("button", { name: "Continue to your report" }).click();
  await expect(page.getByText("Word 2 doesn’t match your seven words.").first()).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("words.txt");
  await page.getByRole("button", { name: "Continue to your report" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Your report" })).toBeVisible();
});

test("a mailbox that has expired is covered, and an unsent message stays; it is gone where nothing was written", async ({
  page,
  context,
  world,
}) => {
  const receipt = await openMailboxIn(context, world);
  await page.goto("/mailbox");
  const message = page.getByLabel("Message to the response team");
  await message.fill("I have thought about it for an hour.");
  await context.clearCookies({ name: /mailbox/ });
  await dispatchVisibilityChange(page);
  const cover = page.getByRole("dialog", {
    name: "This is no longer open on this device. Your seven words open it again.",
  });
  await expect(cover).toBeVisible();
  // Browsers close a dialog at the second Escape, even if the page prevents it.
  for (let time = 0; time < 3; time += 1) await page.keyboard.press("Escape");
  await expect(cover).toBeVisible();
  await expectUsable(page);
  await page.emulateMedia({ media: "print" });
  await expect(page.getByText("Shouted at beside the stairs").first()).toBeHidden();
  await page.emulateMedia({ media: "screen" });
  const opening = context.waitForEvent("page");
  await cover.getByRole("link", { name: "Enter your words in a new tab" }).click();
  const other = await opening;
  await enterReceipt(other, receipt);
  await expect(other.getByRole("heading", { level: 1, name: "Your report", exact: true })).toBeVisible();
  await dispatchVisibilityChange(page);
  await expect(cover).toHaveCount(0);
  await expect(message).toHaveValue("I have thought about it for an hour.");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByText("Your message was sent.")).toBeVisible();
  await expect(message).toHaveValue("");
  await context.clearCookies({ name: /mailbox/ });
  await dispatchVisibilityChange(page);
  await expect(page.getByLabel("Your seven words")).toBeVisible();
  await expect(page.getByText("Shouted at beside the stairs")).toHaveCount(0);
});

test("the team writes to whoever reads the mailbox, who sees it there, and leaves quickly while a question covers the page", async ({
  page,
  context,
  signIn,
  world,
}) => {
  await openMailboxIn(context, world, { ...REPORT, description: "Beside the lanternstairs." });
  await signIn(world.omar);
  const { body } = await world
    .as(world.omar)
    .get(`/api/events/${world.event.id}/incidents?search=lanternstairs`);
  await page.goto(`/e/${world.event.slug}/i/${body.incidents[0].id}`);
  await expect(page.getByText(/who reads and replies in a mailbox/)).toBeVisible();
  const composer = page.getByRole("form", { name: "Message to reporter" });
  await composer.getByRole("textbox").fill("Are you safe now?");
  await composer.getByRole("button", { name: /Send/ }).click();
  await expect(composer.getByRole("textbox")).toHaveValue("");
  await page.goto("/mailbox");
  await expect(page.getByText("Are you safe now?")).toBeVisible();

  const elsewhere = "https://www.wikipedia.org/";
  await context.route(`${elsewhere}**`, (route) => route.fulfill({ body: "Elsewhere" }));
  await page.getByRole("button", { name: "Withdraw report…" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  const exit = await page.locator("[data-exit]").boundingBox();
  if (!exit) throw new Error("The page has no quick exit.");
  await page.mouse.click(exit.x + exit.width / 2, exit.y + exit.height / 2);
  await page.waitForURL(elsewhere);
});

test("a photo that somebody adds from a phone reaches the team without its place", async ({
  page,
  context,
  signIn,
  world,
}) => {
  await openMailboxIn(context, world, { ...REPORT, description: "Beside the photowall." });
  await page.goto("/mailbox");
  const photo = { name: "maya.jpg", mimeType: "image/jpeg", buffer: await createPhoto() };
  const half = { name: "half.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7\n1 0 obj") };
  const message = page.getByLabel("Message to the response team");
  await message.fill("It was on the wall.");
  await page.getByLabel("Add files").setInputFiles([photo, half]);
  await page.getByRole("button", { name: "Send files" }).click();
  const files = page.getByRole("region", { name: "Files" });
  await expect(files.getByRole("alert")).toContainText("We can’t accept file 2 of those you chose");
  await expect(files.getByRole("alert")).toBeInViewport();
  await expect(files).toBeFocused();
  await expect(message).toHaveValue("It was on the wall.");
  await page.getByLabel("Add files").setInputFiles(photo);
  await page.getByRole("button", { name: "Send files" }).click();
  await expect(page.getByText("Your files were sent.")).toBeVisible();
  await expect(message).toHaveValue("It was on the wall.");
  await expect(page.getByRole("link", { name: "photo-1.jpg" })).toBeVisible();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByText("Your message was sent.")).toBeVisible();
  await expect(page.getByText("It was on the wall.")).toBeVisible();
  await expect(message).toHaveValue("");
  const { body } = await world.as(world.omar).get(`/api/events/${world.event.id}/incidents?search=photowall`);
  const [{ id, relatedFiles }] = body.incidents;
  expect(relatedFiles).toMatchObject([{ filename: "photo-1.jpg", clean: "cleaned", original: null }]);
  await signIn(world.omar);
  const incident = await readHtml(page, `/e/${world.event.slug}/i/${id}`);
  expect(incident).toContain("photo-1.jpg");
  expect(incident).not.toContain("Hide from the reporter");
  const fileOfTeam = buildForm(
    { visibleToReporter: "true" },
    { name: "desk.jpg", bytes: await createPhoto() },
  );
  await world.as(world.omar).post(`/api/events/${world.event.id}/incidents/${id}/related-files`, fileOfTeam);
  expect(await readHtml(page, `/e/${world.event.slug}/i/${id}`)).toContain("Hide from the reporter");
});
