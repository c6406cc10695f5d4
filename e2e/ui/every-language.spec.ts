import type { Page } from "@playwright/test";
import type { TestWorld } from "#e2e/support/world.ts";
import { createTranslatorForLocale } from "#lib/i18n/catalogue.ts";
import type { Locale } from "#lib/i18n/locales.ts";
import { expect, expectNoSidewaysScroll, expectStructureAccessible, LAPTOP, test } from "./support/test.ts";

/** The pages of those who work with reports, in languages that need more room than English, or run the other way. */

test.describe.configure({ mode: "parallel" });

const NARROWEST = { width: 320, height: 640 };

/** Other journeys run axe on these pages in English, left to right; colors are the same in each language. */
const RIGHT_TO_LEFT = "ar";

type Role = "team" | "organization" | "system";

/** In each chain, the first page is opened by its address, and each of the others has a link on the page before it. */
const CHAINS: readonly { role: Role; pages: readonly string[] }[] = [
  {
    role: "team",
    pages: [
      "/inbox",
      "/e/EVENT/take",
      "/e/EVENT/team",
      "/e/EVENT/settings",
      "/e/EVENT/audit",
      "/e/EVENT/i/REPORT",
      "/e/EVENT/i/REPORT/conversations",
      "/e/EVENT/incidents",
      "/people",
      "/notifications/settings",
    ],
  },
  { role: "team", pages: ["/outside-incidents"] },
  {
    role: "organization",
    pages: [
      "/orgs",
      "/orgs/ORGANIZATION",
      "/orgs/ORGANIZATION/members",
      "/orgs/ORGANIZATION/insights",
      "/orgs/ORGANIZATION/settings",
      "/orgs/ORGANIZATION/webhooks",
      "/orgs/ORGANIZATION/tokens",
      "/orgs/ORGANIZATION/retention",
      "/orgs/ORGANIZATION/audit",
      "/orgs/ORGANIZATION/events",
      "/orgs/ORGANIZATION/events/new",
    ],
  },
  {
    role: "system",
    pages: ["/system", "/system/users", "/system/events", "/system/settings", "/system/audit"],
  },
  { role: "system", pages: ["/reference", "/reference/errors"] },
];

const personOf = (world: TestWorld, role: Role) =>
  ({ team: world.ada, organization: world.olga, system: world.sam })[role];

type Show = (page: Page, address: string, locale: Locale) => Promise<void>;

/**
 * How a language comes from one page to the next. German, with the longest words, has no script: every form is in its
 * place then, and no dialog hides a text.
 */
const showNextIn = { de: show, ar: follow } satisfies Partial<Record<Locale, Show>>;

for (const locale of Object.keys(showNextIn) as (keyof typeof showNextIn)[])
  test.describe(`in ${locale}`, () => {
    test.use({ locale, javaScriptEnabled: locale === RIGHT_TO_LEFT });

    test("pages of a team, an organization and the system fit the screen and are accessible", async ({
      page,
      signIn,
      world,
    }) => {
      test.slow();
      const report = await world.report(world.maya, world.event, { severity: "high" });
      await world.move(report, "investigating", { assignedToUserId: world.omar.id });
      const sizes = [LAPTOP, NARROWEST];
      await page.setViewportSize(LAPTOP);
      for (const { role, pages } of CHAINS) {
        await signIn(personOf(world, role));
        for (const [at, path] of pages.entries()) {
          const address = path
            .replace("EVENT", world.event.slug)
            .replace("REPORT", report.id)
            .replace("ORGANIZATION", world.organization.slug);
          await test.step(address, async () => {
            await (at === 0 ? open : showNextIn[locale])(page, address, locale);
            await expectFits(page, { locale, sizes });
          });
          // The next page opens at the size at which this one is left.
          sizes.reverse();
        }
      }
    });
  });

async function open(page: Page, address: string): Promise<void> {
  expect((await page.goto(address))?.status()).toBe(200);
}

/** Follows a link of the page that is open, which may lie in a closed menu. */
async function follow(page: Page, address: string): Promise<void> {
  const answered = page.waitForResponse((response) => {
    const isPrefetch = "next-router-prefetch" in response.request().headers();
    return !isPrefetch && new URL(response.url()).pathname === address;
  });
  await page.locator(`a[href="${address}"]`).first().dispatchEvent("click");
  expect((await answered).status()).toBe(200);
  // The address changes together with the page.
  await expect(page).toHaveURL(address);
}

/** Shows a page without script in the document that is open, whose styles it has: they are read once. */
async function show(page: Page, address: string, locale: string): Promise<void> {
  const headers = { "Accept-Language": locale };
  const response = await page.request.get(address, { headers, maxRedirects: 0 });
  expect(response.status()).toBe(200);
  const missingStyles = await page.evaluate(
    (html) => {
      const next = new DOMParser().parseFromString(html, "text/html");
      for (const { name, value } of next.documentElement.attributes)
        document.documentElement.setAttribute(name, value);
      document.body.replaceWith(next.body);
      const stylesOf = ({ head }: Document) =>
        [...head.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")].map(({ href }) => href);
      const styles = stylesOf(document);
      return stylesOf(next).filter((style) => !styles.includes(style));
    },
    await response.text(),
  );
  expect(missingStyles).toEqual([]);
  await page.evaluate(() => window.scrollTo(0, 0));
}

type Visit = { locale: Locale; sizes: (typeof LAPTOP)[] };

async function expectFits(page: Page, { locale, sizes }: Visit): Promise<void> {
  await expect(page.locator("html")).toHaveAttribute("lang", locale);
  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toBeVisible();
  await expect(heading).not.toHaveText(createTranslatorForLocale(locale, "failure")("title"));
  for (const size of sizes) {
    await page.setViewportSize(size);
    await expectNoSidewaysScroll(page);
    if (size === LAPTOP && locale === RIGHT_TO_LEFT) await expectStructureAccessible(page);
  }
}
