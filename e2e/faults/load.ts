import { createHash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Reply } from "#e2e/support/client.ts";
import { buildForm, createPhoto, type Attachment } from "#e2e/support/evidence.ts";
import { buildNumberedAnonymousFilename } from "#lib/files/upload/neutral-names.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { createMulberry32Generator } from "#lib/demo/random.ts";
import { computeQuantileOfUnsorted } from "./fault.ts";
import type { Stage } from "./stage.ts";

/** A file that was sent. `name` is the stored name for an anonymous report. */
export type SentFile = { name: string; sha256: string };

/** A report that was sent under a unique title. `id` is set once the service has acknowledged it. */
export type SentReport = { title: string; files: SentFile[]; id?: string; anonymous: boolean };

/** A status change that was sent with a unique note. `acknowledged` is set once the service has acknowledged it. */
export type SentMove = { note: string; incidentId: string; acknowledged: boolean };

/** Files that were added to an existing report. */
export type SentFiles = { incidentId: string; files: SentFile[]; acknowledged: boolean };

export type RecordedResponse = {
  what: string;
  status: number;
  code: string;
  ms: number;
  at: number;
  retryAfter: boolean;
};

/** Records every request that was sent, and its response. */
export class Ledger {
  readonly reports: SentReport[];
  readonly moves: SentMove[];
  readonly added: SentFiles[];
  readonly responses: RecordedResponse[] = [];
  /** Number of requests whose connection broke. */
  broken = 0;
  /** Longest wait for a response or a broken connection, in milliseconds. */
  longestMs = 0;

  /** @param earlier the ledger of an earlier fault on the same stage, whose records this one continues */
  constructor(earlier?: Ledger) {
    this.reports = earlier?.reports ?? [];
    this.moves = earlier?.moves ?? [];
    this.added = earlier?.added ?? [];
  }

  get acknowledged(): SentReport[] {
    return this.reports.filter(({ id }) => id !== undefined);
  }

  /** Returns the responses of a period, given in milliseconds since 1970. */
  between(from: number, to = Infinity): RecordedResponse[] {
    return this.responses.filter(({ at }) => at >= from && at <= to);
  }

  p99(responses: readonly RecordedResponse[] = this.responses): number {
    return computeQuantileOfUnsorted(
      responses.map(({ ms }) => ms),
      0.99,
    );
  }

