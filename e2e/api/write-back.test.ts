import { expect, test } from "vitest";
import { ApiDescription, type Json } from "#e2e/support/api-description.ts";
import { buildForm, createPng } from "#e2e/support/evidence.ts";
import { shareService } from "#e2e/support/service.ts";
import { TestWorld, type TestPerson } from "#e2e/support/world.ts";

/** What was read can be written back: members of a record, sent to its update as they are, change nothing. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, maya, olga, omar, organization, sam, viktor } = world;
const description = new ApiDescription((await world.nobody.get("/api/openapi.json")).body);

const EVENT = `/api/events/slug/${event.slug}`;
const ORGANIZATION = `/api/organizations/${organization.id}`;

type UpdatableRecord = {
  by: TestPerson;
  update: [method: "PUT" | "PATCH", describedPath: string, path: string];
  read: () => Promise<Json>;
};

const read = async (by: TestPerson, path: string) => (await world.as(by).get(path)).body;
const create = async (by: TestPerson, path: string, body: Json) => (await world.as(by).post(path, body)).body;

async function listRecords(): Promise<Record<string, UpdatableRecord>> {
  const { incident } = await create(maya, `${EVENT}/incidents`, {
    title: "A report with everything",
    description: "All.",
  });
  const INCIDENT = `${EVENT}/incidents/${incident.id}`;
  const files = buildForm({}, { name: "note.txt", bytes: "A note" });
  const [file] = (await world.as(omar).post(`${INCIDENT}/related-files`, files)).body.relatedFiles;
  const at = "/api/events/slug/{slug}/incidents/{incidentId}";
  await world.as(omar).patch(INCIDENT, {
    severity: "high",
    assignedResponderId: omar.id,
    resolution: "Settled.",
    state: "resolved",
  });
  const { comment } = await create(omar, `${INCIDENT}/comments`, { body: "A note", visibility: "internal" });
  const of = async (path: string, list: string, id: string) =>
    (await read(path.startsWith(EVENT) ? ada : olga, path))[list].find((one: Json) => one.id === id);
  const organizationInvite = (
    await create(olga, `${ORGANIZATION}/invites`, { role: "org_viewer", note: "For Kim" })
  ).invite;
  const eventInvite = (await create(ada, `${EVENT}/invites`, { role: "Responder", maxUses: 3 })).invite;
  const { webhook } = await create(olga, `${ORGANIZATION}/webhooks`, {
    url: "https://example.org/hook",
    kinds: ["incident.created"],
  });
  await world.as(olga).put(`${ORGANIZATION}/outcome-templates`, {
    templates: [{ locale: "de", state: "closed", body: "Danke. [Was wir getan haben]" }],
  });
  // A text from before texts needed a gap.
  await heed.sql(
    "insert into outcome_templates (organization_id, locale, state, body) values ($1, 'fr', 'closed', 'Merci.')",
    [organization.id],
  );
  await world.as(olga).put(`${ORGANIZATION}/retention`, { closedMonths: 24 });
  return {
    "an organization": {
      by: olga,
      update: ["PUT", "/api/organizations/{organizationId}", ORGANIZATION],
      read: async () => (await read(olga, ORGANIZATION)).organization,
    },
    "an event": {
      by: ada,
      update: ["PATCH", "/api/events/slug/{slug}", EVENT],
      read: async () => (await read(ada, EVENT)).event,
    },
    "what an event says to reporters": {
      by: ada,
      update: ["PATCH", "/api/events/slug/{slug}/report-settings", `${EVENT}/report-settings`],
      read: async () => (await read(ada, `${EVENT}/report-settings`)).reportSettings,
    },
    "an invite of an event": {
      by: ada,
      update: ["PATCH", "/api/events/slug/{slug}/invites/{inviteId}", `${EVENT}/invites/${eventInvite.id}`],
      read: () => of(`${EVENT}/invites`, "invites", eventInvite.id),
    },
    "an invite of an organization": {
      by: olga,
      update: [
        "PATCH",
        "/api/organizations/{organizationId}/invites/{inviteId}",
        `${ORGANIZATION}/invites/${organizationInvite.id}`,
      ],
      read: () => of(`${ORGANIZATION}/invites`, "invites", organizationInvite.id),
    },
    "a webhook": {
      by: olga,
      update: [
        "PATCH",
        "/api/organizations/{organizationId}/webhooks/{webhookId}",
        `${ORGANIZATION}/webhooks/${webhook.id}`,
      ],
      read: async () => (await read(olga, `${ORGANIZATION}/webhooks/${webhook.id}`)).webhook,
    },
    "outcome templates": {
      by: olga,
      update: [
        "PUT",
        "/api/organizations/{organizationId}/outcome-templates",
        `${ORGANIZATION}/outcome-templates`,
      ],
      read: () => read(olga, `${ORGANIZATION}/outcome-templates`),
    },
    "retention rules": {
      by: olga,
      update: ["PUT", "/api/organizations/{organizationId}/retention", `${ORGANIZATION}/retention`],
      read: async () => (await read(olga, `${ORGANIZATION}/retention`)).rules,
    },
    "a profile": {
      by: maya,
      update: ["PATCH", "/api/users/me/profile", "/api/users/me/profile"],
      read: async () => (await read(maya, "/api/session")).user,
    },
    "notification settings": {
      by: omar,
      update: ["PUT", "/api/users/me/notification-settings", "/api/users/me/notification-settings"],
      read: () => read(omar, "/api/users/me/notification-settings"),
    },
    "the settings of the installation": {
      by: sam,
      update: ["PATCH", "/api/admin/settings", "/api/admin/settings"],
      read: () => read(sam, "/api/admin/settings"),
    },
    "an incident": {
      by: omar,
      update: ["PATCH", at, INCIDENT],
      read: async () => (await read(omar, INCIDENT)).incident,
    },
    "a title": {
      by: omar,
      update: ["PATCH", `${at}/title`, `${INCIDENT}/title`],
      read: async () => (await read(omar, INCIDENT)).incident,
    },
    "a file of an incident": {
      by: omar,
      update: ["PATCH", `${at}/related-files/{fileId}`, `${INCIDENT}/related-files/${file.id}`],
      read: async () =>
        (await read(omar, INCIDENT)).incident.relatedFiles.find(({ id }: Json) => id === file.id),
    },
    "a person of an event": {
      by: ada,
      update: ["PATCH", "/api/events/slug/{slug}/users/{userId}", `${EVENT}/users/${omar.id}`],
      read: async () => {
        const { user, roles } = await read(ada, `${EVENT}/users/${omar.id}`);
        return { ...user, role: roles[0] };
      },
    },
    "a member of an organization": {
      by: olga,
      update: [
        "PUT",
        "/api/organizations/{organizationId}/members/{userId}",
        `${ORGANIZATION}/members/${viktor.id}`,
      ],
      read: async () =>
        (await read(olga, `${ORGANIZATION}/members`)).members.find(({ user }: Json) => user.id === viktor.id),
    },
    "the outside person": {
      by: olga,
      update: ["PUT", "/api/organizations/{organizationId}/outside-person", `${ORGANIZATION}/outside-person`],
      read: () => read(olga, `${ORGANIZATION}/outside-person`),
    },
    "an account": {
      by: sam,
      update: ["PATCH", "/api/admin/users/{userId}", `/api/admin/users/${maya.id}`],
      read: async () => (await read(sam, `/api/admin/users/${maya.id}`)).user,
    },
    "a comment": {
      by: omar,
      update: ["PATCH", `${at}/comments/{commentId}`, `${INCIDENT}/comments/${comment.id}`],
      read: async () =>
        (await read(omar, `${INCIDENT}/comments`)).comments.find(({ id }: Json) => id === comment.id),
    },
  };
}

const RECORDS = await listRecords();

/** What changes something without a record that has the same members: steps of a workflow, answers, and passwords. */
const STEPS = [
  "changeIncidentPerson",
  "changeIncidentState",
  "changePassword",
  "markAllNotificationsRead",
  "markNotificationRead",
  "putIncidentReader",
  "putReportedPerson",
  "reopenIncident",
  "setHold",
];

