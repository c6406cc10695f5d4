import type { TestWorld } from "#e2e/support/world.ts";
import { expect, expectUsableAtEachSize, test } from "./support/test.ts";

/** Webhooks: set up, looked after and ended. The target's name leads nowhere, so every delivery fails. */

const TARGET = "https://hooks.nowhere.invalid/heed";

/** What a delivery says: ids and a state. */
const PAYLOAD = {
  kind: "incident.created",
  at: "2026-11-21T14:30:05.123Z",
  eventId: "00000000-0000-4000-8000-000000000001",
  incidentId: "00000000-0000-4000-8000-000000000002",
  state: "submitted",
};

async function house(world: TestWorld) {
  const place = await world.newOrganization("Hooked House");
  const admin = await world.person("Hanna Hook", { organization: [place, "org_admin"] });
  const list = `/orgs/${place.slug}/webhooks`;
  const setUp = async () => {
    const body = { url: TARGET, kinds: ["incident.created"], description: "For the chat" };
    const { body: answer } = await world.as(admin).post(`/api/organizations/${place.id}/webhooks`, body);
    return answer.webhook.id as string;
  };
  return { place, admin, list, setUp };
}

test("a webhook is set up, shows its secret once, is tested and removed", async ({ page, signIn, world }) => {
  const { admin, list } = await house(world);
  await signIn(admin);
  await page.goto(list);
  await expect(page.getByText("No webhooks yet")).toBeVisible();
  const form = page.getByRole("form", { name: "New webhook" });
  await form.getByLabel("URL").fill("http://hooks.nowhere.invalid/heed");
  await form.getByLabel("New team note").check();
  await form.getByRole("button", { name: "Set up webhook" }).click();
  await expect(form.getByLabel("URL")).toHaveAccessibleDescription(/The URL must be an https address/);
  await expect(form.getByLabel("New team note")).toBeChecked();
  await form.getByLabel("URL").fill(TARGET);
  await form.getByRole("button", { name: "Set up webhook" }).click();
  const made = page.getByLabel("Secret, shown only once");
  await expect(made).toBeFocused();
  const secret = await made.inputValue();
  expect(secret).toMatch(/^whsec_/);
  await page.goto(list);
  expect(await page.content()).not.toContain(secret);
  await page.getByRole("link", { name: TARGET }).click();

  await page.getByRole("button", { name: "Send test message" }).click();
  await expect(page.getByText("A test message is on its way.")).toBeVisible();
  const row = page.getByRole("row", { name: /Test message/ });
  const id = new URL(page.url()).pathname.split("/").at(-1);
  await expect
    .poll(() => world.service.rows("webhook_deliveries", "webhook_id = $1 and state = 'failed'", [id]), {
      timeout: 60_000,
    })
    .toBe(1);
  await page.getByRole("link", { name: "Refresh" }).click();
  await expect(row.first()).toContainText("Failed");
  await expect(row.first()).toContainText("Host name not found");
  await row.first().getByRole("button", { name: "Send again: Test message" }).click();
  await expect(row).toHaveCount(2);

  await page.getByRole("button", { name: "Create new secret" }).click();
  const renewed = await page.getByLabel("Secret, shown only once").inputValue();
  expect(renewed).toMatch(/^whsec_/);
  expect(renewed).not.toBe(secret);

  await page.getByText("Remove…").click();
  await page.getByRole("button", { name: "Remove webhook" }).click();
  await expect(page.getByText("The webhook has been removed.")).toBeVisible();
});

test("a webhook's page is accessible; a disabled webhook says why, and can be enabled again", async ({
  page,
  signIn,
  world,
}) => {
  const { place, admin, list, setUp } = await house(world);
  const id = await setUp();
  await world.service.sql(
    `insert into webhook_deliveries (webhook_id, kind, payload, deduplication_id, state, attempts, response_status, failure, duration_ms, attempted_at)
     select $1, 'incident.created', $2, gen_random_uuid(), state::delivery_state, attempts, status, failure, 120, now()
     from (values ('delivered', 1, 204, null), ('failed', 9, 500, null), ('waiting', 2, null, 'timeout'))
       as made(state, attempts, status, failure)`,
    [id, { ...PAYLOAD, organizationId: place.id }],
  );
  await signIn(admin);
  await page.goto(`${list}/${id}`);
  await expect(page.getByText("HTTP status 204")).toBeVisible();
  await page.getByText("What was sent", { exact: true }).first().click();
  await page.getByText("Node.js").click();
  await expectUsableAtEachSize(page);

  await test.step("a disabled webhook says why, and can be enabled again", async () => {
    await world.service.sql(
      "update webhooks set disabled_at = now(), disabled_reason = 'failures' where id = $1",
      [id],
    );
    await page.goto(list);
    await expect(page.getByText("Off", { exact: true })).toBeVisible();
    await page.getByRole("link", { name: TARGET }).click();
    await expect(page.getByText("turned this webhook off because its deliveries kept failing")).toBeVisible();
    await page.getByRole("button", { name: "Turn on" }).click();
    await expect(page.getByText("On", { exact: true })).toBeVisible();
    await page.getByRole("button", { name: "Turn off" }).click();
    await expect(page.getByText("This webhook is turned off")).toBeVisible();
  });
});
