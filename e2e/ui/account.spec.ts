import { generateUniqueWord } from "#e2e/support/unique.ts";
import { findMailTo } from "./support/mails.ts";
import { checkEach, expect, expectAccessibleInEachTheme, test } from "./support/test.ts";

/** With the people of the world, so that nobody who registers here becomes SystemAdmin. */
test.beforeAll(async ({ world }) => expect(world.sam.id).toBeTruthy());

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with script" : "without script", () => {
    test.use({ javaScriptEnabled });

    test("an account is created, signs out, gets a new password by mail and signs in with it", async ({
      page,
    }) => {
      const email = `maya.${generateUniqueWord()}@example.org`;
      await page.goto("/register");
      await page.getByLabel("Name").fill("Maya Castillo");
      await page.getByLabel("Email").fill(email);
      await page.getByLabel("Password", { exact: true }).fill("a quiet river at dawn");
      await page.getByRole("button", { name: "Create account" }).click();
      await page.waitForURL((url) => url.pathname !== "/register");

      await page.goto("/inbox");
      await page.locator("summary, button").filter({ hasText: "Maya" }).first().click();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.waitForURL((url) => url.pathname !== "/inbox");
      expect((await page.request.get("/inbox")).url()).toMatch(/\/login\?next=%2Finbox/);

      await page.goto("/forgot-password");
      await page.getByLabel("Email").fill(email);
      await page
        .getByRole("button")
        .filter({ hasText: /link|Send/i })
        .first()
        .click();
      const link = await test.step("wait for the mail", async () => {
        await expect.poll(() => resetLink(email), { timeout: 30_000 }).toBeDefined();
        return resetLink(email) as string;
      });
      await page.goto(link);
      await page.getByRole("textbox", { name: "New password" }).fill("another quiet river");
      await page.getByRole("button", { name: /password/i }).click();
      await page.waitForURL((url) => url.pathname !== "/reset-password");

      await page.goto("/login?next=%2Finbox");
      await page.getByLabel("Email").fill(email);
      await page.getByLabel("Password", { exact: true }).fill("another quiet river");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL(/\/inbox/);
    });
  });
}

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("missing fields are named in their order; a wrong password is refused at the form, and the address stays in it", async ({
    page,
  }) => {
    await page.goto("/register");
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(page.getByRole("alert").getByRole("link")).toHaveText([
      "Name is missing.",
      "Email is missing.",
      "Password is missing.",
    ]);

    await page.goto("/login");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByLabel("Email")).toHaveAccessibleDescription("Email is missing.");
    await expect(page.getByLabel("Password", { exact: true })).toHaveAccessibleDescription(
      "Password is missing.",
    );
    await page.getByLabel("Email").fill("no address");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByLabel("Email")).toHaveAccessibleDescription("Email must be an email address.");
    await page.getByLabel("Email").fill("nobody@example.org");
    await page.getByLabel("Password", { exact: true }).fill("not the password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "wrong" })).toBeVisible();
    await expect(page.getByLabel("Email")).toHaveValue("nobody@example.org");
    // What comes back from the server never holds a password.
    await expect(page.getByLabel("Password", { exact: true })).toHaveValue("");
  });

  test("sign-in never leads to another site", async ({ page }) => {
    for (const next of ["https://evil.example", "//evil.example", "/\\evil.example"]) {
      await page.goto(`/login?next=${encodeURIComponent(next)}`);
      const stored = await page
        .locator('main input[name="next"]')
        .evaluateAll((fields) => fields.map((f) => (f as HTMLInputElement).value));
      expect(stored.join()).not.toContain("evil");
      const links = await page
        .locator("a")
        .evaluateAll((found) => found.map((link) => (link as HTMLAnchorElement).href));
      expect(
        links.filter((href) => new URL(href).host !== new URL(process.env.HEED_UI_URL ?? "").host),
      ).toEqual([]);
    }
  });
});

/** What the link of a mail leads to when its token is cut off, and what comes of it; `long-names.spec.ts` has the token. */
const MAILED = ["confirm-email", "verify-email"].flatMap((page) => [`/${page}`, `/${page}?after=confirmed`]);

test("the pages to which mails lead are accessible", async ({ page }) => {
  await checkEach(MAILED, async (path) => {
    await page.goto(path);
    await expectAccessibleInEachTheme(page);
  });
});

const resetLink = (email: string): string | undefined =>
  /http:\/\/[^\s"<>]+\/reset-password\?token=[\w-]+/.exec(findMailTo(email) ?? "")?.[0];
