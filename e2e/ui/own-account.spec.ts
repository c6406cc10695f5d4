import type { Page } from "@playwright/test";
import sharp from "sharp";
import { generateCode, insertSecondFactor, generateWrongCode } from "#e2e/support/second-factor.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { PASSWORD } from "#e2e/support/world.ts";
import { expect, expectAccessible, test } from "./support/test.ts";

/** What people do with their own account. */

const WRONG = "a loud river at noon";
/** Opens a dialog: its button is there as soon as script has taken the page over. */
const press = (page: Page, buttonText: string) =>
  page.locator('button[aria-haspopup="dialog"]').filter({ hasText: buttonText }).click();

async function expectFieldError(page: Page, label: string, buttonText: RegExp) {
  const field = page.getByLabel(label, { exact: true });
  await expect(field).toHaveAttribute("aria-invalid", "true");
  await expect(field).toHaveAccessibleDescription(buttonText);
}

test("a page that needs two-factor sign-in leads to its setup, and back", async ({ page, signIn, world }) => {
  const organization = await world.newOrganization("Careful Meetups");
  await world.service.sql("update organizations set require_second_factor = true where id = $1", [
    organization.id,
  ]);
  const person = await world.person("Kaia Brandt", { organization: [organization, "org_admin"] });
  await signIn(person);
  const address = `/orgs/${organization.slug}`;
  const response = await page.goto(address);
  expect(response?.status()).toBe(403);
  await expect(
    page.getByRole("heading", { level: 1, name: "This page requires two-factor sign-in" }),
  ).toBeVisible();
  expect(await page.content()).not.toContain(organization.name);
  await expectAccessible(page);
  await page.getByRole("link", { name: "Set up two-factor sign-in" }).click();
  await expect(page).toHaveURL(`/account/security?next=${encodeURIComponent(address)}`);
  await expect(page.getByText(`Two-factor sign-in is required by ${organization.name}`)).toBeVisible();

  await page.getByLabel("Your password").fill("not the one at all");
  await page.getByRole("button", { name: "Set up two-factor sign-in" }).click();
  await expect(page.getByLabel("Your password")).toHaveAccessibleDescription(/is wrong/);
  await page.getByLabel("Your password").fill(PASSWORD);
  await page.getByRole("button", { name: "Set up two-factor sign-in" }).click();
  await expect(page.getByRole("img", { name: "QR code for your authenticator app" })).toBeVisible();
  const secret = await page.getByLabel("Setup key").inputValue();
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  await expectAccessible(page);

  await page.getByLabel("Code", { exact: true }).fill(generateWrongCode(secret));
  await page.getByRole("button", { name: "Turn on" }).click();
  await expectFieldError(page, "Code", /is wrong/);
  await expect(page.getByLabel("Setup key")).toHaveValue(secret);

  await page.getByLabel("Code", { exact: true }).fill(generateCode(secret));
  await page.getByRole("button", { name: "Turn on" }).click();
  await expect(page.getByRole("list", { name: "Recovery codes" }).getByRole("listitem")).toHaveCount(10);
  await expectAccessible(page);
  await page.getByRole("link", { name: "I’ve saved them" }).click();
  await expect(page).toHaveURL(address);
  await expect(page.getByRole("heading", { level: 1, name: organization.name })).toBeVisible();
});

