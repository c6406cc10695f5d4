import { expect, test } from "./support/test.ts";

test("filters of the list are in the address and survive a reload, a pinned report stays pinned, and a stale page can't overwrite unseen changes", async ({
  page,
  signIn,
  world,
}) => {
  await world.report(world.maya, world.event, { title: "Lantern dispute at the gate" });
  const other = await world.report(world.maya, world.event, { title: "Umbrella dispute at the gate" });
  await world.move(other, "acknowledged");
  await signIn(world.omar);
  await page.goto(`/e/${world.event.slug}/incidents`);
  await page.getByRole("searchbox").fill("dispute at the gate");
  await page.getByRole("button", { name: "Status: Open", exact: true }).click();
  await page.getByRole("checkbox", { name: /^Submitted/ }).uncheck();
  await page.getByRole("checkbox", { name: /^Investigating/ }).uncheck();
  await page.getByRole("button", { name: "Apply" }).last().click();
  await expect(page).toHaveURL(/search=dispute/);
  await expect(page).toHaveURL(/status=acknowledged/);
  await page.reload();
  await expect(page.getByRole("link", { name: "Umbrella dispute at the gate" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Lantern dispute at the gate" })).toHaveCount(0);

  await page.getByRole("button", { name: `Pin “${other.title}”` }).click();
  await expect(page.getByRole("button", { name: `Pin “${other.title}”`, pressed: true })).toBeVisible();
  const { body } = await world.as(world.omar).get(`/api/users/me/pins?eventId=${world.event.id}`);
  expect(body.incidentIds).toContain(other.id);

  await test.step("a stale page can't overwrite unseen changes", async () => {
    const report = await world.report(world.maya, world.event, { title: "A report with two hands on it" });
    await page.route("**/inbox/rows?*", (route) => route.abort());
    await page.goto(`/e/${world.event.slug}/i/${report.id}`);
    await world.move(report, "investigating");
    await page.getByRole("button", { name: "Acknowledge", exact: true }).click();
    await expect(page.getByRole("alert").filter({ hasText: "changed" }).first()).toBeVisible();
  });
});

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("a report is acknowledged, assigned, given a severity, and moved back", async ({
    page,
    signIn,
    world,
  }) => {
    const report = await world.report(world.maya, world.event, { title: "A report without any script" });
    await signIn(world.ada);
    const path = `/e/${world.event.slug}/i/${report.id}`;
    const history = page.locator("section").filter({ has: page.locator("#timeline") });
    await page.goto(path);
    await page.getByRole("button", { name: "Acknowledge", exact: true }).click();
    await expect(page.getByRole("status").getByText("Acknowledged", { exact: true })).toBeVisible();
    await page.locator("summary", { hasText: "Assign to…" }).click();
    const assign = page.getByRole("form", { name: "Assigned to" });
    await assign.getByRole("button", { name: world.omar.name }).click();
    await expect(history).toContainText(`Assigned to ${world.omar.name}`);
    const severity = page.getByRole("form", { name: "Severity" });
    await severity.getByRole("button", { name: "High", exact: true }).click();
    await expect(page.getByRole("main").locator("header").getByText("High", { exact: true })).toBeVisible();
    await expect(severity.getByRole("button", { name: "High", exact: true, pressed: true })).toBeVisible();
    const { body } = await world.as(world.ada).get(`/api/events/${world.event.id}/incidents/${report.id}`);
    expect(body.incident).toMatchObject({
      state: "acknowledged",
      severity: "high",
      assignedResponderId: world.omar.id,
    });
    await page.getByRole("button", { name: "Move back to Submitted", exact: true }).click();
    await expect(page.getByRole("button", { name: "Acknowledge", exact: true })).toBeVisible();
  });
});

test("somebody without a role sees neither the list nor a report, and learns nothing of it", async ({
  context,
  signIn,
  world,
}) => {
  const report = await world.report(world.maya, world.event, { title: "Not for the eyes of others" });
  await signIn(world.nora);
  for (const path of [`/e/${world.event.slug}/incidents`, `/e/${world.event.slug}/i/${report.id}`]) {
    const response = await context.request.get(path);
    expect(response.status()).toBe(403);
    expect(await response.text()).not.toContain(report.title);
  }
  await signIn(world.rita);
  const response = await context.request.get(`/e/${world.event.slug}/i/${report.id}`);
  expect(response.status()).toBe(404);
  expect(await response.text()).not.toContain(report.title);
});
