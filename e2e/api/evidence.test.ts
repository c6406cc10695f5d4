import { createHash } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { json } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { PDFDocument } from "@cantoo/pdf-lib";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import type { Client } from "#e2e/support/client.ts";
import { summarizeResponse } from "#e2e/support/concurrent-requests.ts";
import { createDocx } from "#e2e/support/documents.ts";
import { buildForm, createPhoto, createPng, type Attachment } from "#e2e/support/evidence.ts";
import { createAndroidFilm, createHeic, createMotionHeic, createMp3 } from "#e2e/support/recordings.ts";
import { readFileIfThere } from "#e2e/support/read-file-if-there.ts";
import { startService } from "#e2e/support/service.ts";
import { watchStoredFiles } from "#e2e/support/stored-files.ts";
import {
  checkCount,
  expectShape,
  checkList,
  TEAM_FILE_MEMBERS,
  PAGINATION,
  checkRecord,
  RELATED_FILE_MEMBERS,
} from "#e2e/support/shapes.ts";
import { listTablesWith } from "#e2e/support/tables-with.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld, type TestPerson, type ReportRecord } from "#e2e/support/world.ts";

/** Files of an incident (contract 9). */

const QUOTA = 2 * 1024 * 1024;
// One process, and with it one queue of files to inspect.
const heed = await startService({ EVENT_EVIDENCE_BYTES: String(QUOTA), HEED_PROCESSES: "1" });
const world = await TestWorld.build(heed);
const { event, ada, maya, olga, omar, rita, sam } = world;

type File = Record<string, any> & { id: string };

const at = ({ eventId, id }: ReportRecord, rest = "") =>
  `/api/events/${eventId}/incidents/${id}/related-files${rest}`;
const note = (name = "note.txt", bytes: Attachment["bytes"] = "What I saw by the door.") => ({ name, bytes });
const LONG = note("long.txt", "All quiet.\n".repeat(60_000));

async function added(person: TestPerson, report: ReportRecord, file: Attachment, fields = {}): Promise<File> {
  const reply = await world.as(person).post(at(report), buildForm(fields, file));
  expect(reply.status, reply.text).toBe(201);
  return reply.body.relatedFiles[0];
}
const listed = async (person: TestPerson, report: ReportRecord): Promise<File[]> =>
  (await world.as(person).get(at(report))).body.relatedFiles;
const download = (client: Client, report: ReportRecord, file: File, headers = {}) =>
  client.get(at(report, `/${file.id}/download`), { headers });
const openOriginal = (
  client: Client,
  report: ReportRecord,
  file: File,
  body: unknown = { reason: "For the record." },
) => client.post(at(report, `/${file.id}/original`), body);

