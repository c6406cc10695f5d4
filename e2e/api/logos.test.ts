import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import type { Reply } from "#e2e/support/client.ts";
import { buildForm, createPng, type Attachment } from "#e2e/support/evidence.ts";
import { shareService } from "#e2e/support/service.ts";
import { watchStoredFiles } from "#e2e/support/stored-files.ts";
import { EVENT, expectShape, checkText } from "#e2e/support/shapes.ts";
import {
  UNKNOWN_ID,
  countOutcomes,
  runConcurrently,
  expectRefusal,
} from "#e2e/support/concurrent-requests.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld, type EventRef, type TestPerson, type PlaceRef } from "#e2e/support/world.ts";

/** Logos of organizations and events (contract 9.4). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, maya, nobody, olga, organization, sam } = world;

const MIB = 1024 * 1024;

type Target = {
  name: string;
  place: PlaceRef;
  /** Who may, and every path that serves it. */
  by: TestPerson;
  paths: string[];
  answer: Parameters<typeof expectShape>[1];
};
const organizationTarget = (place: PlaceRef, by: TestPerson): Target => ({
  name: "an organization",
  place,
  by,
  paths: [`/api/organizations/${place.id}/logo`, `/api/organizations/slug/${place.slug}/logo`],
  answer: { message: checkText },
});
const eventTarget = (place: EventRef, by: TestPerson): Target => ({
  name: "an event",
  place,
  by,
  paths: [`/api/events/${place.id}/logo`, `/api/events/slug/${place.slug}/logo`],
  answer: { event: EVENT },
});
const TARGETS = [organizationTarget(organization, olga), eventTarget(event, ada)].map(
  (target) => [target.name, target] as const,
);

/** An organization, or an event, that has no logo yet. */
async function fresh(name: string): Promise<Target> {
  const place = await world.newOrganization("Without a logo");
  if (name === "an organization") {
    await world.join(olga, place, "org_admin");
    return organizationTarget(place, olga);
  }
  const own = await world.newEvent(place);
  await world.grant(ada, own, "Admin");
  return eventTarget(own, ada);
}

const send = (target: Target, ...files: Attachment[]): Promise<Reply> =>
  world.as(target.by).post(target.paths[0] as string, buildForm({}, ...files));
const asLogo = (bytes: Buffer | string, name = "logo.png", type = "image/png"): Attachment => ({
  field: "logo",
  name,
  bytes: typeof bytes === "string" ? Buffer.from(bytes) : bytes,
  type,
});
async function upload(target: Target, bytes: Buffer): Promise<void> {
  const reply = await send(target, asLogo(bytes));
  expect(reply.status, reply.text).toBe(200);
}
const show = (target: Target, at = 0): Promise<Reply> => nobody.get(target.paths[at] as string);

/** Nothing of a refused upload stays. Files of logos that were replaced before may go meanwhile. */
function nothingNew(newFiles: () => string[]): void {
  expect(newFiles()).toEqual([]);
  expect(unfinished()).toEqual([]);
}
/** Uploads that are under way; each has a folder of its own. */
const unfinished = () => fs.readdirSync(path.join(heed.dataDir, "tmp"));

const square = (side: number, background: string, channels: 3 | 4 = 3) =>
  sharp({ create: { width: side, height: side, channels, background } });

