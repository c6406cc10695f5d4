import { insertSecondFactor } from "#e2e/support/second-factor.ts";
import { PASSWORD } from "#e2e/support/world.ts";
import { VERSION } from "#lib/version.ts";
import { expect, test } from "./support/test.ts";

/** Whoever runs the installation: how it is, who has an account, what holds everywhere. */

const PAGES = ["/system", "/system/users", "/system/events", "/system/settings", "/system/audit"];

test("Sam sees the health of the installation, checks its log, and sends a test mail", async ({
  page,
  signIn,
  world,
}) => {
  await signIn(world.sam);
  await test.step("Sam sees the health of the installation, the parts that aren't set up, and its size", async () => {
    await page.goto("/system");
    await expect(page.getByText("Everything is working, but not everything is set up")).toBeVisible();
    const part = (name: string) =>
      page.getByRole("listitem").filter({ has: page.getByText(name, { exact: true }) });
    await expect(part("Email").getByText("Not set up", { exact: true })).toBeVisible();
    await expect(part("Backup").getByText("Never", { exact: true })).toBeVisible();
    await expect(part("Database").getByText("Working", { exact: true })).toBeVisible();
    await expect(page.getByText(/^PostgreSQL \d+/)).toBeVisible();
    await expect(page.getByText(`Version ${VERSION} on Node`)).toBeVisible();
    await expect(page.getByRole("list", { name: "Totals" }).getByRole("listitem")).toHaveCount(6);
  });
  await test.step("the log of the system is intact and can be checked", async () => {
    await page.goto("/system/audit?verify=1");
    await expect(page.getByText("The log is intact")).toBeVisible();
  });
  await test.step("the test mail says where it went", async () => {
    await page.goto("/system/settings");
    await page.getByRole("button", { name: "Send test email" }).click();
    // A second and more has a comma: "1,204 ms".
    await expect(page.getByText(/It took [\d,]+ ms\./)).toBeVisible();
  });
});

test("an account is found, disabled, enabled and has its second factor reset, and an invalid contact is refused", async ({
  page,
  signIn,
  world,
}) => {
  await signIn(world.sam);
  await test.step("an account is found, disabled, and enabled again", async () => {
    const person = await world.person("Quill Marrow");
    await page.goto("/system/users");
    await page.getByLabel("Name or email").fill(person.email);
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("link", { name: "Quill Marrow" }).click();
    await expect(page.getByText("No memberships yet.")).toBeVisible();
    await page.getByText("Disable account…", { exact: true }).first().click();
    await page.getByRole("button", { name: "Disable account" }).last().click();
    await expect(page.getByText("The account was changed.")).toBeVisible();
    await expect(page.getByText("Enable account").first()).toBeVisible();
    expect((await world.as(person).get("/api/users/me")).status).toBe(401);
    await page.getByText("Enable account…", { exact: true }).first().click();
    await page.getByRole("button", { name: "Enable account" }).last().click();
    await expect(page.getByText("Disable account").first()).toBeVisible();
    expect(await world.service.rows("users", "id = $1 and disabled_at is null", [person.id])).toBe(1);
  });
  await test.step("a lost second factor is reset with the administrator's password", async () => {
    const person = await world.person("Lost Phone");
    await insertSecondFactor(world, person);
    await page.goto(`/system/users/${person.id}`);
    await page.getByText("Reset two-factor sign-in…", { exact: true }).first().click();
    await page.getByLabel("Your password").fill("not the one at all");
    await page.getByRole("button", { name: "Reset two-factor sign-in" }).last().click();
    await expect(page.getByLabel("Your password")).toHaveAttribute("aria-invalid", "true");
    await page.getByLabel("Your password").fill(PASSWORD);
    await page.getByRole("button", { name: "Reset two-factor sign-in" }).last().click();
    await expect(page.getByText("Two-factor sign-in was reset.")).toBeVisible();
    await expect(page.getByText("Reset two-factor sign-in…", { exact: true })).toHaveCount(0);
    expect(await world.service.rows("second_factors", "user_id = $1", [person.id])).toBe(0);
  });
  await test.step("an invalid contact is refused, and the text is kept", async () => {
    await page.goto("/system/settings");
    await page.getByLabel("Support contact").fill("call us maybe");
    await page.getByRole("button", { name: "Save settings" }).click();
    const field = page.getByLabel("Support contact");
    await expect(field).toHaveAttribute("aria-invalid", "true");
    await expect(field).toHaveValue("call us maybe");
  });
});

test("nobody else has access, not even an organization's admin", async ({ context, signIn, world }) => {
  await signIn(world.olga);
  for (const path of [...PAGES, `/system/users/${world.maya.id}`]) {
    const reply = await context.request.get(path);
    expect([path, reply.status()]).toEqual([path, 403]);
    expect(await reply.text()).not.toContain(world.maya.email);
  }
});
