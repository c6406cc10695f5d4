import { describe, expect, test } from "vitest";
import { listAliases, Caller, addRowTitles, ROWS, type Row } from "#e2e/api/routes.ts";
import type { Reply } from "#e2e/support/client.ts";
import { ApiDescription, type Json } from "#e2e/support/api-description.ts";
import { listSourceFiles, readSourceFile } from "#e2e/support/source-files.ts";
import { shareService } from "#e2e/support/service.ts";
import { TestWorld } from "#e2e/support/world.ts";
import { VERSION } from "#lib/version.ts";

/**
 * The OpenAPI document beside the interface as we wrote it down by hand (`routes.ts`), and beside what the service
 * returns.
 */

const heed = await shareService();
const world = await TestWorld.build(heed);
const caller = await Caller.over(world);

type Operation = Json & { operationId: string; responses: Record<string, Json> };

const reply = await world.nobody.get("/api/openapi.json");
const description = new ApiDescription(reply.body);
const { operations: OPERATIONS } = description;
/** As it is served, with references. */
const document: Json = reply.body;
const validator = (pointer: string) => description.validator(pointer);

const NAMED = OPERATIONS.map((one) => [one.title, one] as const);
const titleOf = ({ method, path }: Row) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`;
const describedBy = (row: Row) => {
  const found = OPERATIONS.find(({ title }) => title === titleOf(row));
  if (!found) throw new Error(`${titleOf(row)} is not in the document`);
  return found;
};
const operationOf = (row: Row) => describedBy(row).operation as Operation;

/** Every object in a value, with the place where it stands. */
function* objectsIn(value: unknown, at = "#"): Generator<[at: string, object: Json]> {
  if (!value || typeof value !== "object") return;
  if (!Array.isArray(value)) yield [at, value as Json];
  for (const [name, inner] of Object.entries(value))
    yield* objectsIn(inner, `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
}

describe("the document", () => {
  test("is a public OpenAPI 3.1 document of this service", () => {
    expect(reply.status).toBe(200);
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(Object.keys(document).sort()).toEqual([
      "components",
      "info",
      "openapi",
      "paths",
      "servers",
      "tags",
      "webhooks",
    ]);
    expect(document.info).toMatchObject({ title: "Heed", version: VERSION });
    expect(document.servers).toEqual([{ url: `http://localhost:${heed.port}` }]);
  });

  test("has every endpoint of the interface with its other addresses, and no more", () => {
    const titles = ROWS.flatMap((row) =>
      [row.path, ...listAliases(row)].map((path) => titleOf({ ...row, path })),
    );
    const described = [...OPERATIONS, ...description.aliases];
    expect(described.map(({ title }) => title).sort()).toEqual(titles.sort());
  });

  test("has a tag, and may be cached by anybody", async () => {
    const { etag, "cache-control": caching } = reply.headers;
    expect(caching).toMatch(/^public/);
    const again = await world.nobody.get("/api/openapi.json", { headers: { "if-none-match": etag } });
    expect([again.status, again.text]).toEqual([304, ""]);
  });

  test("gives each operation a unique operationId that is a valid identifier", () => {
    const ids = [...OPERATIONS, ...description.aliases].map(({ operation }) => operation.operationId);
    // Generators drop underscores and capitals, or change them.
    const folded = ids.map((id) => id.replaceAll("_", "").toLowerCase());
    expect(ids.filter((_, at) => folded.indexOf(folded[at] ?? "") !== at)).toEqual([]);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z_]\w*$/);
  });

  test.each(NAMED)("%s is described in whole", (_, { item, operation }) => {
    expect(operation.summary).toMatch(/\S/);
    expect(operation.description).toMatch(/^(Anyone|For) /);
    const parameters: Json[] = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
    for (const one of parameters) expect(typeof one.schema, `${one.name} has a schema`).toBe("object");
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(["500", "503", "default"]));
    for (const answer of Object.values<Json>(operation.responses)) {
      expect(answer.description).toMatch(/\S/);
      mediaTypesOf(answer);
    }
    expect(operation.responses.default?.content["application/json"].schema.required).toEqual([
      "error",
      "details",
      "code",
    ]);
    if (operation.requestBody) {
      expect(operation.requestBody.required).toBe(true);
      // Of two media types generators take either one; with JSON they would lose the files.
      expect(mediaTypesOf(operation.requestBody)).toHaveLength(1);
    }
  });

  function mediaTypesOf({ content = {} }: Json): string[] {
    for (const [type, { schema }] of Object.entries<Json>(content)) {
      expect(type).toMatch(/^([\w.+-]+\/[\w.+-]+|\*\/\*)$/);
      expect(typeof schema, type).toBe("object");
    }
    return Object.keys(content);
  }

  test("has schemas that a validator takes, each of them", () => {
    const schemas = [...objectsIn(description.document)].filter(([at]) =>
      /\/(schema|schemas\/\w+)$/.test(at),
    );
    expect(schemas.length).toBeGreaterThan(ROWS.length);
    for (const [at] of schemas) expect(typeof validator(at), at).toBe("function");
  });
});

