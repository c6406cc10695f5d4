import type { Page } from "@playwright/test";
import type { TestWorld } from "#e2e/support/world.ts";
import { expect, expectNoSidewaysScroll, expectStructureAccessible, LAPTOP, test } from "./support/test.ts";

/** The pages of those who work with reports, in languages that need more room than English, or run the other way. */

test.describe.configure({ mode: "parallel" });

const NARROWEST = { width: 320, height: 640 };
const SIZES = [LAPTOP, NARROWEST];

/** Other journeys run axe on these pages in English, left to right; colors are the same in each language. */
const RIGHT_TO_LEFT = "ar";

/** The other two without script: every form is in its place then, and no dialog hides a text. */
const WITH_SCRIPT = ["de", RIGHT_TO_LEFT];

type Role = "team" | "organization" | "system";

const PAGES: Record<Role, readonly string[]> = {
  team: [
    "/inbox",
    "/e/EVENT/incidents",
    "/e/EVENT/i/REPORT",
    "/e/EVENT/take",
    "/e/EVENT/i/REPORT/letterboxes",
    "/e/EVENT/team",
    "/e/EVENT/invites",
    "/e/EVENT/settings",
    "/e/EVENT/audit",
    "/notifications/settings",
    "/referrals",
  ],
  organization: [
    "/orgs",
    "/orgs/ORGANIZATION",
    "/orgs/ORGANIZATION/events",
    "/orgs/ORGANIZATION/members",
    "/orgs/ORGANIZATION/invites",
    "/orgs/ORGANIZATION/insights",
    "/orgs/ORGANIZATION/webhooks",
    "/orgs/ORGANIZATION/tokens",
    "/orgs/ORGANIZATION/retention",
    "/orgs/ORGANIZATION/audit",
    "/orgs/ORGANIZATION/settings",
    "/orgs/ORGANIZATION/events/new",
  ],
  system: [
    "/system",
    "/system/users",
    "/system/events",
    "/system/settings",
    "/system/audit",
    "/reference",
    "/reference/errors",
  ],
};

const personOf = (world: TestWorld, role: Role) =>
  ({ team: world.ada, organization: world.olga, system: world.sam })[role];

for (const locale of ["de", "es", "fr", "ar"])
  test.describe(`in ${locale}`, () => {
    test.use({ locale, javaScriptEnabled: WITH_SCRIPT.includes(locale) });

    for (const role of Object.keys(PAGES) as Role[])
      test(`pages of the ${role} fit the screen and are accessible`, async ({ page, signIn, world }) => {
        test.slow();
        const report = await world.report(world.maya, world.event, { severity: "high" });
        await world.move(report, "investigating", { assignedToUserId: world.omar.id });
        await signIn(personOf(world, role));
        for (const [at, path] of PAGES[role].entries()) {
          const address = path
            .replace("EVENT", world.event.slug)
            .replace("REPORT", report.id)
            .replace("ORGANIZATION", world.organization.slug);
          // Each page opens at the size at which the one before was left.
          await expectFits(page, { address, locale, sizes: at % 2 === 0 ? SIZES : SIZES.toReversed() });
        }
      });
  });

type Visit = { address: string; locale: string; sizes: (typeof LAPTOP)[] };

async function expectFits(page: Page, { address, locale, sizes }: Visit): Promise<void> {
  await page.setViewportSize(sizes[0] ?? LAPTOP);
  expect((await page.goto(address))?.status(), address).toBe(200);
  await expect(page.locator("html")).toHaveAttribute("lang", locale);
  for (const size of sizes) {
    await page.setViewportSize(size);
    await expectNoSidewaysScroll(page);
    if (size === LAPTOP && locale === RIGHT_TO_LEFT) await expectStructureAccessible(page);
  }
}
