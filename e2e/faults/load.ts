import { createHash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Reply } from "#e2e/support/client.ts";
import { buildForm, createPhoto, type Attachment } from "#e2e/support/evidence.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { createMulberry32Generator } from "#lib/demo/random.ts";
import { buildNumberedAnonymousFilename } from "#lib/files/upload/neutral-names.ts";
import type { Ledger, SentFile, SentReport } from "./ledger.ts";
import type { Scene } from "./scenario.ts";

/** A photo, which the service cleans and whose original it seals. */
const PHOTO = await createPhoto();

export type Load = {
  /** Goes on for that time; in a short run only until the given number of further reports is acknowledged. */
  work(ms: number, reports?: number): Promise<void>;
  /** In a short run, has each person pause after each request: enough to see what a fault does, for less work. */
  slowDown(): void;
  /** Stops sending, and waits until each request has a response or a broken connection. */
  stop(): Promise<void>;
};

/**
 * Starts several people who concurrently file reports, with files and without, change statuses, add files and read. A
 * broken request is not repeated; the ledger finds out whether it took effect.
 */
export function startLoad(scene: Scene, writers = 6): Load {
  const { ledger, short } = scene;
  let stopping = false;
  let pauseMs = 0;
  const write = async (index: number) => {
    const draw = createMulberry32Generator(scene.draw() * 1e9 + index);
    while (!stopping) {
      await act(scene, draw);
      await sleep(pauseMs + draw() * 20);
    }
  };
  const people = short ? Math.min(writers, 8) : writers;
  const writing = Promise.all(Array.from({ length: people }, (_, index) => write(index)));
  const stop = async () => {
    stopping = true;
    await writing;
  };
  scene.stage.onClose(stop);
  return {
    work: async (ms, reports = 6) => {
      if (!short) return void (await sleep(ms));
      const wanted = ledger.acknowledged.length + reports;
      await waitUntil(`${reports} reports`, () => ledger.acknowledged.length >= wanted, 60_000);
    },
    slowDown: () => void (pauseMs = short ? 500 : 0),
    stop,
  };
}

async function act(scene: Scene, draw: () => number): Promise<void> {
  const known = scene.ledger.acknowledged;
  const lot = draw();
  if (lot < 0.4 || known.length === 0) return sendReport(scene, { draw, files: true });
  if (lot < 0.6) return sendReport(scene, { draw, files: false });
  const one = known[Math.floor(draw() * known.length)]?.id ?? "";
  if (lot < 0.75) return sendMove(scene, one);
  if (lot < 0.85) return sendFiles(scene, one);
  const at = draw() < 0.5 ? "" : `/${one}`;
  const { omar } = scene.stage.cast;
  await sendAndRecord(scene, "read", () => scene.stage.ask("GET", scene.stage.incidents + at, { as: omar }));
}

let serial = 0;
const token = () => `${(serial += 1)}-${randomBytes(4).toString("hex")}`;

/** Notes a report in the ledger before it is sent. */
export function promiseReport(ledger: Ledger, files: SentFile[] = [], anonymous = false): SentReport {
  const sent = { title: `What happened, number ${token()}`, files, anonymous };
  ledger.reports.push(sent);
  return sent;
}

/** Files a report; if `files` is set with a text, and often a photo. */
export async function sendReport(
  scene: Scene,
  { draw = Math.random, files }: { draw?: () => number; files: boolean },
): Promise<void> {
  const { stage, ledger } = scene;
  const attachments = files ? createFiles(draw) : [];
  const anonymous = draw() < 0.2;
  const names = attachments.map(({ name, type = "" }, index) =>
    anonymous ? buildNumberedAnonymousFilename(type, index + 1) : name,
  );
  const described = attachments.map((file, index) => describeFile({ ...file, name: names[index] ?? "" }));
  const sent = promiseReport(ledger, described, anonymous);
  const fields = { title: sent.title, description: "It went on for a while.", anonymous: String(anonymous) };
  const body = files ? buildForm(fields, ...attachments) : { ...fields, anonymous };
  const as = draw() < 0.5 ? stage.cast.maya : stage.cast.rita;
  const reply = await sendAndRecord(scene, "report", () => stage.ask("POST", stage.incidents, { as, body }));
  if (reply?.status === 201) sent.id = reply.body.incident.id;
}

async function sendMove(scene: Scene, incidentId: string): Promise<void> {
  const { stage, ledger } = scene;
  const { omar } = stage.cast;
  const sent = { note: `As agreed, ${token()}`, acknowledged: false };
  ledger.moves.push(sent);
  const body = { state: "investigating", notes: sent.note, assignedToUserId: omar.id };
  const reply = await sendAndRecord(scene, "move", () =>
    stage.ask("PATCH", `${stage.incidents}/${incidentId}/state`, { as: omar, body }),
  );
  sent.acknowledged = reply?.status === 200;
}

async function sendFiles(scene: Scene, incidentId: string): Promise<void> {
  const { stage, ledger } = scene;
  const attachments = createFiles(Math.random);
  const sent = { files: attachments.map(describeFile), acknowledged: false };
  ledger.added.push(sent);
  const request = { as: stage.cast.omar, body: buildForm({}, ...attachments) };
  const reply = await sendAndRecord(scene, "files", () =>
    stage.ask("POST", `${stage.incidents}/${incidentId}/related-files`, request),
  );
  sent.acknowledged = reply?.status === 201;
}

/** Creates a text of up to 300 kB, and often a photo. */
function createFiles(draw: () => number): Attachment[] {
  const bytes = `Notes: ${randomBytes(100 + Math.floor(draw() * 200_000)).toString("base64")}`;
  const text = { name: `notes-${token()}.txt`, bytes, type: "text/plain" };
  return draw() < 0.5 ? [text, { name: `photo-${token()}.jpg`, bytes: PHOTO, type: "image/jpeg" }] : [text];
}

const describeFile = ({ name, bytes }: Attachment): SentFile => ({
  name,
  sha256: createHash("sha256").update(bytes).digest("hex"),
});

/** Sends a request and records its response. @returns undefined when the connection broke */
export async function sendAndRecord(
  { ledger }: Scene,
  what: string,
  send: () => Promise<Reply>,
): Promise<Reply | undefined> {
  const at = Date.now();
  const began = performance.now();
  const elapsed = () => performance.now() - began;
  try {
    const reply = await send();
    const { status, body, headers } = reply;
    const retryAfter = headers["retry-after"] !== undefined;
    ledger.responses.push({ what, at, status, code: body?.code ?? "", ms: elapsed(), retryAfter });
    return reply;
  } catch {
    ledger.broken += 1;
    // The server is gone, so retry less often.
    await sleep(50);
    return undefined;
  } finally {
    ledger.longestMs = Math.max(ledger.longestMs, elapsed());
  }
}
