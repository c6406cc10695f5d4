import { beforeAll, describe, expect, test } from "vitest";
import { NEW_DECISION } from "#e2e/api/conversation-rows.ts";
import type { Reply } from "#e2e/support/client.ts";
import { createPhoto } from "#e2e/support/evidence.ts";
import { extractPdfTexts } from "#e2e/support/pdf-text.ts";
import { PlainBrowser } from "#e2e/support/plain-browser.ts";
import { shareService } from "#e2e/support/service.ts";
import { TestWorld, type ReportRecord, type TestPerson } from "#e2e/support/world.ts";

/** An incident as one PDF (contract 10.4): what is in it, for whom, and what is recorded. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, maya, olga, omar, organization, sam } = world;
const by = `/api/events/${event.id}/incidents`;
const bySlug = `/api/events/slug/${event.slug}/incidents`;

/** Words that stand nowhere else. Each is one run of letters in a PDF. */
const WORDS = {
  description: "Quincewood",
  note: "Marblefen",
  summary: "Wicketford",
  record: "Larkspur",
  message: "Thimbleby",
  party: "Ostlerton",
  reason: "Pewterway",
} as const;

let report: ReportRecord;
const download = (person: TestPerson, body: object, path = `${by}/${report.id}`) =>
  world.as(person).post(`${path}/case-file`, { reason: WORDS.reason, ...body });

/** Which of the words a PDF has. */
function listWords({ bytes }: Reply): string[] {
  const text = extractPdfTexts(bytes).join(" ");
  return Object.values(WORDS).filter((word) => text.includes(word));
}

const history = async (): Promise<any[]> =>
  (await world.as(omar).get(`${by}/${report.id}/history?limit=100`)).body.history;

beforeAll(async () => {
  report = await world.report(maya, event, { description: `It was about ${WORDS.description}.` });
  const at = `${by}/${report.id}`;
  const post = (path: string, body: object) => world.as(omar).post(at + path, body);
  await post("/comments", { body: `A note on ${WORDS.note}.`, visibility: "internal" });
  await post("/comments", { body: `We thank you, ${WORDS.message}.`, visibility: "public" });
  const conversation = await post("/conversations", { party: "reported_person", label: "By email" });
  await post(`/conversations/${conversation.body.conversation.id}/decisions`, {
    ...NEW_DECISION,
    finding: `Found in ${WORDS.party}.`,
  });
  await world.as(omar).patch(`${bySlug}/${report.id}`, { summary: `A quarrel at ${WORDS.summary}.` });
  const form = new FormData();
  form.append("relatedFiles", new Blob([new Uint8Array(await createPhoto())]), "door.jpg");
  await world.as(omar).post(`${at}/related-files`, form);
  await world.move(report, "resolved", { notes: `Settled at ${WORDS.record}.` });
});

