import type { Page } from "@playwright/test";
import type { TestWorld } from "#e2e/support/world.ts";
import { readHtml } from "./support/opened.ts";
import { expect, expectUsableOnPhone, PHONE, test } from "./support/test.ts";

/** Whom to call when somebody is in danger, and where the team may call the reporter. */

const callLinks = (page: Page) => page.getByRole("alert").getByRole("link", { name: /^Call/ });

const setContacts = (world: TestWorld) =>
  world.as(world.ada).patch(`/api/events/${world.event.id}/report-settings`, {
    emergencyNumber: "112",
    emergencyContact: "Security at the main door",
    emergencyPhone: "+49 (30) 555 0100",
  });

const SEEN_AT_ONCE = "Maya says that someone is in danger now, and sees at once whom to call";

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with script" : "without script", () => {
    test.use({ javaScriptEnabled, viewport: PHONE });

    const title = javaScriptEnabled ? `${SEEN_AT_ONCE}, until the report is sent` : SEEN_AT_ONCE;
    test(title, async ({ page, signIn, world }) => {
      await setContacts(world);
      await signIn(world.maya);
      await page.goto(`/e/${world.event.slug}/report`);
      if (javaScriptEnabled) {
        await page.getByRole("button", { name: "Start" }).click();
        await page.getByLabel("In your own words").fill("A man with a knife is in the hall.");
        await page.getByRole("button", { name: "Continue" }).click();
      }
      await expect(callLinks(page)).toHaveCount(0);
      await page.getByRole("radio", { name: "Someone is in danger now" }).check();
      await expect(callLinks(page)).toHaveText([
        "Call \u2068112\u2069",
        "Call \u2068+49 (30) 555 0100\u2069",
      ]);
      await expect(callLinks(page).first()).toHaveAttribute("href", "tel:112");
      await expect(callLinks(page).last()).toHaveAttribute("href", "tel:+49305550100");
      await expect(callLinks(page).first()).toBeInViewport();
      await expect(page.getByRole("alert").filter({ hasText: "Security at the main door" })).toHaveCount(1);
      await page.getByRole("radio", { name: "I’d rather not say" }).check();
      await expect(callLinks(page)).toHaveCount(0);
      if (javaScriptEnabled) await expectToStayUntilSent(page);
    });
  });
}

/** The numbers can be used at each size, and stay on the steps that follow and once the report is sent. */
async function expectToStayUntilSent(page: Page): Promise<void> {
  await page.getByRole("radio", { name: "Someone is in danger now" }).check();
  await expectUsableOnPhone(page);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(callLinks(page)).toHaveCount(2);
  for (let step = 0; step < 2; step += 1) await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Send report" }).click();
  await expect(page.getByRole("heading", { name: /Your report has arrived/ })).toBeVisible();
  await expect(callLinks(page)).toHaveCount(2);
  await expect(callLinks(page).first()).toBeInViewport();
  await expect(page.getByText("Then send this report")).toHaveCount(0);
}

test("Maya wants a call and is asked for her number there; without a connection the report isn’t sent, then it is sent without the error, and Omar sees the number", async ({
  page,
  context,
  signIn,
  world,
}) => {
  await signIn(world.maya);
  await page.goto(`/e/${world.event.slug}/report`);
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByLabel("In your own words").fill("Somebody follows me between the halls.");
  for (let step = 0; step < 3; step += 1) await page.getByRole("button", { name: "Continue" }).click();
  const number = page.getByLabel("Your phone number");
  await expect(number).toBeHidden();
  await page.getByRole("radio", { name: /^By phone/ }).check();
  await number.fill("+1 555 0100");
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByText("+1 555 0100")).toBeVisible();
  await context.setOffline(true);
  await page.getByRole("button", { name: "Send report" }).click();
  await expect(page.getByText("Not sent: you’re offline.").first()).toBeVisible();
  await context.setOffline(false);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/incidents", async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole("button", { name: "Send report" }).click();
  await expect(page.getByText("Sending your report")).toBeVisible();
  await expect(page.getByText("Not sent: you’re offline.")).toHaveCount(0);
  release();
  await expect(page).toHaveURL(/\/report\/sent/);
  const id = new URL(page.url()).searchParams.get("id");
  await page.context().clearCookies();
  await signIn(world.omar);
  const incident = await readHtml(page, `/e/${world.event.slug}/i/${id}`);
  const links = incident.match(/<a [^>]*>(?:(?!<\/a>).)*\+1 555 0100/g) ?? [];
  expect(links).toHaveLength(2);
  for (const link of links) expect(link).toContain('href="tel:+15550100"');
});