/** Files below a folder of the data folder. */
const filesIn = (folder: string, dataDir = heed.process.dataDir): string[] => {
  const root = path.join(dataDir, folder);
  if (!fs.existsSync(root)) return [];
  const entries = fs.readdirSync(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
};
const watchStored = () => watchStoredFiles(heed.process.dataDir);
/** The sealed original of a file. */
async function findSealed({ id }: File): Promise<string> {
  const [row] = await heed.sql("select original_key from related_files where id = $1", [id]);
  return filesIn("files").find((one) => path.basename(one) === row?.original_key) ?? "";
}
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
const countHistory = ({ id }: ReportRecord, action: string) =>
  heed.rows("incident_history", "incident_id = $1 and action = $2", [id, action]);
const auditOf = (fileId: string) =>
  heed.sql(
    "select action, actor_id, by_right, object_type, data from audit_entries where object_id = $1 order by seq",
    [fileId],
  );

describe("adding files", () => {
  test("by the reporter, who describes and sees them; it is in the audit log", async () => {
    const report = await world.report(maya, event);
    const reply = await world
      .as(maya)
      .post(
        at(report),
        buildForm(
          { description: "  From my phone. ", visibleToReporter: "false" },
          note(),
          note("b.txt", "Later."),
        ),
      );
    expect(reply.status, reply.text).toBe(201);
    expectShape(reply.body, { relatedFiles: checkList(checkRecord(RELATED_FILE_MEMBERS)) });
    expect(reply.body.relatedFiles).toMatchObject([
      {
        filename: "note.txt",
        description: "From my phone.",
        clean: "clean",
        reveals: [],
        hasOriginal: false,
      },
      { filename: "b.txt", description: "From my phone.", size: 6, sha256: sha256(Buffer.from("Later.")) },
    ]);
    expect(await listed(maya, report)).toEqual(reply.body.relatedFiles);
    const shown = await world.as(maya).get(`/api/events/${event.id}/incidents/${report.id}`);
    expect(shown.body.incident.relatedFiles).toEqual(reply.body.relatedFiles);
    const { body } = await world.as(maya).get(`${at(report)}?limit=1&page=2`);
    expect(body.relatedFiles.map(({ filename }: File) => filename)).toEqual(["b.txt"]);
    expect(body.pagination).toEqual({ page: 2, limit: 1, total: 2, totalPages: 2 });
    const [file] = reply.body.relatedFiles;
    expect(await auditOf(file.id)).toEqual([
      {
        action: "file.add",
        actor_id: maya.id,
        by_right: "event:Reporter(own)",
        object_type: "file",
        data: { incidentId: report.id },
      },
    ]);
    expect(await listed(omar, report)).toEqual(
      reply.body.relatedFiles.map((file: File) => ({
        ...file,
        uploadedBy: { id: maya.id, name: maya.name },
        fromUnnamedReporter: false,
        visibleToReporter: true,
      })),
    );
  });

  test("by the team, by slug, gives the same records as by id", async () => {
    const report = await world.report(maya, event);
    const bySlug = at(report).replace(event.id, `slug/${event.slug}`);
    const { body } = await world.as(omar).post(bySlug, buildForm({}, note()));
    expectShape(body, {
      relatedFiles: checkList(checkRecord({ ...RELATED_FILE_MEMBERS, ...TEAM_FILE_MEMBERS })),
    });
    const [byId, again] = [await world.as(omar).get(at(report)), await world.as(omar).get(bySlug)];
    expectShape(byId.body, {
      relatedFiles: checkList(checkRecord({ ...RELATED_FILE_MEMBERS, ...TEAM_FILE_MEMBERS })),
      pagination: PAGINATION,
    });
    expect(byId.body).toEqual(again.body);
    expect(byId.body.relatedFiles).toEqual(body.relatedFiles);
  });

  // The tests of lib/files have the other files that are refused.
  const refused: [string, () => FormData, number, string][] = [
    ["no file", () => buildForm({ description: "nothing" }), 400, "VALIDATION_ERROR"],
    [
      "a description of 501",
      () => buildForm({ description: "d".repeat(501) }, note()),
      400,
      "VALIDATION_ERROR",
    ],
    ["a maybe", () => buildForm({ visibleToReporter: "maybe" }, note()), 400, "VALIDATION_ERROR"],
    [
      "a good one and a program",
      () => buildForm({}, note(), note("b.txt", Buffer.from("4d5a9000030000000400", "hex"))),
      415,
      "UNSUPPORTED_FILE_TYPE",
    ],
  ];
  test.each(refused)("refuses %s, and keeps nothing", async (_, body, status, code) => {
    const report = await world.report(maya, event);
    const newFiles = watchStored();
    const reply = await world.as(maya).post(at(report), body());
    expect(summarizeResponse(reply), reply.text).toEqual([status, code]);
    expect(newFiles()).toEqual([]);
    expect(filesIn("tmp")).toEqual([]);
    expect(await listed(maya, report)).toEqual([]);
  });

  // incidents.test.ts has a report that breaks off.
  test("keeps nothing of files whose sender disconnects during the second one", async () => {
    const report = await world.report(maya, event);
    const newFiles = watchStored();
    const { request } = await sendHalf(maya, at(report), buildForm({}, note(), LONG));
    await expect.poll(() => filesIn("tmp").length, { timeout: 60_000 }).toBe(2);
    request.destroy();
    await expect.poll(() => filesIn("tmp"), { timeout: 60_000 }).toEqual([]);
    expect(newFiles()).toEqual([]);
    expect(await listed(omar, report)).toEqual([]);
  });

  test.each(["Reporter", "Responder"] as const)(
    "checks the role of a %s again after the upload",
    async (role) => {
      const person = await world.person("Soon Gone", { events: [[event, role]] });
      const report = await world.report(role === "Reporter" ? person : maya, event);
      const newFiles = watchStored();
      const { request, rest, response } = await sendHalf(person, at(report), buildForm({}, LONG));
      await expect.poll(() => filesIn("tmp").length, { timeout: 60_000 }).toBe(1);
      await world.revoke(person, event);
      request.end(rest);
      expect(await response).toEqual([403, "FORBIDDEN"]);
      expect(newFiles()).toEqual([]);
      expect(filesIn("tmp")).toEqual([]);
      expect(await listed(sam, report)).toEqual([]);
    },
  );
});

/** Sends half of an upload. */
async function sendHalf(person: TestPerson, path: string, form: FormData) {
  const body = new Response(form);
  const bytes = Buffer.from(await body.arrayBuffer());
  const headers = {
    cookie: world.as(person).cookie,
    "content-type": body.headers.get("content-type") ?? "",
    "content-length": bytes.length,
  };
  const request = http.request(`${heed.url}${path}`, { method: "POST", headers }).on("error", () => {});
  const response = new Promise((resolve) =>
    request.on("response", async (incoming) => {
      const { code } = (await json(incoming)) as { code: string };
      resolve([incoming.statusCode, code]);
    }),
  );
  request.write(bytes.subarray(0, bytes.length / 2));
  return { request, rest: bytes.subarray(bytes.length / 2), response };
}

describe("files of the team", () => {
  test("are not found by the reporter until they are shared", async () => {
    const report = await world.report(maya, event);
    await added(maya, report, note("mine.txt"));
    const file = await added(omar, report, note("LANTERN-7 minutes.txt", "LANTERN-7 was here."), {
      description: "LANTERN-7 talked to us.",
    });
    expect(file).toMatchObject({ visibleToReporter: false, uploadedBy: { id: omar.id } });
    const base = `/api/events/${event.id}/incidents`;
    const seenByMaya = async () => {
      const paths = [
        base,
        `${base}/${report.id}`,
        `${base}/${report.id}/history`,
        at(report),
        "/api/users/me/incidents",
        `/api/events/slug/${event.slug}/incidents`,
      ];
      const replies = await Promise.all(paths.map((one) => world.as(maya).get(one)));
      for (const reply of replies) expect(reply.status).toBe(200);
      return replies.map(({ text }) => text).join();
    };
    expect(await seenByMaya()).not.toContain("LANTERN-7");
    expect((await world.as(omar).get(`${base}/${report.id}`)).text).toContain("LANTERN-7");
    const hidden = [
      await download(world.as(maya), report, file),
      await world.as(maya).patch(at(report, `/${file.id}`), { description: "mine now" }),
      await world.as(maya).delete(at(report, `/${file.id}`)),
      await openOriginal(world.as(maya), report, file),
    ];
    const absent = await download(world.as(maya), report, { id: "11111111-1111-4111-8111-111111111111" });
    for (const reply of hidden) expect([reply.status, reply.body]).toEqual([404, absent.body]);

    const shared = await world.as(omar).patch(at(report, `/${file.id}`), { visibleToReporter: true });
    expect(shared.body.relatedFile).toEqual({ ...file, visibleToReporter: true });
    expect(await seenByMaya()).toContain("LANTERN-7");
    expect((await download(world.as(maya), report, file)).text).toBe("LANTERN-7 was here.");
    expect(JSON.stringify(await listed(maya, report))).not.toContain(omar.id);
  });

  test("that are shared stay the team's to change and to remove", async () => {
    const report = await world.report(maya, event);
    const file = await added(omar, report, note(), { visibleToReporter: "true" });
    for (const reply of [
      await world.as(maya).patch(at(report, `/${file.id}`), { description: "mine now" }),
      await world.as(maya).delete(at(report, `/${file.id}`)),
    ])
      expect(summarizeResponse(reply)).toEqual([403, "FORBIDDEN"]);
    expect((await listed(maya, report)).map(({ id }) => id)).toEqual([file.id]);
  });
});

describe("describing a file", () => {
  test("is for the team, and for the reporter who added it", async () => {
    const report = await world.report(maya, event);
    const file = await added(maya, report, note());
    for (const person of [maya, omar]) {
      const description = `So says ${person.name}.`;
      const reply = await world.as(person).patch(at(report, `/${file.id}`), { description });
      expect(reply.status, reply.text).toBe(200);
      expect(reply.body.relatedFile).toMatchObject({ id: file.id, description });
    }
    const blank = await world.as(maya).patch(at(report, `/${file.id}`), { description: " " });
    expect(blank.body.relatedFile).toEqual(file);
    for (const change of [
      {},
      { description: "d".repeat(501) },
      { description: 7 },
      { visibleToReporter: "true" },
    ])
      expect(summarizeResponse(await world.as(omar).patch(at(report, `/${file.id}`), change))).toEqual([
        400,
        "VALIDATION_ERROR",
      ]);
    expect((await world.as(rita).patch(at(report, `/${file.id}`), { description: "x" })).status).toBe(404);
    expect((await auditOf(file.id)).map(({ action, data }) => [action, data.fields])).toEqual([
      ["file.add", undefined],
      ["file.change", ["description"]],
      ["file.change", ["description"]],
      ["file.change", ["description"]],
    ]);
  });

  test("leaves it to the team who sees it", async () => {
    const report = await world.report(maya, event);
    const file = await added(maya, report, note());
    const reply = await world.as(maya).patch(at(report, `/${file.id}`), { visibleToReporter: false });
    expect(summarizeResponse(reply)).toEqual([403, "FORBIDDEN"]);
    // Hidden by the team, an own file stays one's own.
    await world.as(omar).patch(at(report, `/${file.id}`), { visibleToReporter: false });
    expect(await listed(maya, report)).toEqual([file]);
    expect((await download(world.as(maya), report, file)).status).toBe(200);
  });
});

describe("removing a file", () => {
  const usageOf = async ({ id }: { id: string }): Promise<number> =>
    (await world.as(omar).get(`/api/events/${id}/evidence`)).body.usage.bytes;

  test("deletes its bytes and its original", async () => {
    const report = await world.report(maya, event);
    const newFiles = watchStored();
    const file = await added(maya, report, { name: "photo.jpg", bytes: await createPhoto() });
    expect(newFiles()).toHaveLength(2);
    const used = await usageOf(event);
    const reply = await world.as(omar).delete(at(report, `/${file.id}`));
    expect([reply.status, reply.text]).toEqual([204, ""]);
    expect(await listed(omar, report)).toEqual([]);
    for (const again of [
      await world.as(omar).delete(at(report, `/${file.id}`)),
      await download(world.as(omar), report, file),
    ])
      expect(summarizeResponse(again)).toEqual([404, "NOT_FOUND"]);
    expect((await auditOf(file.id)).at(-1)).toMatchObject({ action: "file.delete", actor_id: omar.id });
    await expect.poll(newFiles, { timeout: 20_000 }).toEqual([]);
    expect(await usageOf(event)).toBe(used - file.size - (await createPhoto()).length);
  });

  test("is allowed to the reporter until the first response", async () => {
    const report = await world.report(maya, event);
    const [early, late] = [
      await added(maya, report, note("early.txt")),
      await added(maya, report, note("late.txt")),
    ];
    expect((await world.as(maya).delete(at(report, `/${early.id}`))).status).toBe(204);
    await world.move(report, "acknowledged");
    const reply = await world.as(maya).delete(at(report, `/${late.id}`));
    expect(summarizeResponse(reply)).toEqual([409, "CONFLICT"]);
    expect((await listed(maya, report)).map(({ id }) => id)).toEqual([late.id]);
    expect((await world.as(rita).delete(at(report, `/${late.id}`))).status).toBe(404);
  });

  test("requested ten times concurrently happens once", async () => {
    const report = await world.report(maya, event);
    const file = await added(omar, report, note());
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => world.as(omar).delete(at(report, `/${file.id}`))),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([204, ...Array(9).fill(404)]);
    expect(await countHistory(report, "file.deleted")).toBe(1);
  });
});

