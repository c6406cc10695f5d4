import { type TestWorld } from "#e2e/support/world.ts";
import { expect, LAPTOP, PHONE, test } from "./support/test.ts";

/** The pages of an organization, for those who manage it, those who look at its numbers, and everybody else. */

/** An organization of its own, so that no other test changes what is counted here. */
async function house(world: TestWorld, name: string) {
  const place = await world.newOrganization(name);
  const admin = await world.person("Alma Berg", { organization: [place, "org_admin"] });
  const viewer = await world.person("Vera Lund", { organization: [place, "org_viewer"] });
  return { place, admin, viewer, at: `/orgs/${place.slug}` };
}

test("the audit log lists what was done, and says that it is intact; the confirmation of a long form is scrolled into view; a second factor is required only by who has one", async ({
  page,
  signIn,
  world,
}) => {
  const { place, admin, at } = await house(world, "Second Factor House");
  await signIn(admin);
  await page.goto(`${at}/settings`);
  await page.getByLabel("Website").fill("https://audited.example.org");
  await page.getByRole("button", { name: "Save details" }).click();
  await expect(page.getByText("Your changes have been saved.")).toBeVisible();
  await page.goto(`${at}/audit?action=organization.update`);
  await expect(page.getByRole("row", { name: /Alma Berg/ })).toContainText("Changed the organization");
  await page.goto(`${at}/audit?verify=1`);
  await expect(page.getByText("The log is intact")).toBeVisible();

  await page.goto(`${at}/settings`);
  await expect(page.getByRole("link", { name: "set up two-factor sign-in yourself" })).toBeVisible();
  await test.step("the confirmation of a long form is scrolled into view, on phones too", async () => {
    await page.setViewportSize(PHONE);
    await page.getByLabel("When a report is closed").first().fill("We have closed it: [why].");
    await page.getByRole("button", { name: "Save messages" }).click();
    await expect(page.getByText("The messages have been saved.")).toBeInViewport();
    await page.setViewportSize(LAPTOP);
  });
  await world.service.sql(
    "insert into second_factors (user_id, secret, confirmed_at) values ($1, '\\x00', now())",
    [admin.id],
  );
  await page.reload();
  await page.getByRole("button", { name: "Require two-factor sign-in…" }).click();
  await page.getByRole("button", { name: "Require it" }).click();
  await expect(page.getByText("the teams of all events need two-factor sign-in")).toBeVisible();
  const [row] = await world.service.sql<{ require_second_factor: boolean }>(
    "select require_second_factor from organizations where id = $1",
    [place.id],
  );
  expect(row?.require_second_factor).toBe(true);
});