test("every update of the interface is one of a record here, or a step", () => {
  const nameOf = ({ operation }: { operation: Json }) => operation.operationId.split("_")[0] as string;
  const updates = description.operations.filter(({ method }) => method === "PUT" || method === "PATCH");
  const tested = Object.values(RECORDS).map(({ update: [method, path] }) => `${method} ${path}`);
  const names = updates.filter(({ title }) => tested.includes(title)).map(nameOf);
  // A title has an operation by id and one by slug.
  const known = [...names, ...STEPS, "retitleIncidentByEventId"];
  expect(known.toSorted()).toEqual([...new Set(updates.map(nameOf))].toSorted());
});

/** The members of a record that its update doesn't know. */
function listReadOnlyNames(method: string, path: string, record: Json): string[] {
  const found = description.operations.find((one) => one.method === method && one.path === path);
  const { properties } = found?.operation.requestBody.content["application/json"].schema ?? {};
  return Object.keys(record).filter((name) => !(name in properties));
}

test.each(Object.entries(RECORDS))(
  "%s can be written back as it was read, and what can't be written is named",
  async (_, { by, update, read }) => {
    const [method, describedPath, path] = update;
    const before = await read();
    const readOnly = listReadOnlyNames(method, describedPath, before);
    expect(readOnly.length).toBeLessThan(Object.keys(before).length);
    const reply = await world.as(by).send(method, path, before);
    expect(reply.status, reply.text).toBe(200);
    expect(
      String(reply.headers["x-ignored"] ?? "")
        .split(", ")
        .filter(Boolean),
    ).toEqual(readOnly);
    expect(await read()).toEqual(before);
  },
);

test("an organization without texts or an outside person writes that back, too", async () => {
  const { organization: empty } = (
    await world.as(sam).post("/api/organizations", { name: "Empty", slug: "empty-records" })
  ).body;
  for (const name of ["outcome-templates", "outside-person"]) {
    const path = `/api/organizations/${empty.id}/${name}`;
    const reply = await world.as(sam).put(path, await read(sam, path));
    expect(reply.status, reply.text).toBe(200);
  }
});

test("an event with an uploaded logo keeps it, however its address is written, until it is null", async () => {
  const form = new FormData();
  form.append("logo", new Blob([new Uint8Array(await createPng())]), "logo.png");
  const uploaded = (await world.as(ada).post(`${EVENT}/logo`, form)).body.event.logo as string;
  const { pathname, search } = new URL(uploaded);
  for (const logo of [uploaded, `${pathname}${search}`, `${EVENT}/logo`, pathname.replace("/api", "")]) {
    const { status, text, body } = await world.as(ada).patch(EVENT, { name: event.name, logo });
    expect([status, body.event?.logo], `${logo}: ${text}`).toEqual([200, uploaded]);
    expect((await world.nobody.get(`${EVENT}/logo`)).status, logo).toBe(200);
  }
  const other = `/api/events/${world.organization.id}/logo`;
  expect((await world.as(ada).patch(EVENT, { logo: other })).status).toBe(400);
  expect((await world.as(ada).patch(EVENT, { logo: null })).body.event.logo).toBeNull();
  expect((await world.nobody.get(`${EVENT}/logo`)).status).toBe(404);
});