describe("a photo whose metadata says where, when, with what and by whom it was taken", () => {
  test("is downloaded without its metadata, upright, and an Admin opens its original with a reason", async () => {
    const report = await world.report(maya, event);
    const bytes = await createPhoto();
    const newFiles = watchStored();
    const file = await added(maya, report, { name: "photo.jpg", bytes });
    expect(file).toMatchObject({
      reveals: ["place", "device", "time", "author"],
      clean: "cleaned",
      hasOriginal: true,
      original: { sha256: sha256(bytes), size: bytes.length },
      mimetype: "image/jpeg",
    });

    const copy = await download(world.as(maya), report, file);
    expect(copy.bytes.length).toBe(file.size);
    expect(file.sha256).toBe(sha256(copy.bytes));
    expect(copy.headers.etag).toBe(`"${file.sha256}"`);
    const metadata = await sharp(copy.bytes).metadata();
    for (const kind of ["exif", "icc", "xmp", "iptc", "orientation"] as const)
      expect(metadata[kind], kind).toBeUndefined();
    expect([metadata.width, metadata.height]).toEqual([16, 24]);
    expect(copy.bytes.includes("Lantern")).toBe(false);
    const storedCopies = newFiles();
    expect(storedCopies).toHaveLength(2);
    for (const one of storedCopies) expect(fs.readFileSync(one).includes("Lantern")).toBe(false);

    for (const person of [maya, omar]) {
      const reply = await openOriginal(world.as(person), report, file);
      expect(summarizeResponse(reply), person.name).toEqual([403, "FORBIDDEN"]);
    }
    expect((await openOriginal(world.as(rita), report, file)).status).toBe(404);
    for (const reason of [undefined, "   ", "r".repeat(501)])
      expect(summarizeResponse(await openOriginal(world.as(ada), report, file, { reason }))).toEqual([
        400,
        "VALIDATION_ERROR",
      ]);
    expect((await auditOf(file.id)).map(({ action }) => action)).toEqual(["file.add", "file.download"]);

    const reason = "The court asks when it was taken.";
    const original = await openOriginal(world.as(ada), report, file, { reason });
    expect(original.status).toBe(200);
    expect(original.bytes.equals(bytes)).toBe(true);
    expect(original.headers).toMatchObject({
      "content-type": "image/jpeg",
      "content-disposition": `attachment; filename="photo.jpg"; filename*=UTF-8''photo.jpg`,
      "content-security-policy": "sandbox; default-src 'none'",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "private, no-store",
    });
    expect((await auditOf(file.id)).at(-1)).toEqual({
      action: "file.original",
      actor_id: ada.id,
      by_right: "event:Admin",
      object_type: "file",
      data: { incidentId: report.id },
    });
    expect(await countHistory(report, "file.original")).toBe(1);
    const views = await heed.sql(
      "select actor_id, kind, by_right, reason from incident_access where object_id = $1 order by id",
      [file.id],
    );
    expect(views).toEqual([{ actor_id: ada.id, kind: "original", by_right: "event:Admin", reason }]);
    const log = await world
      .as(omar)
      .get(`/api/events/${event.id}/incidents/${report.id}/access?kind=original`);
    expect(log.body.access).toMatchObject([{ actor: { id: ada.id }, reason }]);
    for (const path of [
      `/api/organizations/${world.organization.id}/audit?action=file.original`,
      `/api/organizations/${world.organization.id}/audit?action=file.original&format=csv`,
    ]) {
      const audited = await world.as(olga).get(path);
      expect([audited.status, audited.text]).toEqual([200, expect.stringContaining(file.id)]);
      expect(audited.text).not.toContain(reason);
    }
    expect(
      (await world.as(maya).get(`/api/events/${event.id}/incidents/${report.id}/history`)).text,
    ).not.toContain(reason);
    expect((await openOriginal(world.as(sam), report, file)).bytes.equals(bytes)).toBe(true);
  });

  test("that was damaged in its magic or last part is refused before its first byte", async () => {
    const report = await world.report(maya, event);
    const newFiles = watchStored();
    const large = sharp({
      create: {
        width: 700,
        height: 700,
        channels: 3,
        background: "black",
        noise: { type: "gaussian", mean: 128, sigma: 60 },
      },
    });
    const bytes = await large
      .jpeg({ quality: 95 })
      .withExif({ IFD0: { Artist: "Maya Castillo" } })
      .toBuffer();
    const file = await added(omar, report, { name: "noise.jpg", bytes });
    const sealed = await findSealed(file);
    const sealedBytes = fs.readFileSync(sealed);
    // Of several parts, each proven by itself.
    expect(sealedBytes.length).toBeGreaterThan(300_000);
    const open = () =>
      world.as(ada).post(at(report, `/${file.id}/original`), { reason: "A look." }, { failing: true });
    for (const place of [0, sealedBytes.length - 30]) {
      const damaged = Buffer.from(sealedBytes);
      damaged[place] = (damaged[place] ?? 0) ^ 1;
      fs.writeFileSync(sealed, damaged);
      expect(summarizeResponse(await open()), String(place)).toEqual([503, "SERVICE_UNAVAILABLE"]);
    }
    expect((await auditOf(file.id)).map(({ action }) => action)).toEqual(["file.add"]);
    fs.writeFileSync(sealed, sealedBytes);
    const whole = await open();
    expect([whole.status, sha256(whole.bytes)]).toEqual([200, file.original?.sha256]);
    // Its room is for the tests after this one.
    expect((await world.as(ada).delete(at(report, `/${file.id}`))).status).toBe(204);
    await waitUntil("its files are gone", () => newFiles().length === 0);
  });
});