test("name, address and picture can be changed", async ({ page, signIn, world }) => {
  const person = await world.person("Pia Sund");
  await signIn(person);
  await page.goto("/account");
  const name = page.getByRole("form", { name: "Name" }).getByLabel("Name");
  await name.fill("");
  await page.getByRole("button", { name: "Save name" }).click();
  await expect(name).toHaveAttribute("aria-invalid", "true");
  await name.fill("Pia Sundgren");
  await page.getByRole("button", { name: "Save name" }).click();
  await expect(page.getByText("Your name has been saved.")).toBeVisible();
  await expect(page.getByRole("banner").getByText("Pia Sundgren").first()).toBeAttached();

  const wanted = `pia.${generateUniqueWord()}@example.org`;
  await page.getByLabel("New address").fill(wanted);
  await page.getByLabel("Your password").fill(WRONG);
  await page.getByRole("button", { name: "Change address" }).click();
  await expectFieldError(page, "Your password", /is wrong/);
  await expect(page.getByLabel("New address")).toHaveValue(wanted);
  await page.getByLabel("Your password").fill(PASSWORD);
  await page.getByRole("button", { name: "Change address" }).click();
  await expect(page.getByText("Confirm your new email address")).toBeVisible();
  await expect(page.getByText(wanted)).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Keep current address" }).click();
  await expect(page.getByText("Your address hasn’t changed.")).toBeVisible();
  await expect(page.getByText(wanted)).toHaveCount(0);

  const png = await sharp({ create: { width: 40, height: 40, channels: 3, background: "#145" } })
    .png()
    .toBuffer();
  const picture = page.locator("input[type=file]");
  await picture.setInputFiles({
    name: "words.png",
    mimeType: "image/png",
    buffer: Buffer.from("no picture at all"),
  });
  await page.getByRole("button", { name: "Save picture" }).click();
  await expect(picture).toHaveAccessibleDescription(/isn’t a PNG, JPEG or WebP picture/);
  await picture.setInputFiles({ name: "me.png", mimeType: "image/png", buffer: png });
  await page.getByRole("button", { name: "Save picture" }).click();
  await expect(page.getByText("Your picture has been saved.")).toBeVisible();
  await page.getByRole("button", { name: "Remove picture" }).click();
  await expect(page.getByText("Your picture has been removed.")).toBeVisible();
  const { body } = await world.as(person).get("/api/users/me");
  expect(body.account.user).toMatchObject({ name: "Pia Sundgren", avatarUrl: null });
});

test("an account is deleted with password and code", async ({ page, signIn, world }) => {
  const person = await world.person("Runa Vik");
  const secret = await insertSecondFactor(world, person);
  await signIn(person);
  await page.goto("/account/data");
  const file = page.getByRole("link", { name: "Download your data" });
  await expect(file).toHaveAttribute("href", "/api/users/me/export");
  await press(page, "Delete your account…");
  await page.getByLabel("Your password").fill(PASSWORD);
  await page.getByLabel("Code", { exact: true }).fill(generateWrongCode(secret));
  await page.getByRole("button", { name: "Delete for good" }).click();
  await expectFieldError(page, "Code", /is wrong/);
  expect(await page.content()).not.toContain(PASSWORD);
  await page.getByLabel("Your password").fill(PASSWORD);
  await page.getByLabel("Code", { exact: true }).fill(generateCode(secret));
  await page.getByRole("button", { name: "Delete for good" }).click();
  await expect(page.getByText("Your account was deleted", { exact: true })).toBeVisible();
  expect(await world.service.rows("users", "id = $1", [person.id])).toBe(0);
});

test("a token is shown once, works, and is deleted", async ({ page, signIn, world }) => {
  const person = await world.person("Nils Ekdahl", { events: [[world.event, "Responder"]] });
  await signIn(person);
  await page.goto("/account/tokens");
  await page.getByLabel("Name", { exact: true }).fill("Numbers for the board");
  await page.getByLabel("Where").selectOption(world.event.name);
  await page.getByLabel("Days until it expires").fill("900");
  await page.getByLabel("Your password").fill(PASSWORD);
  await page.getByRole("button", { name: "Create token" }).click();
  await expectFieldError(page, "Days until it expires", /must be 1 to 365 days/);
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Numbers for the board");
  await expect(page.getByLabel("Where")).toHaveValue(world.event.id);

  await page.getByLabel("Days until it expires").fill("30");
  await page.getByLabel("Your password").fill("not that one");
  await page.getByRole("button", { name: "Create token" }).click();
  await expectFieldError(page, "Your password", /is wrong/);
  await page.getByLabel("Your password").fill(PASSWORD);
  await page.getByRole("button", { name: "Create token" }).click();
  const made = page.getByLabel("Your new token");
  await expect(made).toBeFocused();
  await expect(made).toBeInViewport();
  const token = await made.inputValue();
  expect(token).toMatch(/^heed_/);
  await expect(page.getByText(`Read only, for ${world.event.name}`)).toBeVisible();
  await expectAccessible(page);
  const ask = () =>
    world.nobody.get(`/api/events/${world.event.id}/incidents`, {
      headers: { authorization: `Bearer ${token}` },
    });
  expect((await ask()).status).toBe(200);

  await page.goto("/account/tokens");
  await expect(page.getByRole("heading", { name: "Numbers for the board" })).toBeVisible();
  expect(await page.content()).not.toContain(token);
  await press(page, "Delete… Numbers for the board");
  await page.getByRole("button", { name: "Delete token" }).click();
  await expect(page.getByText("The token has been deleted.")).toBeVisible();
  await expect(page.getByText("No tokens", { exact: true })).toBeVisible();
  expect((await ask()).status).toBe(401);
});
