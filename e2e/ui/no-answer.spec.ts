import type { Page } from "@playwright/test";
import { expect, expectAccessible, PHONE, test } from "./support/test.ts";

/** A form whose sending gets no response keeps every word, and says what is known of its fate. */

const OFFLINE = "Not sent: you’re offline. What you wrote is still here.";
const NO_ANSWER =
  "There was no response, so we can’t tell whether this arrived. What you wrote is still here.";

/** What somebody between the browser and the service responds. */
const outOfOrder = (page: Page) =>
  page.route("**/*", (route) =>
    route.request().method() === "POST"
      ? route.fulfill({ status: 503, contentType: "text/html", body: "<h1>Out of order</h1>" })
      : route.continue(),
  );

const mend = async (page: Page) => {
  await page.context().setOffline(false);
  await page.unrouteAll();
};

/** Without a connection, and then with a response of somebody in between. */
async function breakEachWay(page: Page, check: (said: string) => Promise<void>): Promise<void> {
  await test.step("without a connection", async () => {
    await page.context().setOffline(true);
    await check(OFFLINE);
    await mend(page);
  });
  await test.step("with an answer of somebody in between", async () => {
    await outOfOrder(page);
    await check(NO_ANSWER);
    await mend(page);
  });
}

test("without a response a reporter's message stays, and can be sent again", async ({
  page,
  signIn,
  world,
}) => {
  const report = await world.report(world.maya, world.event);
  await signIn(world.maya);
  await page.setViewportSize(PHONE);
  await page.goto(`/e/${world.event.slug}/i/${report.id}`);
  const field = page.getByRole("textbox", { name: "Message", exact: true });
  await field.fill("He is here again");
  await breakEachWay(page, async (said) => {
    await page.getByRole("button", { name: "Send to the team" }).click();
    await expect(page.getByRole("alert").filter({ hasText: said })).toBeFocused();
    await expect(field).toHaveValue("He is here again");
  });
  await expectAccessible(page);
  await page.getByRole("button", { name: "Send to the team" }).click();
  await expect(field).toHaveValue("");
  const talk = page.getByRole("list").filter({ hasText: "He is here again" });
  await expect(talk.first()).toBeVisible();
});

test("without a response a dialog stays open with its text", async ({ page, signIn, world }) => {
  const report = await world.move(await world.report(world.maya, world.event), "investigating");
  await signIn(world.omar);
  await page.goto(`/e/${world.event.slug}/i/${report.id}`);
  await page.getByRole("button", { name: "Resolve…" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").first().fill("Nobody wants to write this twice");
  await breakEachWay(page, async (said) => {
    await dialog.getByRole("button", { name: "Resolve" }).click();
    await expect(dialog.getByRole("alert").filter({ hasText: said })).toBeVisible();
    await expect(dialog.getByRole("textbox").first()).toHaveValue("Nobody wants to write this twice");
  });
});

test("a link next to the report form asks before it discards text that the tab can't keep; quick exit doesn't", async ({
  page,
  signIn,
  world,
}) => {
  const dialogMessages: string[] = [];
  page.on("dialog", (dialog) => {
    dialogMessages.push(dialog.message());
    void dialog.dismiss();
  });
  await signIn(world.maya);
  await page.addInitScript(() => {
    Storage.prototype.setItem = () => {
      throw new Error("full");
    };
  });
  await page.goto(`/e/${world.event.slug}/report`);
  await page.getByRole("button", { name: "Start" }).click();
  const storyField = page.getByLabel("In your own words");
  const home = page.getByRole("link", { name: "Heed" }).first();
  await storyField.fill("He stood in my way");
  await home.click();
  await expect.poll(() => dialogMessages.length).toBe(1);
  await expect(storyField).toHaveValue("He stood in my way");
  await page.route("https://**", (route) => route.fulfill({ body: "elsewhere" }));
  await page.getByRole("link", { name: "Leave this page quickly" }).click();
  await page.waitForURL(/^https:/);
  expect(dialogMessages).toHaveLength(1);
});