describe("other kinds of files", () => {
  async function pdfBy(author: string): Promise<Buffer> {
    const document = await PDFDocument.create();
    document.addPage([200, 200]).drawText("Minutes");
    document.setAuthor(author);
    return Buffer.from(await document.save({ useObjectStreams: false }));
  }
  const rest = async () => Buffer.concat([await createPng(), Buffer.from("<script>alert(1)</script>")]);

  // The tests of lib/files/cleaning have all kinds.
  test.each([
    ["a PDF with an author", "a.pdf", () => pdfBy("Maya Castillo"), "cleaned", ["device", "time", "author"]],
    [
      "a PDF that is broken",
      "b.pdf",
      async () => Buffer.from("%PDF-1.7\n1 0 obj <<"),
      "not_inspected",
      ["place", "device", "time", "author"],
    ],
    ["a picture with something behind its end", "c.png", rest, "cleaned", []],
    ["a text", "e.txt", async () => Buffer.from("Grüße aus Zürich", "latin1"), "clean", []],
    ["a sound with tags", "n.mp3", async () => createMp3({ TPE1: "Somebody" }), "not_cleanable", ["author"]],
  ])("%s gets the documented state, categories and download", async (_, name, make, clean, reveals) => {
    const report = await world.report(maya, event);
    const bytes = await make();
    const file = await added(maya, report, { name, bytes });
    const upload = { sha256: sha256(bytes), size: bytes.length };
    expect(file).toMatchObject({ clean, reveals, hasOriginal: clean === "cleaned" });
    expect(file.original).toEqual(clean === "cleaned" ? upload : null);
    const copy = await download(world.as(omar), report, file);
    expect([file.sha256, file.size]).toEqual([sha256(copy.bytes), copy.bytes.length]);
    expect(copy.bytes.equals(bytes)).toBe(clean !== "cleaned");
    if (name.endsWith(".txt")) expect(copy.headers["content-type"]).toBe("text/plain; charset=windows-1252");
    if (clean === "cleaned") expect(copy.bytes.toString("latin1")).not.toMatch(/Maya Castillo|<script>/);
    if (clean === "cleaned")
      expect((await openOriginal(world.as(ada), report, file)).bytes.equals(bytes)).toBe(true);
    else
      expect(summarizeResponse(await openOriginal(world.as(ada), report, file))).toEqual([404, "NOT_FOUND"]);
  });
});