describe.each(TARGETS)("the logo of %s", (name, target) => {
  test.each(["png", "jpeg", "webp"] as const)("is taken as %s, and shown as an image", async (format) => {
    const image = await square(60, "#1e5aa0").toFormat(format).toBuffer();
    for (const [at, other] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const body = buildForm({}, asLogo(image, `logo.${format}`, `image/${format}`));
      const reply = await world.as(target.by).post(target.paths[at] as string, body);
      expect(reply.status, reply.text).toBe(200);
      expectShape(reply.body, target.answer);
      const shown = await show(target, other);
      expect([shown.status, shown.headers["content-type"]]).toEqual([200, "image/webp"]);
      expect(shown.bytes.equals(image)).toBe(false);
      const { format: storedFormat, width, height } = await sharp(shown.bytes).metadata();
      expect([storedFormat, width, height]).toEqual(["webp", 60, 60]);
      const { data } = await sharp(shown.bytes).raw().toBuffer({ resolveWithObject: true });
      for (const [channel, value] of [0x1e, 0x5a, 0xa0].entries())
        expect(Math.abs((data[channel] ?? 0) - value)).toBeLessThan(8);
    }
  });

  // What is an image, and what is left of one, is in lib/files/cleaning/images.test.ts.
  test("is not an SVG that says PNG", async () => {
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>`;
    await upload(target, await createPng());
    const [newFiles, { headers }] = [watchStoredFiles(heed.dataDir), await show(target)];
    const reply = await send(target, asLogo(drawing));
    expectRefusal(reply, "415 UNSUPPORTED_FILE_TYPE");
    expect((await show(target)).headers.etag).toBe(headers.etag);
    nothingNew(newFiles);
  });

  test("has up to 2 MiB", async () => {
    const small = await createPng();
    const padded = (size: number) => Buffer.concat([small, Buffer.alloc(size - small.length)]);
    await upload(target, padded(2 * MIB));
    const etag = (await show(target)).headers.etag;
    const newFiles = watchStoredFiles(heed.dataDir);
    for (const size of [2 * MIB + 1, 12 * MIB]) {
      const reply = await send(target, asLogo(padded(size)));
      expectRefusal(reply, "413 PAYLOAD_TOO_LARGE");
    }
    expect((await show(target)).headers.etag).toBe(etag);
    nothingNew(newFiles);
  });

  test("is accepted only as a single file in the field `logo`", async () => {
    const image = asLogo(await createPng());
    const wrong: [string, FormData][] = [
      ["logo", buildForm({})],
      ["logo", buildForm({}, image, image)],
      ["relatedFiles", buildForm({}, { ...image, field: "relatedFiles" })],
    ];
    const newFiles = watchStoredFiles(heed.dataDir);
    for (const [field, body] of wrong)
      for (const at of target.paths) {
        const reply = await world.as(target.by).post(at, body);
        expectRefusal(reply, "400 VALIDATION_ERROR");
        expect(reply.body.details).toMatch(new RegExp(`\\b${field}: `));
      }
    nothingNew(newFiles);
  });

  test("that is replaced has another ETag, and the file before it goes", async () => {
    const own = await fresh(name);
    const newFiles = watchStoredFiles(heed.dataDir);
    await upload(own, await square(30, "#f00").png().toBuffer());
    const first = await show(own);
    const [file] = newFiles();
    expect(file).toBeDefined();
    const ifNoneMatch = { headers: { "if-none-match": first.headers.etag } };
    for (const at of own.paths) {
      const same = await nobody.get(at, ifNoneMatch);
      expect([same.status, same.bytes.length, same.headers.etag]).toEqual([304, 0, first.headers.etag]);
      const head = await nobody.send("HEAD", at);
      for (const { headers } of [first, head])
        expect(headers["content-length"]).toBe(String(first.bytes.length));
    }

    await upload(own, await square(30, "#00f").png().toBuffer());
    const second = await nobody.get(own.paths[0] as string, ifNoneMatch);
    expect(second.status).toBe(200);
    expect(second.headers.etag).not.toBe(first.headers.etag);
    expect(second.bytes.equals(first.bytes)).toBe(false);
    await waitUntil("the file before it is gone", () => !newFiles().includes(file as string));
    expect(newFiles()).toHaveLength(1);
  });

  test("that ten people upload at once is that of one of them, and leaves one file", async () => {
    const own = await fresh(name);
    const newFiles = watchStoredFiles(heed.dataDir);
    const replies = await runConcurrently(10, async (index) =>
      send(
        own,
        asLogo(
          await square(20 + index, "#0a0")
            .png()
            .toBuffer(),
        ),
      ),
    );
    expect(countOutcomes(replies)).toEqual({ 200: 10 });
    const { width } = await sharp((await show(own)).bytes).metadata();
    expect(width).toBeGreaterThanOrEqual(20);
    await waitUntil("nine files are gone", () => newFiles().length === 1);
  });

  test("is public, cached for five minutes, and nothing but an image", async () => {
    await upload(target, await createPng());
    for (const client of [nobody, world.as(maya)])
      for (const at of target.paths) {
        const { status, headers } = await client.get(at);
        expect(status).toBe(200);
        expect(headers["cache-control"]).toBe("public, max-age=300");
        expect(headers.etag).toMatch(/^"[^"]+"$/);
        expect(headers["content-type"]).toBe("image/webp");
        expect(headers["x-content-type-options"]).toBe("nosniff");
        expect(headers["content-security-policy"]).toContain("default-src 'none'");
        expect(headers["set-cookie"]).toBeUndefined();
      }
  });

  test("that isn't there looks the same as one of nobody's", async () => {
    const own = await fresh(name);
    const absent = own.paths.flatMap((at) => [
      at,
      at.replace(own.place.id, UNKNOWN_ID).replace(own.place.slug, "nobody-has-this-one"),
      at.replace(own.place.id, "abc").replace(own.place.slug, "Not_A_Slug"),
    ]);
    const bodies = [];
    for (const client of [nobody, world.as(own.by), world.as(sam)])
      for (const at of absent) {
        const reply = await client.get(at);
        expectRefusal(reply, "404 NOT_FOUND", at);
        bodies.push(reply.text);
      }
    expect(new Set(bodies).size).toBe(1);
  });

  test("that comes after the role is lost is refused, and nothing of it is kept", async () => {
    const own = await fresh(name);
    const former = await world.person("Former Admin");
    const table = name === "an event" ? "event_roles" : "organization_members";
    if (name === "an event") await world.grant(former, own.place as EventRef, "Admin");
    else await world.join(former, own.place, "org_admin");
    const newFiles = watchStoredFiles(heed.dataDir);
    const reply = await slowly(own, former, await createPng(), () =>
      heed.sql(`delete from ${table} where user_id = $1`, [former.id]),
    );
    expect(reply.status).toBe(403);
    expect(JSON.parse(reply.text).code).toBe("FORBIDDEN");
    await waitUntil("nothing is kept", () => newFiles().length === 0 && unfinished().length === 0);
    expect((await show(own)).status).toBe(404);
  });

  test("is named in what is shown of it, and its change is in the audit log", async () => {
    const own = await fresh(name);
    await upload(own, await createPng());
    const [row] = await heed.sql(
      "select action, actor_id, by_right, data from audit_entries where object_id = $1 order by seq desc limit 1",
      [own.place.id],
    );
    expect(row).toMatchObject({
      action: name === "an event" ? "event.changeLogo" : "organization.changeLogo",
      actor_id: own.by.id,
      by_right: name === "an event" ? "event:Admin" : "organization:org_admin",
      data: { type: "image/webp" },
    });
    const about = await world.as(own.by).get((own.paths[1] as string).replace(/\/logo$/, ""));
    const { pathname, origin } = new URL(about.body.organization?.logoUrl ?? about.body.event.logo);
    expect(origin).toBe(`http://localhost:${heed.port}`);
    const named = await nobody.get(pathname);
    expect([named.status, named.headers.etag]).toEqual([200, (await show(own)).headers.etag]);
  });
});

/** Sends half of an upload, does something, and sends the rest. */
async function slowly(target: Target, person: TestPerson, bytes: Buffer, meanwhile: () => Promise<unknown>) {
  const response = new Response(buildForm({}, asLogo(bytes)));
  const body = Buffer.from(await response.arrayBuffer());
  const half = Math.floor(body.length / 2);
  const request = http.request(`${heed.url}${target.paths[0]}`, {
    method: "POST",
    headers: {
      cookie: world.as(person).cookie,
      "content-type": response.headers.get("content-type") ?? "",
      "content-length": body.length,
    },
  });
  const answer = new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    request.on("error", reject);
    request.on("response", async (incoming) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      resolve({ status: incoming.statusCode, text: Buffer.concat(chunks).toString() });
    });
  });
  request.write(body.subarray(0, half));
  await waitUntil("the upload is under way", () => unfinished().length > 0);
  await meanwhile();
  request.end(body.subarray(half));
  return answer;
}
