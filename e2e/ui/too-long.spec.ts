import type { Page } from "@playwright/test";
import { expect, test } from "./support/test.ts";

/** Far more than a form may hold, with the limits of its fields taken off: it is refused in words, and stays. */

/** A little less than a form may hold, and more than the service takes. */
const LONG = 3_600_000;
const TOO_LONG = 4_300_000;

/** Puts so many letters into the field of the name, which by itself would take no more than fit. */
async function write(page: Page, letters: number): Promise<void> {
  await page.getByRole("textbox", { name: "Name" }).evaluate((field: HTMLInputElement, length) => {
    field.removeAttribute("maxlength");
    field.value = "x".repeat(length);
  }, letters);
}

const written = (page: Page) =>
  page.getByRole("textbox", { name: "Name" }).evaluate((field: HTMLInputElement) => field.value.length);
const save = (page: Page) => page.getByRole("button", { name: "Save name" }).click();

test("a form of 3.6 megabytes comes back with its text; one of more than four isn't sent, and keeps it", async ({
  page,
  signIn,
  world,
}) => {
  await signIn(await world.person("Laila Lang"));
  await page.goto("/account");
  await write(page, LONG);
  await save(page);
  await expect(page.getByRole("alert").filter({ hasText: "There is a problem" })).toBeVisible();
  expect(await written(page)).toBe(LONG);
  await write(page, TOO_LONG);
  await save(page);
  await expect(page.getByRole("alert").filter({ hasText: "it’s too long" })).toBeFocused();
  expect(await written(page)).toBe(TOO_LONG);
  await page.getByRole("textbox", { name: "Name" }).fill("Laila Kurz");
  await save(page);
  await expect(page.getByText("Your name has been saved.")).toBeVisible();
});
