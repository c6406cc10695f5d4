import { expect, test } from "vitest";
import { type OpenApiDocument, listApiReferenceEndpoints } from "./api-reference.ts";

const json = (schema: object) => ({ content: { "application/json": { schema } } });
const place = { type: "object", properties: { id: { type: "string", format: "uuid" } }, required: ["id"] };
const thing = { $ref: "#/components/schemas/Thing" };
const list = {
  operationId: "listThings_events_eventId_incidents",
  summary: "The things",
  security: [{ session: [] }, { token: [] }],
  parameters: [
    { name: "page", in: "query", required: false, schema: { type: "integer", minimum: 1, default: 1 } },
    { name: "search", in: "query", required: true, schema: { type: "string", minLength: 2, maxLength: 200 } },
  ],
  responses: {
    200: json({
      type: "object",
      required: ["things"],
      properties: {
        things: { type: "array", items: thing },
        next: { anyOf: [{ type: "integer" }, { type: "null" }] },
      },
    }),
    default: json({}),
  },
};
const create = {
  operationId: "createThing_events_eventId_incidents",
  summary: "Make a thing",
  security: [{ session: [] }],
  requestBody: json({
    type: "object",
    required: ["title", "state"],
    properties: {
      title: { type: "string", minLength: 10 },
      state: { enum: ["open", "done"] },
      note: { type: "string" },
    },
  }),
  responses: { 204: {}, default: {} },
};
const document: OpenApiDocument = {
  servers: [{ url: "https://heed.example" }],
  components: { schemas: { Thing: place } },
  paths: {
    "/api/events/{eventId}/incidents": { parameters: [], get: list, post: create },
    "/api/events/slug/{slug}/incidents": {
      parameters: [],
      get: { ...list, operationId: "listThings_events_slug_slug_incidents" },
    },
    "/events/{eventId}/incidents": {
      parameters: [],
      get: { ...list, operationId: "listThings__events_eventId_incidents" },
    },
    "/api/auth/login": {
      post: { operationId: "login_auth_login", summary: "In", security: [], responses: { 200: {} } },
    },
  },
};

const [login, made, listed] = (() => {
  const all = listApiReferenceEndpoints(document);
  const named = (id: string) => all.find((one) => one.id === id);
  return [named("login"), named("createThing"), named("listThings")];
})();

test("an operation with several paths is listed once, with the other paths", () => {
  expect(listApiReferenceEndpoints(document)).toHaveLength(3);
  expect(listed?.also).toEqual(["/api/events/slug/{slug}/incidents"]);
});

test("groups follow the path, and the groups their order", () => {
  expect(listApiReferenceEndpoints(document).map(({ group }) => group)).toEqual([
    "auth",
    "incidents",
    "incidents",
  ]);
});

test("fields are listed with nested fields, limits and defaults", () => {
  expect(listed?.query).toEqual([
    { name: "page", type: "integer", required: false, about: "from 1, default 1" },
    { name: "search", type: "string", required: true, about: "2 to 200 characters" },
  ]);
  expect(listed?.answer).toEqual([
    { name: "things[]", type: "object[]", required: true, about: "" },
    { name: "things[].id", type: "uuid", required: true, about: "" },
    { name: "next", type: "integer | null", required: false, about: "" },
  ]);
});

test("access is derived from the security of an operation", () => {
  expect([login?.access, made?.access, listed?.access]).toEqual(["public", "session", "token"]);
});

test("the example call has required fields, a quoted URL and credentials", () => {
  expect(listed?.curl).toBe(
    'curl "https://heed.example/api/events/$EVENT_ID/incidents?search=words" \\\n  -H "Authorization: Bearer $TOKEN"',
  );
  expect(made?.curl).toContain(`-d '{"title":"words words","state":"open"}'`);
  expect(made?.curl).toContain("-b cookies.txt");
});
