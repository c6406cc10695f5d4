import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { MailServer } from "#e2e/support/mail-server.ts";
import { Client } from "#e2e/support/client.ts";
import { createDocx, createOdf, createXlsx } from "#e2e/support/documents.ts";
import { buildForm, createPdf, createPhoto } from "#e2e/support/evidence.ts";
import { EventStream } from "#e2e/support/event-stream.ts";
import { ObjectStorage } from "#e2e/support/object-storage.ts";
import { createHeic, createIphoneFilm, createMp3 } from "#e2e/support/recordings.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";
import {
  createStandalone,
  listFolderState,
  runStandalone,
  startStandalone,
} from "#e2e/support/standalone.ts";

/** The build as its image has it (Dockerfile): what only a build needs is gone, and all that it does is still there. */

const laidOut = createStandalone();
afterAll(() => laidOut.removeFolder());

const visitor = (url: string) => new Client(url, { countRows: async () => ({}) });

/** What others run: a mail server, an S3-compatible storage, a collector of traces. */
async function others() {
  const mail = await MailServer.start();
  const storage = await ObjectStorage.start();
  let spans = "";
  const collector = http.createServer((request, response) => {
    request.on("data", (chunk) => (spans += chunk)).on("end", () => response.end("{}"));
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  return {
    mail,
    storage,
    spans: () => spans,
    settings: {
      SMTP_URL: mail.url,
      S3_URL: storage.url(),
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
      OTEL_BSP_SCHEDULE_DELAY: "200",
      METRICS_TOKEN: "a-token-for-the-metrics",
      BACKUP_PASSPHRASE: "nine lamps along the quay",
    },
    end: async () => {
      collector.close();
      await Promise.all([mail.close(), storage.close()]);
    },
  };
}

/** Reads a page and its first script. */
async function expectPage(url: string): Promise<void> {
  const page = await fetch(url);
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const script = /\/_next\/static\/[^"]+\.js/.exec(await page.text())?.[0];
  expect((await fetch(new URL(script ?? "/missing", url))).status).toBe(200);
}

const FILES: [name: string, type: string, bytes: () => Buffer | Promise<Buffer>, outcome: string][] = [
  ["photo.jpg", "image/jpeg", createPhoto, "cleaned"],
  ["phone.heic", "image/heic", createHeic, "cleaned"],
  ["statement.pdf", "application/pdf", createPdf, "clean"],
  [
    "letter.docx",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    createDocx,
    "cleaned",
  ],
  ["list.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", createXlsx, "cleaned"],
  ["letter.odt", "application/vnd.oasis.opendocument.text", () => createOdf("text"), "cleaned"],
  ["film.mov", "video/quicktime", createIphoneFilm, "not_cleanable"],
  ["sound.mp3", "audio/mpeg", () => createMp3({ TIT2: "What I heard" }), "not_cleanable"],
];

test("where nothing can be written, an ordinary user runs files, charts, PDF, mail, S3, traces, live streams and the drill with what is left of the packages", async () => {
  const [place, outside] = [laidOut, await others()];
  const before = new Set(listFolderState(place.app));
  try {
    const running = await startStandalone(place, outside.settings);
    expect(running.output()).not.toMatch(/Building|Generating|EACCES|EROFS|EPERM/);
    const first = visitor(running.url);
    const account = { email: "first@example.org", password: "a lantern in the harbour" };
    const registered = await first.post("/api/auth/register", { ...account, name: "First" });
    expect(registered.body).toMatchObject({ madeSystemAdmin: true });
    const ready = await first.get("/api/health/ready");
    expect([ready.status, ready.body.storage]).toEqual([200, "ok"]);
    await expectPage(`${running.url}/login`);
    expect((await first.post("/api/auth/login", account)).status).toBe(200);
    const confirmed = ["confirm-email.ts", "--email", account.email] as const;
    const byOperator = await runStandalone(place, [...confirmed], outside.settings);
    expect(byOperator.code, byOperator.output).toBe(0);
    const made = await first.post("/api/organizations", { name: "Standing Alone", slug: "alone" });
    const organization = made.body.organization.id;
    const code = String(made.body.inviteLink).split("/").at(-1);
    expect((await first.post(`/api/organizations/invite/${code}/use`)).status).toBe(200);
    const gathering = { name: "Quay Days", slug: "quay", startDate: "2031-04-04", endDate: "2031-04-06" };
    const event = (await first.post(`/api/organizations/${organization}/events`, gathering)).body.event;
    const { user } = (await first.get("/api/auth/session")).body;
    const role = { userId: user.id, roleName: "Responder" };
    expect((await first.post(`/api/events/${event.id}/roles`, role)).status).toBe(200);

    const stream = await EventStream.open(first, {}, running.url);
    const outcomes: Record<string, string> = {};
    for (const [name, type, bytes] of FILES) {
      const report = { title: `With ${name} of that evening`, description: "It went on for a while." };
      const sent = await first.post(
        "/api/events/slug/quay/incidents",
        buildForm(report, { name, type, bytes: await bytes() }),
      );
      expect(sent.status, sent.text).toBe(201);
      const [file] = sent.body.incident.relatedFiles;
      outcomes[name] = file.clean;
      if (name === "film.mov") expect(file.reveals).toContain("place");
      const at = `/api/events/slug/quay/incidents/${sent.body.incident.id}/related-files/${file.id}/download`;
      expect((await first.get(at)).bytes).toHaveLength(file.size);
      await stream.change("incident.created", sent.body.incident.id);
    }
    stream.close();
    expect(outcomes).toEqual(Object.fromEntries(FILES.map(([name, , , outcome]) => [name, outcome])));

    const page = await first.get("/orgs/alone/insights");
    expect([page.status, page.text]).toEqual([200, expect.stringMatching(/<svg[^>]+viewBox="0 0 520 /)]);
    const reports = `/api/organizations/${organization}/reports/export?timeRange=all&format`;
    const typeset = await first.get(`${reports}=pdf`, { headers: { accept: "application/pdf" } });
    expect(typeset.bytes.subarray(0, 5).toString()).toBe("%PDF-");
    expect((await first.get(`${reports}=csv`)).text.trim().split("\n")).toHaveLength(FILES.length + 1);
    const poster = await first.post("/api/events/slug/quay/invites", { role: "Reporter" });
    expect(poster.status, poster.text).toBe(201);
    expect((await first.post("/api/admin/mail-test", {})).body).toMatchObject({ delivered: true });
    expect(outside.mail.taken.map(({ to }) => to)).toContain(account.email);
    await waitUntil("a trace", () => outside.spans().includes("POST /api/events/slug/[slug]/invites"));
    const metrics = await fetch(`${running.url}/api/metrics`, {
      headers: { authorization: `Bearer ${outside.settings.METRICS_TOKEN}` },
    });
    expect(await metrics.text()).toMatch(/^heed_database_up 1$/m);

    const archive = path.join(place.data, "whole.zip");
    const taken = await runStandalone(place, ["backup.ts", "--to", archive], outside.settings);
    expect(taken.code, taken.output).toBe(0);
    const stored = outside.storage.keys.toSorted();
    const drill = await runStandalone(place, ["restore.ts", "--from", archive, "--verify"], outside.settings);
    expect(drill.code, drill.output).toBe(0);
    const cleaned = Object.values(outcomes).filter((outcome) => outcome === "cleaned").length;
    expect(stored).toHaveLength(FILES.length + cleaned);
    expect(drill.output).toContain(
      `${stored.length} files came back, and are as they were; ${cleaned} sealed originals open.`,
    );
    expect(outside.storage.keys.toSorted()).toEqual(stored);
    const chains = await runStandalone(place, ["audit-verify.ts"], outside.settings);
    expect(chains.code, chains.output).toBe(0);
    const ended = await running.stop();
    expect(ended.code, ended.output).toBe(0);
    expect(ended.output).not.toMatch(/"level":"(error|fatal)"|ERR_MODULE_NOT_FOUND/);
    const after = listFolderState(place.app);
    expect(after.filter((line) => !before.has(line))).toEqual([]);
    expect(after).toHaveLength(before.size);
  } finally {
    await outside.end();
  }
  // It starts the service and four commands, with a database each.
}, 600_000);

test("what was built can be read by whoever can read the sources", () => {
  const mode = (name: string) => fs.statSync(path.join(PROJECT_ROOT, name)).mode & 0o777;
  expect(mode(".next")).toBe(mode("app"));
  expect(mode(".next/BUILD_ID") & 0o444).toBe(mode("package.json") & 0o444);
});
