import { generateCode, generateWrongCode, insertSecondFactor } from "#e2e/support/second-factor.ts";
import { PASSWORD } from "#e2e/support/world.ts";
import { expect, expectAccessible, test } from "./support/test.ts";

test("two-factor sign-in asks for the code, and keeps address and password meanwhile", async ({
  page,
  world,
}) => {
  const person = await world.person("Maya Castillo");
  const { email } = person;
  const secret = await insertSecondFactor(world, person);
  await page.goto("/login?next=%2Finbox");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();

  await expect(page.getByLabel("Code")).toBeFocused();
  await expect(page.getByLabel("Email")).toHaveValue(email);
  await expect(page.getByLabel("Password", { exact: true })).toHaveCount(0);
  expect(await page.content()).not.toContain(PASSWORD);
  await expectAccessible(page);

  await page.getByLabel("Code").fill(generateWrongCode(secret));
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "is wrong or was used before" })).toBeVisible();

  await page.getByLabel("Code").fill(generateCode(secret));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/inbox/);
});
