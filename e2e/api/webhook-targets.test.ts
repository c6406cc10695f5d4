import { expect, test } from "vitest";
import { startWebhookReceiver } from "#e2e/support/receiver.ts";
import { shareService } from "#e2e/support/service.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld } from "#e2e/support/world.ts";

/** Where webhooks may not lead, as long as the operator doesn't say otherwise. */

const heed = await shareService();
const receiver = await startWebhookReceiver();
const world = await TestWorld.build(heed);
const { olga, organization } = world;
const PATH = `/api/organizations/${organization.id}/webhooks`;
const port = new URL(receiver.url).port;

test.each([`http://127.0.0.1:${port}/x`, "https://0x7f.1/x", "https://169.254.169.254/latest/meta-data"])(
  "refuses %s, when it is set up and when it is changed",
  async (url) => {
    const reply = await world.as(olga).post(PATH, { url, kinds: ["incident.created"] });
    expect([reply.status, reply.body.code]).toEqual([400, "VALIDATION_ERROR"]);
    expect(reply.body.details).toMatch(/^url: must/);
    expect(await heed.rows("webhooks", "organization_id = $1", [organization.id])).toBe(0);
    const fine = { url: "https://hooks.invalid/x", kinds: ["incident.created"] };
    const { webhook } = (await world.as(olga).post(PATH, fine)).body;
    expect((await world.as(olga).patch(`${PATH}/${webhook.id}`, { url })).status).toBe(400);
    await world.as(olga).delete(`${PATH}/${webhook.id}`);
  },
);

test.each([
  [`https://localhost:${port}/x`, "private-address"],
  [`https://[::ffff:127.0.0.1]:${port}/x`, "private-address"],
  [`http://127.0.0.1:${port}/x`, "not-https"],
])("never connects to %s, even if a stored webhook has that URL", async (url, failure) => {
  const fine = { url: "https://hooks.invalid/x", kinds: ["incident.created"] };
  const { webhook } = (await world.as(olga).post(PATH, fine)).body;
  await heed.sql("update webhooks set url = $2 where id = $1", [webhook.id, url]);
  await world.as(olga).post(`${PATH}/${webhook.id}/test`);
  const [delivery] = await waitUntil("the delivery", async () => {
    const { deliveries } = (await world.as(olga).get(`${PATH}/${webhook.id}/deliveries`)).body;
    return deliveries[0].state === "failed" && deliveries;
  });
  expect(delivery).toMatchObject({ responseStatus: null, failure, attempts: 1 });
  expect(receiver.connections).toBe(0);
});
