import { findFreePort } from "#e2e/support/process.ts";
import { startEmptyService, type EmptyService } from "./support/empty-service.ts";
import { findMailTo } from "./support/mails.ts";
import { expect, expectUsable, LAPTOP, PHONE, test } from "./support/test.ts";

/** In production mode an address is confirmed by a mailed link, before the roles of its account count. */

let heed: EmptyService;
test.beforeAll(async () => {
  const port = String(await findFreePort());
  heed = await startEmptyService({ PORT: port, BASE_URL: `http://127.0.0.1:${port}` });
});
test.afterAll(() => heed.stop());

const linkTo = (email: string): string | undefined =>
  /http:\/\/[^\s"<>]+\/verify-email\?token=[\w-]+/.exec(findMailTo(email, heed.outbox()) ?? "")?.[0];

test.use({ viewport: PHONE });

test("a new account is asked to confirm its address, and does so with one press", async ({
  page,
  request,
}) => {
  const email = "sam@example.org";
  await page.goto(`${heed.url}/register`);
  await page.getByLabel("Name").fill("Sam Okoro");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill("a quiet river at dawn");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL((url) => url.pathname !== "/register");

  await page.goto(`${heed.url}/account`);
  await expect(page.getByText("Until you confirm it, you can send")).toBeVisible();
  await expect(page.getByText("This address isn’t confirmed yet.")).toBeVisible();
  await expectUsable(page);
  await page.setViewportSize(LAPTOP);
  const exit = await page.getByRole("link", { name: "Leave this page quickly" }).boundingBox();
  const notice = await page.locator("div.rounded-surface", { hasText: "Until you confirm it" }).boundingBox();
  expect((notice?.x ?? Infinity) + (notice?.width ?? Infinity)).toBeLessThanOrEqual(exit?.x ?? 0);
  await page.setViewportSize(PHONE);
  const countMails = () => heed.outbox().filter((text) => text.includes(`To: ${email}`)).length;
  // Otherwise the mails may be sent in either order.
  await expect.poll(countMails).toBe(1);
  await page.getByRole("button", { name: "Send a new link" }).click();
  await expect(page.getByText("We sent you a new link.")).toBeVisible();
  await expect.poll(countMails).toBe(2);

  const link = linkTo(email) ?? "";
  // A browser that isn't signed in is asked for the password.
  const elsewhere = await (await request.get(link)).text();
  expect(elsewhere).toMatch(/<input[^>]* type="password"/);

  const here = await page.goto(link);
  expect(await here?.text()).not.toMatch(/<input[^>]* type="password"/);
  await expect(page.getByLabel("Password", { exact: true })).toHaveCount(0);
  await expectUsable(page);
  await page.getByRole("button", { name: "Confirm email address" }).click();
  await expect(page.getByRole("heading", { name: "Your email address is confirmed" })).toBeVisible();
  await page.goto(`${heed.url}/account`);
  await expect(page.getByText("Until you confirm it, you can send")).toHaveCount(0);
});
