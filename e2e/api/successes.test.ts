import { describe, expect, test } from "vitest";
import type { Role } from "#e2e/api/roles.ts";
import { Caller, addRowTitles, ROWS, type Row } from "#e2e/api/routes.ts";
import { TAGGED } from "#e2e/api/tagged-records.ts";
import { ApiDescription } from "#e2e/support/api-description.ts";
import type { Reply } from "#e2e/support/client.ts";
import { assertHeaderInvariants, SECURITY_HEADERS } from "#e2e/support/header-invariants.ts";
import { expectRouteHeaders } from "#e2e/support/response-headers.ts";
import { shareService } from "#e2e/support/service.ts";
import { TestWorld } from "#e2e/support/world.ts";

/** One request of each row that succeeds, and all that is to be said of its response. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const caller = await Caller.over(world);
const description = new ApiDescription((await world.nobody.get("/api/openapi.json")).body);

const titleOf = ({ method, path }: Row) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`;
const isJson = ({ headers }: Reply) => String(headers["content-type"]).startsWith("application/json");

test.each(addRowTitles(ROWS))("%s succeeds as it is described", async (_, row) => {
  const role = row.who[0] ?? "nobody";
  const prepared = await caller.prepare(row, role);
  expectTaken(row, prepared.example().body);
  const answer = await caller.call(prepared, role);
  expect(answer.status, answer.text.slice(0, 300)).toBe(row.status);
  expectDescribed(row, answer);
  expectRouteHeaders(row, answer);
  if (row.method === "GET" && !row.path.endsWith("/stream")) {
    expectTag(row, answer);
    expectPageLinks(row, answer);
  }
  if (isRepresentative(row)) await expectHead(prepared, role);
  if (row.status === 201) await expectLocation(row, role, answer);
});

/** The document says that the operation takes what is sent to it. */
function expectTaken(row: Row, body: unknown): void {
  if (row.body !== "json" || !row.example) return;
  const path = titleOf(row).split(" ")[1]?.replaceAll("/", "~1");
  const at = `#/paths/${path}/${row.method.toLowerCase()}/requestBody/content/application~1json/schema`;
  const validate = description.validator(
    at.replace("application~1json", encodeURIComponent("application~1json")),
  );
  expect(validate(body) ? [] : validate.errors).toEqual([]);
}

function expectDescribed(row: Row, answer: Reply): void {
  const operation = description.operations.find(({ title }) => title === titleOf(row));
  if (!operation) throw new Error(`${titleOf(row)} is not in the document`);
  expect(description.objections(operation, answer)).toEqual([]);
}

function expectTag(row: Row, answer: Reply): void {
  const isTagged = isJson(answer) && answer.headers.etag !== undefined;
  expect(isTagged, "has an ETag").toBe([...TAGGED, "/api/openapi.json"].includes(row.path));
}

let linked = 0;

/** Lists link their first and last page, with the same query (contract 3.17). */
function expectPageLinks(row: Row, { headers, body }: Reply): void {
  const link = String(headers.link ?? "");
  if (body?.pagination?.totalPages === undefined) return expect(link, row.path).toBe("");
  const pageOf = (rel: string) => new RegExp(`<([^>]*)>; rel="${rel}"`).exec(link)?.[1] ?? "";
  expect(pageOf("first")).toMatch(/^\/api\/.*[?&]page=1$/);
  expect(pageOf("last")).toMatch(new RegExp(`[?&]page=${Math.max(1, body.pagination.totalPages)}$`));
  linked += 1;
}

test("many rows are lists (guards this test itself)", () => expect(linked).toBeGreaterThan(15));

/** Next responds to HEAD by the handler of GET: some rows of JSON, and all of files. */
const READS = ROWS.filter(({ method }) => method === "GET");
const isRepresentative = (row: Row) =>
  row.method === "GET" &&
  (READS.indexOf(row) % 10 === 0 ||
    /\/(download|logo|avatar|qr|export|stream|openapi\.json)$/.test(row.path));

/** HEAD is answered as GET, without a body. */
async function expectHead(row: Row, role: Role): Promise<void> {
  const reply = await caller.call({ ...row, method: "HEAD" as "GET" }, role);
  expect([reply.status, reply.bytes.length]).toEqual([row.status, 0]);
}

/** What was created says where to read it. */
async function expectLocation(row: Row, role: Role, answer: Reply): Promise<void> {
  const location = String(answer.headers.location);
  expect(location).toMatch(/^\/api\/[\w/-]+$/);
  // Who has no session yet, or no open mailbox, needs one first.
  const needsMore = /^\/api\/(users\/me|mailbox)$/.test(location);
  const client = await caller.client(row, role);
  const read = needsMore ? await heed.visitor().get(location) : await client.get(location);
  expect([location, read.status]).toEqual([location, needsMore ? 401 : 200]);
}

test("every recorded action can be queried in the audit log", async () => {
  const actions = await heed.sql("select distinct action, object_type as kind from audit_entries");
  expect(actions.length).toBeGreaterThan(40);
  for (const { action, kind } of actions) {
    const answer = await world
      .as(world.sam)
      .get(`/api/admin/audit?action=${action}&objectType=${kind}&limit=1`);
    expect(answer.status, `${action} ${kind}: ${answer.text}`).toBe(200);
  }
});

describe("the checks of the client", () => {
  test("find a header that is missing, different or too much", async () => {
    const answer = await world.as(world.maya).get("/api/auth/session");
    const check = (headers: Record<string, string | undefined>) => () =>
      assertHeaderInvariants("GET /api/auth/session", "", {
        ...answer,
        headers: { ...answer.headers, ...headers },
      });
    expect(check({})).not.toThrow();
    const names = [...Object.keys(SECURITY_HEADERS), "cache-control", "vary", "content-security-policy"];
    for (const name of names) expect(check({ [name]: "public" }), name).toThrow();
    expect(check({ "x-request-id": undefined })).toThrow();
    expect(check({ server: "node" })).toThrow();
  });

  test("find a row that a refused request leaves", async () => {
    const writes = world.nobody.expectNothingWritten(
      "refused",
      async () => void (await world.newOrganization()),
    );
    await expect(writes).rejects.toThrow("refused: rows changed");
  });
});