describe("a photograph in HEIC", () => {
  test("is a JPEG for the team, and itself for an Admin", async () => {
    const report = await world.report(maya, event);
    const file = await added(maya, report, { name: "IMG_5195.HEIC", bytes: createMotionHeic() });
    expect(file).toMatchObject({
      filename: "IMG_5195.jpg",
      mimetype: "image/jpeg",
      clean: "cleaned",
      reveals: ["place", "device", "time", "author"],
      lost: ["video"],
      hasOriginal: true,
      original: { sha256: sha256(createMotionHeic()), size: createMotionHeic().length },
    });
    const copy = await download(world.as(omar), report, file);
    expect(copy.headers["content-type"]).toBe("image/jpeg");
    expect(copy.headers["content-disposition"]).toContain('filename="IMG_5195.jpg"');
    expect((await sharp(copy.bytes).metadata()).format).toBe("jpeg");
    const original = await openOriginal(world.as(ada), report, file);
    expect(original.headers["content-type"]).toBe("image/heic");
    expect(original.headers["content-disposition"]).toContain('filename="IMG_5195.heic"');
    expect(original.bytes.equals(createMotionHeic())).toBe(true);
  });
});

describe("an anonymous report", () => {
  const FIELDS = { title: "Somebody kept filming us", description: "With a phone.", anonymous: "true" };
  const sent = (file: Attachment) =>
    world.as(maya).post(`/api/events/${event.id}/incidents`, buildForm(FIELDS, file));

  const FORM = "Send documents as PDFs";
  test.each<[string, string, () => Buffer | Promise<Buffer>, string]>([
    ["a film with its place", "Maya.mp4", createAndroidFilm, "We can't remove hidden data"],
    ["a PDF that takes a password", "Maya.pdf", () => createLockedPdf("a"), "We couldn't check it"],
  ])("can't have %s", async (_, name, make, details) => {
    const [newFiles, incidents] = [watchStored(), await heed.rows("incidents")];
    const reply = await sent({ name, bytes: await make() });
    expect(reply.status, reply.text).toBe(415);
    expect(reply.body).toEqual({
      code: "UNSUPPORTED_FILE_TYPE",
      error: "The file can't be sent anonymously.",
      details: expect.stringContaining(details),
    });
    expect(reply.body.details).toContain(FORM);
    expect([newFiles(), await heed.rows("incidents")]).toEqual([[], incidents]);
    expect(filesIn("tmp")).toEqual([]);
  });

  async function createLockedPdf(userPassword: string): Promise<Buffer> {
    const document = await PDFDocument.create();
    document.addPage([200, 200]);
    document.setAuthor("Maya Castillo");
    document.encrypt({ userPassword, ownerPassword: "owner" });
    return Buffer.from(await document.save());
  }

  test.each([
    ["a Word document", "docx", createDocx, "document-1.docx"],
    ["a photograph in HEIC", "heic", async () => createHeic(), "photo-1.jpg"],
    ["a PDF that opens without a password", "pdf", () => createLockedPdf(""), "document-1.pdf"],
  ])("can have %s, whose original and whose name are kept nowhere", async (_, extension, make, name) => {
    const newFiles = watchStored();
    const reply = await sent({ name: `zqname of Maya Castillo.${extension}`, bytes: await make() });
    expect(reply.status, reply.text).toBe(201);
    const { incident } = reply.body;
    expect(newFiles()).toHaveLength(1);
    const [file] = await listed(ada, incident);
    expect(file).toMatchObject({
      filename: name,
      hasOriginal: false,
      uploadedBy: null,
      fromUnnamedReporter: true,
    });
    expect(summarizeResponse(await openOriginal(world.as(ada), incident, file as File))).toEqual([
      404,
      "NOT_FOUND",
    ]);
    const copy = await download(world.as(omar), incident, file as File);
    expect(copy.headers["content-disposition"]).toContain(`filename="${name}"`);
    expect(copy.bytes.toString("latin1")).not.toMatch(/Maya Castillo|Lantern/);
    expect((await world.as(omar).delete(at(incident, `/${file?.id}`))).status).toBe(204);
    const where = [
      `/api/events/${event.id}/incidents/${incident.id}/history`,
      `/api/events/${event.id}/incidents`,
    ];
    for (const one of where) expect((await world.as(ada).get(one)).text).not.toContain("zqname");
    expect(await listTablesWith(heed, "zqname")).toEqual([]);
    expect(filesIn(".").filter((one) => readFileIfThere(one).includes("zqname"))).toEqual([]);
  });
});

