import type { Page } from "@playwright/test";
import { expect, signInWithContext, test, waitForScript } from "./support/test.ts";

/** Far more than a form may hold, with the limits of its fields taken off: it is refused in words, and stays. */

const MILLION = 1_000_000;

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

for (const javaScriptEnabled of [true, false])
  test(`a form of three megabytes comes back with its text ${javaScriptEnabled ? "with" : "without"} script`, async ({
    browser,
    world,
  }) => {
    const person = await world.person("Laila Lang");
    const context = await browser.newContext({
      javaScriptEnabled,
      baseURL: process.env.HEED_UI_URL,
    });
    await signInWithContext(context, world, person);
    const page = await context.newPage();
    if (javaScriptEnabled) waitForScript(page);
    await page.goto("/account");
    await write(page, 3 * MILLION);
    await save(page);
    await expect(page.getByRole("alert").filter({ hasText: "There is a problem" })).toBeVisible();
    expect(await written(page)).toBe(3 * MILLION);
    await page.getByRole("textbox", { name: "Name" }).fill("Laila Kurz");
    await save(page);
    await expect(page.getByText("Your name has been saved.")).toBeVisible();
    await context.close();
  });

test("a form of five megabytes isn't sent, and keeps its text", async ({ page, signIn, world }) => {
  await signIn(await world.person("Lorenz Lang"));
  await page.goto("/account");
  await write(page, 5 * MILLION);
  await save(page);
  await expect(page.getByRole("alert").filter({ hasText: "it’s too long" })).toBeFocused();
  expect(await written(page)).toBe(5 * MILLION);
  await page.getByRole("textbox", { name: "Name" }).fill("Lorenz Kurz");
  await save(page);
  await expect(page.getByText("Your name has been saved.")).toBeVisible();
});

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("a form of five megabytes is refused with a readable page", async ({ page, signIn, world }) => {
    await signIn(await world.person("Lisbet Lang"));
    await page.goto("/account");
    await write(page, 5 * MILLION);
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.request().method() === "POST"),
      save(page),
    ]);
    expect(answer.status()).toBe(413);
    await expect(page.getByText("Not sent: this form holds too much.")).toBeVisible();
  });
});
