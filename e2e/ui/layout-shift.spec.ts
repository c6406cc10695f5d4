import { buildForm, createPng } from "#e2e/support/evidence.ts";
import { measurePageLoad } from "#e2e/support/page-load.ts";
import type { TestWorld } from "#e2e/support/world.ts";
import { expect, PHONE, test } from "./support/test.ts";

/** Pages stand still while they load on a slow phone, logo and web font included. */

test.use({ viewport: PHONE });

const MAX_SHIFT = 0.02;

/** The event with a logo, a code of conduct and a report that omar handles. */
async function prepare(world: TestWorld): Promise<{ id: string }> {
  const { ada, event, maya, omar } = world;
  const logo = buildForm(
    {},
    { field: "logo", name: "logo.png", bytes: await createPng(), type: "image/png" },
  );
  expect((await world.as(ada).post(`/api/events/slug/${event.slug}/logo`, logo)).status).toBe(200);
  await world.as(ada).patch(`/api/events/slug/${event.slug}`, {
    contactEmail: "care@riverside.example.org",
    description: "A weekend of talks, workshops and walks along the river, for everybody who comes.",
    codeOfConduct: "# Be kind\n\nTreat each other with respect.\n\n# Tell us\n\nWe read every report.",
  });
  const report = await world.report(maya, event, { severity: "high" });
  await world.move(report, "investigating", { assignedToUserId: omar.id });
  return report;
}

test("the pages of a visitor, a reporter and a responder don’t move while they load", async ({
  page,
  signIn,
  world,
}) => {
  test.slow();
  const { id } = await prepare(world);
  const { slug } = world.event;
  const pages = [
    ["event", null, `/e/${slug}`],
    ["report", world.maya, `/e/${slug}/report`],
    ["inbox", world.omar, "/inbox"],
    ["incident", world.omar, `/e/${slug}/i/${id}`],
  ] as const;
  const found: Record<string, unknown> = {};
  for (const [name, person, address] of pages) {
    if (person) await signIn(person);
    const { shift, moved } = await measurePageLoad(page, address);
    const isFontThere = await page.evaluate(() =>
      document.fonts.check('16px "Atkinson Hyperlegible Next Variable"'),
    );
    expect(isFontThere, `${name} has its web font`).toBe(true);
    if (shift > MAX_SHIFT) found[name] = [shift, moved];
  }
  expect(found).toEqual({});
});

test.describe("while a page arrives", () => {
  test.use({ javaScriptEnabled: false });

  test("the explanation of quick exit appears once the page has loaded", async ({ page, world }) => {
    const address = `/e/${world.event.slug}`;
    const explanation = page.getByText(/signs you out here and opens another page/);
    let isCutShort = true;
    await page.route(`**${address}`, async (route) => {
      const response = await route.fetch();
      const html = await response.text();
      await route.fulfill({ response, body: isCutShort ? html.slice(0, html.indexOf("</main>")) : html });
    });
    await page.goto(address);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(explanation).toBeHidden();
    isCutShort = false;
    await page.goto(address);
    await expect(explanation).toBeVisible();
  });
});
