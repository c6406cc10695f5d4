import type { Page } from "@playwright/test";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { expect, expectAccessibleInEachTheme, PHONE, test } from "./support/test.ts";

/** Ctrl-K: a few letters lead to a report, an event, a person or a page. */

async function openWithKeys(page: Page) {
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Name, title or ID" })).toBeFocused();
}

test("the quick jump leads to a report by a part of its title, with the keyboard alone, and to no page that the person may not open", async ({
  page,
  signIn,
  world,
}) => {
  const word = generateUniqueWord();
  const report = await world.report(world.maya, world.event, { title: `About a ${word}` });
  await signIn(world.omar);
  await page.goto("/account");
  await openWithKeys(page);
  await page.keyboard.type(`settings ${world.event.slug}`);
  await expect(page.getByText("No matches that you can open.")).toBeVisible();
  await page.keyboard.press("Control+a");
  await page.keyboard.type(word);
  await expect(page.getByRole("option", { name: new RegExp(word) })).toBeVisible();
  await expectAccessibleInEachTheme(page);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/i/${report.id}$`));
});

test("the quick jump finds pages without a request, says when nothing matches, closes with Escape, and leads to a page", async ({
  page,
  signIn,
  world,
}) => {
  await page.setViewportSize(PHONE);
  await signIn(world.omar);
  await page.goto("/inbox");
  await page.getByRole("link", { name: "Quick jump" }).click();
  await expect(page.getByRole("option", { name: "API tokens" })).toBeVisible();
  await expect(page.getByRole("combobox", { name: "Name, title or ID" })).toBeFocused();
  await page.keyboard.type("zzzz-nothing");
  await expect(page.getByText("No matches that you can open.")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await openWithKeys(page);
  await page.keyboard.press("Control+a");
  await page.keyboard.type("API tok");
  await page.getByRole("option", { name: "API tokens" }).click();
  await expect(page).toHaveURL("/account/tokens");
});