describe("parts of a file", () => {
  const TEXT = "0123456789".repeat(100);

  test("are returned as requested", async () => {
    const report = await world.report(maya, event);
    const file = await added(maya, report, note("digits.txt", TEXT));
    const etag = `"${file.sha256}"`;
    const get = (headers: Record<string, string>) => download(world.as(omar), report, file, headers);
    const whole = await get({});
    expect([whole.status, whole.headers["accept-ranges"], whole.headers.etag]).toEqual([200, "bytes", etag]);
    for (const [headers, status, text, part] of [
      [{ range: "bytes=-3", "if-range": etag }, 206, "789", "bytes 997-999/1000"],
      [{ range: "bytes=0-9", "if-range": '"another"' }, 200, TEXT, undefined],
    ] as const) {
      const reply = await get(headers);
      expect([reply.status, reply.text, reply.headers["content-range"]]).toEqual([status, text, part]);
      expect(reply.headers["content-length"]).toBe(String(text.length));
      expect(reply.headers["content-disposition"]).toMatch(/^attachment;/);
      expect(reply.headers["content-security-policy"]).toBe("sandbox; default-src 'none'");
    }
    const audited = () =>
      heed.rows("audit_entries", "action = 'file.download' and object_id = $1", [file.id]);
    const downloads = await audited();
    const known = await get({ "if-none-match": etag, range: "bytes=0-9" });
    expect([known.status, known.headers.etag, known.bytes.length]).toEqual([304, etag, 0]);
    expect(await audited()).toBe(downloads);
    const beyond = await get({ range: "bytes=1000-" });
    expect(summarizeResponse(beyond)).toEqual([416, "RANGE_NOT_SATISFIABLE"]);
    expect(beyond.headers["content-range"]).toBe("bytes */1000");
    const head = await world
      .as(omar)
      .send("HEAD", at(report, `/${file.id}/download`), undefined, { headers: { range: "bytes=0-9" } });
    expect([head.status, head.headers.etag, head.text]).toEqual([200, etag, ""]);
    expect(head.headers["content-range"]).toBeUndefined();
    expect(head.headers["content-length"]).toBe("1000");
    const packed = await get({ "accept-encoding": "gzip" });
    expect([packed.headers["content-encoding"], packed.headers["content-length"]]).toEqual([
      "gzip",
      undefined,
    ]);
    expect(gunzipSync(packed.bytes).toString()).toBe(TEXT);
    for (const reply of [whole, head, packed]) expect(reply.headers).not.toHaveProperty("x-heed-length");
  });

  test("that a player fetches in turn count as one download; the whole file counts each time", async () => {
    const report = await world.report(maya, event);
    const file = await added(maya, report, note("digits.txt", TEXT));
    const openings = async () =>
      (await auditOf(file.id)).filter(({ action }) => action === "file.download").length;
    for (const range of ["bytes=500-", "bytes=0-99", "bytes=100-"])
      await download(world.as(omar), report, file, { range });
    expect(await openings()).toBe(1);
    await download(world.as(ada), report, file, { range: "bytes=100-" });
    expect(await openings()).toBe(2);
    await download(world.as(omar), report, file);
    expect(await openings()).toBe(3);
    await world.as(omar).send("HEAD", at(report, `/${file.id}/download`));
    await download(world.as(omar), report, file, { range: "bytes=1000-" });
    expect(await openings()).toBe(3);
    await download(world.as(maya), report, file);
    const views = await heed.sql(
      "select actor_id, kind from incident_access where object_id = $1 order by id",
      [file.id],
    );
    expect(views).toEqual([omar, ada, omar].map(({ id }) => ({ actor_id: id, kind: "file" })));
  });
});

