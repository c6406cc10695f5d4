import { expect, test } from "vitest";
import { shareService } from "#e2e/support/service.ts";
import { TestWorld, type EventRef, type TestPerson } from "#e2e/support/world.ts";

/** What an event still needs before it is announced (contract 6.9). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, nobody, olga, omar, organization } = world;

async function newEvent(): Promise<EventRef> {
  const made = await world.newEvent(organization);
  await world.grant(ada, made, "Admin");
  return made;
}

const path = (of: EventRef) => `/api/events/slug/${of.slug}/go-live`;
const stepsOf = async (of: EventRef): Promise<Record<string, boolean>> => {
  const { status, body } = await world.as(ada).get(path(of));
  expect(status).toBe(200);
  const steps = Object.fromEntries(
    body.goLive.steps.map((one: { step: string; done: boolean }) => [one.step, one.done]),
  );
  expect(body.goLive.ready).toBe(Object.values(steps).every(Boolean));
  return steps;
};

const NOTHING = { team: false, reporting: false, contact: false, conduct: false, poster: false };

test("each step is done once the service has seen it, and the event is ready with the last", async () => {
  const of = await newEvent();
  const api = `/api/events/slug/${of.slug}`;
  expect(await stepsOf(of)).toEqual(NOTHING);

  await world.as(ada).patch(api, { contactEmail: "care@example.org" });
  expect(await stepsOf(of)).toEqual(NOTHING);
  await world.as(ada).patch(`${api}/report-settings`, { emergencyContact: "112" });
  await world.as(ada).patch(api, { codeOfConduct: "Be kind." });
  expect(await stepsOf(of)).toEqual({ ...NOTHING, contact: true, conduct: true });

  const { updatedAt } = (await nobody.get(`${api}/report-settings`)).body.reportSettings;
  expect((await world.as(ada).get(`/e/${of.slug}/invites/poster`)).text).toContain(`/e/${of.slug}/report`);
  expect(await stepsOf(of)).toMatchObject({ poster: true });
  expect((await nobody.get(`${api}/report-settings`)).body.reportSettings.updatedAt).toBe(updatedAt);

  expect(
    (
      await world
        .as(world.nora)
        .post(`${api}/reports`, { title: "A report to try it out", description: "A test.", anonymous: true })
    ).status,
  ).toBe(201);
  expect(await stepsOf(of)).toMatchObject({ reporting: true, team: false });
  await world.grant(await world.person("Second Reader"), of, "Responder");
  expect(await stepsOf(of)).toEqual({
    team: true,
    reporting: true,
    contact: true,
    conduct: true,
    poster: true,
  });
});

test("the poster leads to the form itself where no account is needed, and to sign-in elsewhere", async () => {
  const of = await newEvent();
  const settings = `/api/events/slug/${of.slug}/report-settings`;
  const loadForm = () => nobody.get(`/e/${of.slug}/report`);
  for (const [showTeam, field, otherField] of [
    [false, "excludedName", "excludedUserIds[]"],
    [true, "excludedUserIds[]", "excludedName"],
  ] as const) {
    await world.as(ada).patch(settings, { showTeam });
    const { status, text } = await loadForm();
    expect(status).toBe(200);
    for (const name of ["description", "aboutTeam", field]) expect(text).toContain(`name="${name}"`);
    expect(text).not.toContain(`name="${otherField}"`);
    expect(text).toContain(`href="/login?next=${encodeURIComponent(`/e/${of.slug}/report`)}"`);
  }
  await world.as(ada).patch(settings, { withoutAccount: false });
  const { status, headers } = await loadForm();
  expect([status, headers.location]).toEqual([307, expect.stringMatching(/\/login\?/)]);
});

test("a team counts neither people who can’t read yet nor Reporters", async () => {
  const of = await newEvent();
  await world.person("Only Reporter", { events: [[of, "Reporter"]] });
  const disabled = await world.person("Disabled Responder", { events: [[of, "Responder"]] });
  await heed.sql("update users set disabled_at = now() where id = $1", [disabled.id]);
  await world.invite(await world.person("Invited Responder"), of, "Responder");
  expect(await stepsOf(of)).toEqual({ ...NOTHING, reporting: true });
});

test("opening the poster of an event without settings doesn't change their `updatedAt`", async () => {
  const of = await newEvent();
  const settings = () => nobody.get(`/api/events/slug/${of.slug}/report-settings`);
  const before = (await settings()).body;
  await world.as(ada).get(`/e/${of.slug}/invites/poster`);
  expect((await settings()).body).toEqual(before);
});

test("the checklist is on the event’s page for its Admins only, until everything is done", async () => {
  const of = await newEvent();
  await world.grant(omar, of, "Responder");
  const page = async (person: TestPerson) => (await world.as(person).get(`/e/${of.slug}`)).text;
  expect(await page(ada)).toContain("Before you announce this event");
  for (const other of [omar, olga, world.maya])
    expect(await page(other)).not.toContain("Before you announce");
  expect((await world.as(omar).get(`/api/events/${event.id}/go-live`)).status).toBe(403);
  await world.as(ada).patch(`/api/events/slug/${of.slug}`, { isActive: false });
  expect(await page(ada)).not.toContain("Before you announce");
});