  /** Counts responses by status, such as `201: 40, 503: 7`. */
  statuses(responses: readonly RecordedResponse[] = this.responses): string {
    const counts = new Map<string, number>();
    for (const { status, code } of responses) {
      const name = status < 400 ? String(status) : `${status} ${code}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return [...counts].map(([status, count]) => `${count} × ${status}`).join(", ") || "none";
  }
}

export type Load = {
  ledger: Ledger;
  /** Waits until that many more reports are acknowledged: every writer is at work by then. */
  waitForAcknowledged(count: number): Promise<void>;
  /** Has each writer pause half a second after each request: enough to see what a fault does, for less work. */
  slowDown(): void;
  /** Stops sending, and waits until each request has a response or a broken connection. */
  stop(): Promise<void>;
};

type Weights = { report: number; plain: number; move: number; files: number; read: number };

const MIXED: Weights = { report: 0.4, plain: 0.2, move: 0.15, files: 0.1, read: 0.15 };

/** A photo, which the service cleans and whose original it seals. */
const PHOTO = await createPhoto();

/**
 * Starts several people who concurrently file reports, with files and without, change statuses, add files and read. A
 * broken request is not repeated; the fault finds out whether it took effect.
 */
export function startLoad(
  stage: Stage,
  { seed, writers = 6, ledger = new Ledger(), weights = MIXED, pauseMs = 0 }: LoadOptions,
): Load {
  let stopping = false;
  let pause = pauseMs;
  const writer = async (index: number) => {
    const draw = createMulberry32Generator(seed * 1000 + index);
    while (!stopping) {
      await act(stage, { draw, ledger, weights });
      await sleep(pause + draw() * 20);
    }
  };
  const writing = Promise.all(Array.from({ length: writers }, (_, index) => writer(index)));
  return {
    ledger,
    waitForAcknowledged: async (count) => {
      const wanted = ledger.acknowledged.length + count;
      await waitUntil(`${count} reports`, () => ledger.acknowledged.length >= wanted, 60_000);
    },
    slowDown: () => void (pause = 500),
    stop: async () => {
      stopping = true;
      await writing;
    },
  };
}

export type LoadOptions = {
  seed: number;
  writers?: number;
  /** The ledger of an earlier load, to continue. */
  ledger?: Ledger;
  weights?: Weights;
  pauseMs?: number;
};

type Scene = { draw: () => number; ledger: Ledger; weights: Weights };

async function act(stage: Stage, { draw, ledger, weights }: Scene): Promise<void> {
  const known = ledger.acknowledged;
  let lot = draw() * Object.values(weights).reduce((sum, weight) => sum + weight);
  const falls = (weight: number) => (lot -= weight) < 0;
  if (falls(weights.report) || known.length === 0) return sendReport(stage, { ledger, draw, files: true });
  if (falls(weights.plain)) return sendReport(stage, { ledger, draw, files: false });
  const one = known[Math.floor(draw() * known.length)]?.id ?? "";
  if (falls(weights.move)) return sendMove(stage, ledger, one);
  if (falls(weights.files)) return sendFiles(stage, ledger, one);
  const { eventId, omar } = stage.cast;
  const path = draw() < 0.5 ? `/api/events/${eventId}/incidents` : `/api/events/${eventId}/incidents/${one}`;
  await sendAndRecord(ledger, "read", () => stage.ask("GET", path, { as: omar }));
}

let serial = 0;
const token = () => `${(serial += 1)}-${randomBytes(4).toString("hex")}`;

/** Files a report, with a photo and a text if `files` is set. */
export async function sendReport(
  stage: Stage,
  { ledger, draw = Math.random, files }: { ledger: Ledger; draw?: () => number; files: boolean },
): Promise<void> {
  const { eventId, maya, rita } = stage.cast;
  const attachments = files ? someFiles(draw) : [];
  const anonymous = draw() < 0.2;
  const sent: SentReport = {
    title: `What happened, number ${token()}`,
    files: attachments.map((file, index) =>
      sentFile(
        anonymous ? { ...file, name: buildNumberedAnonymousFilename(file.type ?? "", index + 1) } : file,
      ),
    ),
    anonymous,
  };
  ledger.reports.push(sent);
  const fields = { title: sent.title, description: "It went on for a while.", anonymous: String(anonymous) };
  const body = files ? buildForm(fields, ...attachments) : { ...fields, anonymous };
  const response = await sendAndRecord(ledger, "report", () =>
    stage.ask("POST", `/api/events/${eventId}/incidents`, { as: draw() < 0.5 ? maya : rita, body }),
  );
  if (response?.status === 201) sent.id = response.body.incident.id;
}

async function sendMove(stage: Stage, ledger: Ledger, incidentId: string): Promise<void> {
  const { eventId, omar } = stage.cast;
  const sent: SentMove = { note: `As agreed, ${token()}`, incidentId, acknowledged: false };
  ledger.moves.push(sent);
  const body = { state: "investigating", notes: sent.note, assignedToUserId: omar.id };
  const response = await sendAndRecord(ledger, "move", () =>
    stage.ask("PATCH", `/api/events/${eventId}/incidents/${incidentId}/state`, { as: omar, body }),
  );
  sent.acknowledged = response?.status === 200;
}

async function sendFiles(stage: Stage, ledger: Ledger, incidentId: string): Promise<void> {
  const { eventId, omar } = stage.cast;
  const attachments = someFiles(Math.random);
  const sent: SentFiles = { incidentId, files: attachments.map(sentFile), acknowledged: false };
  ledger.added.push(sent);
  const response = await sendAndRecord(ledger, "files", () =>
    stage.ask("POST", `/api/events/${eventId}/incidents/${incidentId}/related-files`, {
      as: omar,
      body: buildForm({}, ...attachments),
    }),
  );
  sent.acknowledged = response?.status === 201;
}

/** Creates a text of up to 300 kB, and often a photo. */
function someFiles(draw: () => number): Attachment[] {
  const bytes = `Notes: ${randomBytes(100 + Math.floor(draw() * 200_000)).toString("base64")}`;
  const text = { name: `notes-${token()}.txt`, bytes, type: "text/plain" };
  return draw() < 0.5 ? [text, { name: `photo-${token()}.jpg`, bytes: PHOTO, type: "image/jpeg" }] : [text];
}

const sentFile = ({ name, bytes }: Attachment): SentFile => ({
  name,
  sha256: createHash("sha256").update(bytes).digest("hex"),
});

/** Sends a request and records its response. @returns undefined when the connection broke */
export async function sendAndRecord(
  ledger: Ledger,
  what: string,
  send: () => Promise<Reply>,
): Promise<Reply | undefined> {
  const at = Date.now();
  const began = performance.now();
  try {
    const reply = await send();
    ledger.responses.push({
      what,
      at,
      status: reply.status,
      code: reply.body?.code ?? "",
      ms: performance.now() - began,
      retryAfter: reply.headers["retry-after"] !== undefined,
    });
    return reply;
  } catch {
    ledger.broken += 1;
    // The server is gone, so retry less often.
    await sleep(50);
    return undefined;
  } finally {
    ledger.longestMs = Math.max(ledger.longestMs, performance.now() - began);
  }
}