describe("a linter with its recommended rules", async () => {
  const problems = await lint(document);
  const messagesOf = (severity: string) =>
    problems
      .filter((problem) => problem.severity === severity && !ACCEPTED_RULES.includes(problem.ruleId))
      .map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`);

  test("finds no error", () => expect(messagesOf("error")).toEqual([]));
  test("warns of nothing that could be otherwise", () => expect(messagesOf("warn")).toEqual([]));
});

/** Slugs stand where ids stand, after the word `slug` (contract 3.1); and here the service is at localhost. */
const ACCEPTED_RULES = ["no-ambiguous-paths", "no-server-example.com"];

type LintProblem = {
  ruleId: string;
  severity: string;
  message: string;
  location: { pointer?: string }[];
};

async function lint(source: Json): Promise<LintProblem[]> {
  // As string: the types of the package don't hold under the options of this project.
  const { createConfig, lintFromString } = await import("@redocly/openapi-core" as string);
  const config = await createConfig({ extends: ["recommended"] });
  return lintFromString({ source: JSON.stringify(source), absoluteRef: "/openapi.json", config });
}

describe("what strict generators need", () => {
  const schemas = [...objectsIn(document)].filter(([at]) => at.startsWith("#/"));

  test("no boolean lists texts, and no schema has another type than its values", () => {
    for (const [at, { type, enum: values }] of schemas)
      if (Array.isArray(values) && typeof type === "string")
        for (const value of values) expect(typeof value, at).toBe(type);
  });

  test("records have names, and responses refer to them", () => {
    const { schema } =
      document.paths["/api/events/{eventId}/incidents/{incidentId}"].get.responses[200].content[
        "application/json"
      ];
    expect(schema.properties.incident).toEqual({ $ref: "#/components/schemas/Incident" });
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(["Comment", "Event", "Incident", "Note", "Organization", "RelatedFile", "User"]),
    );
  });

  test("responses may have more members", () => {
    const closed = schemas.filter(([, value]) => value.additionalProperties === false);
    const isRequest = (at: string) => at.includes("/requestBody/") || at.startsWith("#/components/schemas/");
    expect(closed.map(([at]) => at).filter((at) => !isRequest(at))).toEqual([]);
    expect(document.components.schemas.Incident.additionalProperties).toBeUndefined();
  });

  test.each([
    "Event",
    "Incident",
    "IncidentPerson",
    "IncidentReporter",
    "NewEvent",
    "NewIncident",
    "RelatedFile",
  ])("each property of %s has a description", (name) => {
    const properties = Object.entries<Json>(document.components.schemas[name].properties);
    const bare = properties.filter(([, { description: text }]) => !text).map(([property]) => property);
    expect(bare).toEqual([]);
  });

  test("examples are ones that the service would send or accept", () => {
    const examples = schemas.flatMap(([at, { examples: all }]) =>
      Array.isArray(all) ? all.map((one) => [at, one] as const) : [],
    );
    for (const name of ["Event", "Incident", "NewEvent", "NewIncident"])
      expect(examples.map(([at]) => at)).toContain(`#/components/schemas/${name}`);
    for (const [at, example] of examples) {
      const validate = validator(at);
      expect([validate(example), validate.errors], at).toEqual([true, null]);
    }
    const { Event, Incident } = document.components.schemas;
    for (const {
      properties,
      examples: [example],
    } of [Event, Incident])
      expect(Object.keys(example)).toEqual(Object.keys(properties));
  });

  test("a body refuses other members where its operation does", () => {
    const bodyOf = (path: string) => document.paths[path].post.requestBody.content["application/json"].schema;
    const own = bodyOf("/api/users/me/saved-views");
    expect(own).toEqual({ $ref: "#/components/schemas/NewSavedView", unevaluatedProperties: false });
    expect(bodyOf("/api/organizations")).toEqual({ $ref: "#/components/schemas/NewOrganization" });
  });

  test("defaults, values and versions are stated", () => {
    const { get } = document.paths["/api/events/{eventId}/incidents"];
    const parameter = (name: string) => get.parameters.find((one: Json) => one.name === name);
    expect(parameter("limit").schema).toMatchObject({ type: "integer", default: 10 });
    expect(parameter("sort").schema).toMatchObject({ default: "createdAt", enum: expect.any(Array) });
    expect(parameter("status")).toMatchObject({
      style: "form",
      explode: false,
      schema: { type: "array", items: { enum: expect.arrayContaining(["submitted"]) } },
    });
    const { patch } = document.paths["/api/events/{eventId}/incidents/{incidentId}/state"];
    expect(patch.parameters.map(({ name }: Json) => name)).toContain("If-Match");
  });

  test("whoever is signed in is one of two kinds of response", () => {
    const kinds = document.components.schemas.SessionCheck.oneOf;
    expect(kinds.map(({ properties }: Json) => properties.authenticated.const)).toEqual([true, false]);
  });
});

