import { generateCode } from "#e2e/support/second-factor.ts";
import { startEmptyService, type EmptyService } from "./support/empty-service.ts";
import { expect, expectAccessible, test } from "./support/test.ts";

let heed: EmptyService;
test.beforeAll(async () => {
  heed = await startEmptyService();
});
test.afterAll(() => heed.stop());

const password = "a quiet river at dawn";

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with script" : "without script", () => {
    test.use({ javaScriptEnabled });

    test("two-factor sign-in asks for the code, and keeps address and password meanwhile", async ({
      page,
    }) => {
      const email = javaScriptEnabled ? "maya@example.org" : "rita@example.org";
      const secret = await accountWithFactor(email);
      await page.goto(`${heed.url}/login?next=%2Finbox`);
      await page.getByLabel("Email").fill(email);
      await page.getByLabel("Password", { exact: true }).fill(password);
      await page.getByRole("button", { name: "Sign in" }).click();

      await expect(page.getByLabel("Code")).toBeFocused();
      await expect(page.getByLabel("Email")).toHaveValue(email);
      await expect(page.getByLabel("Password", { exact: true })).toHaveCount(0);
      expect(await page.content()).not.toContain(password);
      if (javaScriptEnabled) await expectAccessible(page);

      await page.getByLabel("Code").fill("000000");
      await page.getByRole("button", { name: "Sign in" }).click();
      await expect(page.getByRole("alert").filter({ hasText: "is wrong or was used before" })).toBeVisible();

      // The present code was used up when the second factor was turned on.
      await page.getByLabel("Code").fill(generateCode(secret, 1));
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL(/\/inbox/);
    });
  });
}

/** Registers and turns a second factor on, over the API. */
async function accountWithFactor(email: string): Promise<string> {
  const send = (path: string, body?: object, cookie = "") =>
    fetch(`${heed.url}/api/${path}`, {
      method: "POST",
      headers: { cookie, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  await send("auth/register", { email, password, name: "Maya Castillo" });
  const signedIn = await send("auth/login", { email, password });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const { secret } = (await (await send("users/me/second-factor", { password }, cookie)).json()) as {
    secret: string;
  };
  const confirmed = await send("users/me/second-factor/confirm", { code: generateCode(secret) }, cookie);
  expect(confirmed.status).toBe(200);
  return secret;
}
