import { expect, test } from "./support/test.ts";

/** Short names for links, which are made from names. */

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("a name that gives no short name gets an error that says what to write; a short name that an organization or an event has already is refused at its field", async ({
    page,
    signIn,
    world,
  }) => {
    const field = page.getByLabel("Short name for links");
    const taken = /This short name is already taken\. An event already uses it/;
    await signIn(world.sam);
    await page.goto("/orgs/new");
    await page.getByLabel("Name", { exact: true }).fill("منظمة");
    await page.getByRole("button", { name: /^Create/ }).click();
    await expect(page.getByText("We couldn’t make a short name from this name.").first()).toBeVisible();
    await expect(page.getByText("is missing")).toHaveCount(0);
    await page.getByLabel("Name", { exact: true }).fill("A second one");
    await field.fill(world.organization.slug);
    await page.getByRole("button", { name: "Create organization" }).click();
    await expect(field).toHaveAttribute("aria-invalid", "true");
    await expect(field).toHaveAccessibleDescription(
      /This short name is already taken\. An organization already uses it; choose a different one\./,
    );
    await expect(page.getByLabel("Name", { exact: true })).toHaveValue("A second one");

    await page.goto(`/orgs/${world.organization.slug}/events/new`);
    await page.getByLabel("Name", { exact: true }).fill("A second one");
    await field.fill(world.event.slug);
    await page.getByRole("button", { name: "Create event" }).click();
    await expect(field).toHaveAccessibleDescription(taken);

    await signIn(world.ada);
    await page.goto(`/e/${world.event.slug}/settings`);
    await field.fill(world.otherEvent.slug);
    await page.getByRole("form", { name: "Event" }).getByRole("button", { name: /Save/ }).click();
    await expect(field).toHaveAccessibleDescription(taken);
  });
});
