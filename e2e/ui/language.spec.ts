import type { Page } from "@playwright/test";
import { findMailTo } from "./support/mails.ts";
import { readHtml } from "./support/opened.ts";
import { checkEach, expect, expectNoSidewaysScroll, LAPTOP, PHONE, test } from "./support/test.ts";

/** Which language people meet: their browser's, the one they chose as visitors, the one kept in their account. */

const language = (page: Page) => page.locator("html").getAttribute("lang");

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with script" : "without script", () => {
    test.use({ javaScriptEnabled, locale: "de-AT" });

    test("a visitor gets the browser's language, and can choose another", async ({ page }) => {
      await page.goto("/login?next=%2Finbox");
      await expect(page.getByRole("heading", { level: 1, name: "Anmelden" })).toBeVisible();
      expect(await language(page)).toBe("de");
      await page.getByRole("button", { name: "Français" }).click();
      await expect(page.getByRole("heading", { level: 1, name: "Se connecter" })).toBeVisible();
      await expect(page).toHaveURL("/login?next=%2Finbox");
      expect(await readHtml(page, "/register")).toMatch(/<html[^>]* lang="fr"/);
    });
  });
}

test.describe("in German", () => {
  test.use({ locale: "de-AT" });

  test("a refused form says so in the reader's language, at its field", async ({ page, signIn, world }) => {
    await signIn(await world.person("Ida Holm"));
    await page.goto("/account/security");
    await page.getByLabel("Aktuelles Passwort").fill("a loud river at noon");
    await page.getByLabel("Neues Passwort").fill("kurz");
    await page.getByRole("button", { name: "Passwort ändern" }).click();
    await expect(page.getByLabel("Neues Passwort")).toHaveAccessibleDescription(
      /Das neue Passwort muss mindestens \d+ Zeichen lang sein\./,
    );
    await expect(page.getByLabel("Aktuelles Passwort")).not.toHaveAccessibleDescription(/is not/);
  });

  test("what is chosen in the account goes along to every device", async ({ page, signIn, world }) => {
    const person = await world.person("Lina Mora");
    await signIn(person);
    await page.goto("/account");
    await page.getByRole("combobox", { name: "Sprache" }).selectOption("es");
    await page.getByRole("button", { name: "Sprache speichern" }).click();
    await expect(page.getByText("Su idioma se ha guardado.")).toBeVisible();
    await expect(page.locator("html")).toHaveAttribute("lang", "es");
    const { body } = await world.as(person).get("/api/users/me");
    expect(body.account.locale).toBe("es");
    const other = await world.device(person);
    const seen = await other.get("/account", { headers: { "accept-language": "en-GB" } });
    expect(seen.text).toMatch(/<html[^>]* lang="es"/);
  });
});

test.describe("in Arabic", () => {
  test.use({ locale: "ar-EG", javaScriptEnabled: false });

  const expectArabic = async (page: Page, address: string) => {
    await page.goto(address);
    await expect(page.locator("html")).toHaveAttribute("dir", "rtl");
    expect(await language(page)).toBe("ar");
    await expect(page.getByRole("heading", { level: 1 })).not.toHaveText(/[a-z]{3}/i);
    for (const viewport of [PHONE, LAPTOP]) {
      await page.setViewportSize(viewport);
      await expectNoSidewaysScroll(page);
    }
  };

  test("pages run from right to left for a visitor, and fit the screen", async ({ page }) => {
    await checkEach(["/login", "/register", "/nowhere"], (address) => expectArabic(page, address));
  });

  test("so do the pages of whoever is signed in", async ({ page, signIn, world }) => {
    await signIn(await world.person("Nadia Sabri", { events: [[world.event, "Responder"]] }));
    const addresses = ["/account", "/account/security", "/notifications"];
    await checkEach(addresses, (address) => expectArabic(page, address));
  });
});

test("a person is written to in the language of their account", async ({ world }) => {
  const person = await world.person("Zoe Martin");
  expect((await world.as(person).patch("/api/users/me/profile", { locale: "fr" })).status).toBe(200);
  await world.nobody.post("/api/auth/forgot-password", { email: person.email });
  await expect.poll(() => findMailTo(person.email)).toContain('<html lang="fr" dir="ltr">');
  expect(findMailTo(person.email)).toContain("ouvrez ce lien");
});