describe("a part of a file whose download can't be recorded", () => {
  test("is refused, and in the access log once it is sent", async () => {
    const report = await world.report(maya, event);
    const file = await added(maya, report, note());
    const headers = { range: "bytes=0-" };
    await heed.sql(`alter table incident_access add constraint full_log check (object_id <> '${file.id}')`);
    try {
      const reply = await world.as(omar).get(at(report, `/${file.id}/download`), { headers, failing: true });
      expect(reply.status).toBe(500);
    } finally {
      await heed.sql("alter table incident_access drop constraint full_log");
    }
    expect((await download(world.as(omar), report, file, headers)).status).toBe(206);
    expect(await heed.rows("incident_access", "object_id = $1", [file.id])).toBe(1);
    expect((await auditOf(file.id)).filter(({ action }) => action === "file.download")).toHaveLength(1);
  });
});

describe("the storage quota of an event", () => {
  const KIB = 1024;
  const usage = async (person: TestPerson, place: { id: string }) =>
    world.as(person).get(`/api/events/${place.id}/evidence`);

  test("is shown to the team", async () => {
    const place = await world.newEvent(world.organization);
    await world.grant(maya, place, "Reporter");
    await world.grant(omar, place, "Responder");
    const empty = await usage(omar, place);
    expectShape(empty.body, {
      usage: checkRecord({ bytes: checkCount, quota: checkCount, files: checkCount }),
    });
    expect(empty.body.usage).toEqual({ bytes: 0, quota: QUOTA, files: 0 });
    const report = await world.report(maya, place);
    const bytes = await createPhoto();
    const file = await added(maya, report, { name: "photo.jpg", bytes });
    await added(omar, report, note());
    const full = { bytes: file.size + bytes.length + note().bytes.length, quota: QUOTA, files: 2 };
    expect((await usage(omar, place)).body.usage).toEqual(full);
    expect((await world.as(omar).get(`/api/events/slug/${place.slug}/evidence`)).body.usage).toEqual(full);
  });

  test("allows a quarter to one reporter, and half to all anonymous reports together", async () => {
    const place = await world.newEvent(world.organization);
    await world.grant(maya, place, "Reporter");
    await world.grant(world.rita, place, "Reporter");
    const send = (person: TestPerson, fields: Record<string, string>) =>
      world
        .as(person)
        .post(
          `/api/events/${place.id}/incidents`,
          buildForm(
            { title: "With a long file", description: "See there.", ...fields },
            note("a.txt", Buffer.alloc(300 * KIB, "a")),
          ),
        );
    expect((await send(maya, {})).status).toBe(201);
    const over = await Promise.all([send(maya, {}), send(maya, {})]);
    expect(over.map(summarizeResponse)).toEqual(Array(2).fill([413, "QUOTA_EXCEEDED"]));
    expect(over[0]?.body.details).toContain("one person");
    const anonymous: number[] = [];
    for (let count = 0; count < 4; count += 1)
      anonymous.push((await send(maya, { anonymous: "true" })).status);
    expect(anonymous).toEqual([201, 201, 201, 413]);
    expect((await send(world.rita, {})).status).toBe(201);
  });

  test("for three more files accepts three of twenty", async () => {
    const place = await world.newEvent(world.organization);
    await world.grant(omar, place, "Responder");
    const report = await world.report(omar, place);
    const newFiles = watchStored();
    const size = 600 * KIB;
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        world
          .as(omar)
          .post(at(report), buildForm({}, note(`${index}.txt`, Buffer.alloc(size, "all quiet\n")))),
      ),
    );
    const refused = replies.filter(({ status }) => status !== 201);
    expect(refused.map(summarizeResponse)).toEqual(Array(17).fill([413, "QUOTA_EXCEEDED"]));
    expect((await usage(omar, place)).body.usage).toEqual({ bytes: 3 * size, quota: QUOTA, files: 3 });
    expect(newFiles()).toHaveLength(3);
    expect(filesIn("tmp")).toEqual([]);
    expect(await countHistory(report, "file.added")).toBe(3);

    const [first] = await listed(omar, report);
    await world.as(omar).delete(at(report, `/${first?.id}`));
    expect(
      (await world.as(omar).post(at(report), buildForm({}, note("b.txt", Buffer.alloc(size, "b"))))).status,
    ).toBe(201);
  });
});