describe("a case file", () => {
  test("has report, timeline and files, and nothing that nobody chose", async () => {
    const pdf = await download(ada, {});
    expect(pdf.status, pdf.text.slice(0, 300)).toBe(200);
    expect(pdf.headers).toMatchObject({
      "content-type": "application/pdf",
      "content-disposition": `attachment; filename="heed-${report.codeName}.pdf"`,
      "cache-control": "private, no-store",
    });
    expect(listWords(pdf)).toEqual([WORDS.description]);
    const text = extractPdfTexts(pdf.bytes).join(" ");
    const [file] = (await world.as(ada).get(`${by}/${report.id}`)).body.incident.relatedFiles;
    for (const part of [file.filename, file.sha256, "Confidential", ada.name, "Page 1 of", "Resolved"])
      expect(text).toContain(part);
    expect(text).not.toContain(maya.email);
  });

  test("has each other part once it is chosen, also by slug and in the language that is asked for", async () => {
    const chosen = { timeline: false, files: false, labels: "de" };
    const notes = await download(ada, { ...chosen, notes: true }, `${bySlug}/${report.id}`);
    // The reasons of earlier downloads are part of the timeline.
    expect(listWords(notes)).toEqual([WORDS.description, WORDS.note, WORDS.summary, WORDS.record]);
    expect(extractPdfTexts(notes.bytes).join(" ")).toContain("Vertraulich");
    expect(listWords(await download(ada, { ...chosen, messages: true }))).toEqual([
      WORDS.description,
      WORDS.message,
    ]);
    expect(listWords(await download(ada, { ...chosen, conversations: true }))).toEqual([
      WORDS.description,
      WORDS.party,
    ]);
  });

  test("is recorded: the reason for the team, the parts in the audit log, never the other way around", async () => {
    const before = (await history()).length;
    expect((await download(omar, { files: false, notes: true })).status).toBe(200);
    const entries = await history();
    expect(entries.slice(before)).toMatchObject([
      { kind: "changes", action: "downloaded", to: WORDS.reason, actor: { id: omar.id } },
    ]);
    expect((await world.as(maya).get(`${by}/${report.id}/history`)).text).not.toContain("downloaded");
    const { access } = (await world.as(ada).get(`${by}/${report.id}/access?kind=export`)).body;
    expect(access[0]).toMatchObject({ kind: "export", actor: { id: omar.id } });
    const log = await world
      .as(olga)
      .get(`/api/organizations/${organization.id}/audit?action=incident.download`);
    const own = log.body.entries.filter(({ objectId }: any) => objectId === report.id);
    expect(own[0]).toMatchObject({ actor: { id: omar.id }, data: { parts: ["timeline", "notes"] } });
    for (const word of Object.values(WORDS)) expect(log.text).not.toContain(word);
  });

  test("needs a reason, on one line and short", async () => {
    for (const reason of [undefined, "", " ", "two\nlines", "x".repeat(201)]) {
      const reply = await world.as(ada).post(`${by}/${report.id}/case-file`, { reason });
      expect([reply.status, reply.body.code]).toEqual([400, "VALIDATION_ERROR"]);
      expect(reply.body.details).toMatch(/^reason: /);
    }
  });
});

describe("nobody gets one", () => {
  test("who doesn't read the incident: it is as if it didn't exist", async () => {
    const hidden = await world.report(maya, event, { excludedUserIds: [omar.id] });
    const unknown = "00000000-0000-4000-8000-000000000000";
    const [denied, absent] = [
      await download(omar, { notes: true }, `${by}/${hidden.id}`),
      await download(omar, { notes: true }, `${by}/${unknown}`),
    ];
    expect(denied.status).toBe(404);
    expect(denied.text.replaceAll(hidden.id, unknown).length).toBe(absent.text.length);
    const { text } = await world.as(ada).get(`${by}/${hidden.id}/history`);
    expect(text).not.toContain("downloaded");
  });

  test("who reads it in an emergency", async () => {
    const hidden = await world.report(maya, event);
    const at = `${by}/${hidden.id}`;
    await world.as(maya).put(`${at}/readers/${sam.id}`, { access: "none" });
    expect((await world.as(sam).get(at)).status).toBe(404);
    await world.as(sam).post(`${at}/readers/me/emergency`, { reason: "The whole team is away." });
    expect((await world.as(sam).get(at)).status).toBe(200);
    const reply = await download(sam, {}, at);
    expect([reply.status, reply.body.code]).toEqual([403, "FORBIDDEN"]);
    const page = new PlainBrowser(heed.url, world.as(sam).cookie);
    await page.open(`/e/${event.slug}/i/${hidden.id}/case-file`);
    expect(page.text).not.toContain("Why do you need it?");
  });

  test("who only reported it", async () => {
    const reply = await download(maya, {});
    expect([reply.status, reply.body.code]).toEqual([403, "FORBIDDEN"]);
    const page = new PlainBrowser(heed.url, world.as(maya).cookie);
    await page.open(`/e/${event.slug}/i/${report.id}/case-file`);
    expect(page.status).toBe(403);
  });
});

test("the form works without script, and loses nothing when the reason is missing", async () => {
  const browser = new PlainBrowser(heed.url, world.as(ada).cookie);
  await browser.open(`/e/${event.slug}/i/${report.id}`);
  await browser.follow("Download case");
  await browser.check("Team notes").check("List of files", false).press("Download PDF");
  expect(browser.text).toContain("Say briefly why you need the case file.");
  expect(browser.isChecked("Team notes")).toBe(true);
  expect(browser.isChecked("List of files")).toBe(false);
});