describe("every row", () => {
  test.each(addRowTitles(ROWS))("%s has its status, body and access", (_, row) => {
    const operation = operationOf(row);
    const { default: refused, ...successes } = operation.responses;
    expect(refused).toBeDefined();
    expect(Object.keys(successes)).toContain(String(row.status));
    if (row.status === 204) expect(successes["204"]?.content).toBeUndefined();
    const wanted = { json: "application/json", multipart: "multipart/form-data" };
    const taken = Object.keys(operation.requestBody?.content ?? {});
    if (row.body) expect(taken).toContain(wanted[row.body]);
    else expect(taken).toEqual([]);

    const security: Json[] = operation.security;
    expect(security.length === 0, "open to everybody").toBe(row.who.includes("nobody"));
    for (const one of security)
      for (const scheme of Object.keys(one))
        expect(document.components.securitySchemes[scheme], scheme).toBeDefined();
    if (security.length > 0) expect(security).toContainEqual({ session: [] });
  });

  test("of API version 0.1 has an operation that ignores unknown names, and no other row does", () => {
    const names = ROWS.filter(({ beyond }) => !beyond).map(
      (row) => operationOf(row).operationId.split("_")[0],
    );
    const declarations = listSourceFiles(["lib"])
      .filter((file) => file.endsWith("operations.ts"))
      .flatMap((file) => readSourceFile(file).split("defineOperation({").slice(1));
    const ignoring = declarations
      .filter((text) => text.split("\n});")[0]?.includes("ignoresUnknownNames: true"))
      .map((text) => /\bname: "(\w+)"/.exec(text)?.[1]);
    expect(ignoring.toSorted()).toEqual([...new Set(names)].toSorted());
  });

  test("the session is the cookie that signing in sets", () => {
    const { session } = document.components.securitySchemes;
    expect(session).toMatchObject({ type: "apiKey", in: "cookie", name: heed.cookieName });
  });
});

/** Asserts that a response is one of those that the document has for this row. */
function expectDescribed(row: Row, answer: Reply): void {
  expect(description.objections(describedBy(row), answer), `${titleOf(row)} ${answer.status}`).toEqual([]);
}

// The success of each row is compared in successes.test.ts; the client compares the errors of all tests.
describe("a response is as the document describes it", () => {
  test("the validator detects missing, additional and mistyped members", async () => {
    const row = ROWS.find(({ method, path }) => `${method} ${path}` === "GET /api/auth/session") as Row;
    const answer = await caller.call(row, "maya");
    const { user } = answer.body;
    const { name: _, ...nameless } = user;
    for (const wrong of [nameless, { ...user, passwordHash: "x" }, { ...user, id: "7" }])
      expect(() => expectDescribed(row, { ...answer, body: { ...answer.body, user: wrong } })).toThrow();
    expectDescribed(row, answer);
  });

  test("the other kinds of an export and the other states of a list are described as well", async () => {
    const row = ROWS.find(({ path }) => path === "/api/organizations/:organizationId/reports/export") as Row;
    const path = caller.path(row);
    const accept = { headers: { accept: "application/pdf" } };
    expectDescribed(row, await world.as(world.viktor).get(`${path}?format=pdf`));
    expectDescribed(row, await world.as(world.viktor).get(`${path}?format=pdf`, accept));
    expectDescribed(row, await world.as(world.viktor).get(`${path}?format=docx`));
  });

  test("a full report is described as an empty one is", async () => {
    const one = ROWS.find(({ path }) => path === "/api/events/:eventId/incidents/:incidentId") as Row;
    const full = await world.report(world.maya, world.event, {
      type: "harassment",
      severity: "critical",
      location: "Hall 2",
      parties: "Two guests",
      incidentAt: "2026-05-02T10:00:00+02:00",
      contactMethod: "phone",
    });
    await world.move(full, "closed");
    const anonymous = await world.report(world.maya, world.event, { anonymous: true });
    for (const { id } of [full, anonymous]) {
      const path = caller.path(one, { incidentId: id });
      for (const person of [world.omar, world.sam]) {
        const answer = await world.as(person).get(path);
        expect(answer.status).toBe(200);
        expectDescribed(one, answer);
      }
    }
  });
});