describe("a file that is not what its row says", () => {
  const faulty = async (change: (place: string) => void) => {
    const report = await world.report(maya, event);
    const newFiles = watchStored();
    const file = await added(maya, report, note());
    const [place = ""] = newFiles();
    change(place);
    return { report, file, place };
  };
  // Tests before these have damaged files of their own.
  const problemsOf = ({ problems }: { problems: { fileId: string }[] }, { id }: File) =>
    problems.filter(({ fileId }) => fileId === id);
  const refusedDownload = (report: ReportRecord, file: File, headers = {}) =>
    world.as(omar).get(at(report, `/${file.id}/download`), { headers, failing: true });
  const health = async () => (await world.as(sam).get("/api/admin/health")).body;

  test.each([
    ["damaged", (at: string) => fs.writeFileSync(at, "What I saw by the d00r.")],
    ["missing", (at: string) => fs.rmSync(at)],
  ] as const)(
    "but %s, is refused, logged by its ids, and shown to whoever runs the service",
    async (kind, change) => {
      const { report, file, place } = await faulty(change);
      for (const headers of [{}, { range: "bytes=0-3" }]) {
        const reply = await refusedDownload(report, file, headers);
        const error = `This file is ${kind}.`;
        expect([...summarizeResponse(reply), reply.body.error]).toEqual([503, "SERVICE_UNAVAILABLE", error]);
      }
      const fault = { incidentId: report.id, fileId: file.id, part: "file", fault: kind };
      await waitUntil("the log line", () =>
        heed.process.output().includes(JSON.stringify(fault).slice(1, -1)),
      );
      expect(await auditOf(file.id)).toHaveLength(1);
      const { status, evidence } = await health();
      expect([status, evidence.status]).toEqual(["failed", "failed"]);
      const ofKind = evidence.problems.filter((one: { fault: string }) => one.fault === kind);
      expect(evidence[kind]).toBe(ofKind.length);
      expect(problemsOf(evidence, file)).toEqual([{ ...fault, foundAt: expect.any(String) }]);
      fs.writeFileSync(place, "What I saw by the door.");
      expect((await download(world.as(omar), report, file)).status).toBe(200);
      await heed.sql("delete from related_files where id = $1", [file.id]);
      expect(problemsOf((await health()).evidence, file)).toEqual([]);
    },
  );
});

// docs/performance.md has the memory of the service without it.
test.runIf(process.platform === "linux")("the image library is loaded for the first logo", async () => {
  const report = await world.report(maya, event);
  const photo = { name: "first.png", bytes: await createPng() };
  await added(maya, report, photo);
  const isLoaded = () => fs.readFileSync(`/proc/${heed.process.pid}/maps`, "utf8").includes("libvips");
  expect(isLoaded()).toBe(false);
  const logo = buildForm({}, { ...photo, field: "logo" });
  expect((await world.as(ada).post(`/api/events/${event.id}/logo`, logo)).status).toBe(200);
  expect(isLoaded()).toBe(true);
});
