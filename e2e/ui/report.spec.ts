import { png } from "#e2e/support/evidence.ts";
import { expect, expectAccessible, expectNoSidewaysScroll, PHONE, test } from "./support/test.ts";

test.use({ viewport: PHONE });

const STORY = "Someone kept interrupting and shouted at me in the workshop.";

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("a report with a file is sent from a phone", async ({ page, signIn, world }) => {
    await signIn(world.maya);
    await page.goto(`/e/${world.event.slug}/report`);
    await page.getByLabel("In your own words").fill(STORY);
    await page.getByLabel("One line for the subject").fill("Shouted at in the workshop");
    await page
      .getByLabel("Photos, recordings, documents")
      .setInputFiles({ name: "room.png", mimeType: "image/png", buffer: await png() });
    await page.getByRole("button", { name: "Send report" }).click();
    await expect(page).toHaveURL(/\/report\/sent/);
    const { body } = await world
      .as(world.maya)
      .get(`/api/events/${world.event.id}/incidents?search=workshop`);
    expect(body.incidents[0]).toMatchObject({
      title: "Shouted at in the workshop",
      description: STORY,
      reporterId: world.maya.id,
    });
    expect(body.incidents[0].relatedFiles).toHaveLength(1);
  });

  test("a report without a subject line takes it from the words", async ({ page, signIn, world }) => {
    await signIn(world.rita);
    await page.goto(`/e/${world.event.slug}/report`);
    await page.getByLabel("In your own words").fill("It hurt.");
    await page.getByRole("button", { name: "Send report" }).click();
    await expect(page).toHaveURL(/\/report\/sent/);
  });

  test("a refused report comes back with every word, and says what is wrong", async ({
    page,
    signIn,
    world,
  }) => {
    await signIn(world.maya);
    await page.goto(`/e/${world.event.slug}/report`);
    await page.getByLabel("In your own words").fill(STORY);
    await page.getByLabel("One line for the subject").fill("Too short");
    await page.getByLabel("Where it happened").fill("Room 4");
    await page.getByRole("button", { name: "Send report" }).click();
    await expect(page.getByLabel("In your own words")).toHaveValue(STORY);
    await expect(page.getByLabel("Where it happened")).toHaveValue("Room 4");
    await expect(page.getByRole("alert").first()).toContainText("10 to 70 characters");
  });
});

test("an anonymous report names nobody", async ({ page, signIn, world }) => {
  await signIn(world.maya);
  await page.goto(`/e/${world.event.slug}/report`);
  await page.getByLabel("In your own words").fill("An anonymous word about the talk.");
  await page.getByLabel("One line for the subject").fill("A word about the talk");
  await page.getByLabel("Leave my name out").check();
  await page.getByRole("button", { name: "Send report" }).click();
  await expect(page).toHaveURL(/\/report\/sent/);
  const { body } = await world
    .as(world.omar)
    .get(`/api/events/${world.event.id}/incidents?search=about%20the%20talk`);
  expect(body.incidents[0]).toMatchObject({ reporterId: null, reporter: null });
});

test("a failed send keeps every word and says what to do", async ({ page, signIn, world }) => {
  await signIn(world.maya);
  await page.goto(`/e/${world.event.slug}/report`);
  await page.getByLabel("In your own words").fill(STORY);
  await page.getByLabel("One line for the subject").fill("Shouted at in the workshop");
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Send report" }).click();
  await expect(page.getByRole("alert").first()).toBeVisible();
  await expect(page.getByLabel("In your own words")).toHaveValue(STORY);
  await page.context().setOffline(false);
  await page.getByRole("button", { name: "Send report" }).click();
  await expect(page).toHaveURL(/\/report\/sent/);
});

test("the report form and the event's page are accessible and fit a phone", async ({
  page,
  signIn,
  world,
}) => {
  await page.goto(`/e/${world.event.slug}`);
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await signIn(world.maya);
  await page.goto(`/e/${world.event.slug}/report`);
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScroll(page);
});

test("nothing on the report form comes from another site, and nothing is kept in caches", async ({
  page,
  signIn,
  world,
}) => {
  const foreign: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(process.env.HEED_UI_URL ?? "-")) foreign.push(request.url());
  });
  await signIn(world.maya);
  const response = await page.goto(`/e/${world.event.slug}/report`);
  expect(response?.headers()["cache-control"]).toContain("no-store");
  expect(response?.headers()["referrer-policy"]).toBe("no-referrer");
  expect(foreign).toEqual([]);
});
