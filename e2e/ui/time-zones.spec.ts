import { generateUniqueWord } from "#e2e/support/unique.ts";
import { expect, test } from "./support/test.ts";

/** The clock of an event that somebody creates; other times are tested over HTTP. */

test.use({ timezoneId: "Europe/Berlin" });

test("Alma creates an event, and its zone and days are those of her browser", async ({
  page,
  signIn,
  world,
}) => {
  await signIn(await world.person("Alma Berg", { organization: [world.organization, "org_admin"] }));
  const name = `Mill Days ${generateUniqueWord()}`;
  const slug = name.toLowerCase().replaceAll(" ", "-");
  await page.goto(`/orgs/${world.organization.slug}/events/new`);
  await page.getByLabel("Event name").fill(name);
  await page.getByLabel("First day").fill("2026-03-29");
  await page.getByLabel("Last day").fill("2026-03-30");
  await page.getByRole("button", { name: "Open for reports" }).click();
  await expect(page.getByRole("heading", { name: /Mill Days .* is open for reports/ })).toBeVisible();
  // The link offered here leads to this computer.
  await expect(page.getByText("Links and QR codes don’t work for others yet")).toBeVisible();
  // The clocks change on the first day.
  const { body } = await world.as(world.ada).get(`/api/events/slug/${slug}`);
  expect(body.event).toMatchObject({
    timeZone: "Europe/Berlin",
    startDate: "2026-03-28T23:00:00.000Z",
    endDate: "2026-03-30T21:59:00.000Z",
  });

  await page.goto(`/e/${slug}/settings`);
  const settings = page.getByRole("form", { name: "Event", exact: true });
  await expect(settings.getByLabel("First day")).toHaveValue("2026-03-29");
  await expect(settings.getByLabel("Last day")).toHaveValue("2026-03-30");
  await expect(settings.getByLabel("Time zone")).toHaveValue("Europe/Berlin");
});
