import { ObjectStorage } from "../support/object-storage.ts";
import { Findings, formatMilliseconds, type Fault } from "./fault.ts";
import { checkAcknowledged, verifyAuditLog } from "./integrity-checks.ts";
import { Ledger, sendReport } from "./load.ts";
import { MAX_FAULT_RESPONSE_MS, Stage } from "./stage.ts";
import { TcpRelay, type RelayMode } from "./tcp-relay.ts";

const MODES: RelayMode[] = ["refuses", "hangs", "slow", "fails", "cuts"];

/**
 * FA6, files: whatever the object storage does, uploads are refused quickly and completely, and everything else works.
 */
export const objectStorage: Fault = {
  name: "object-storage",
  title: "Object storage refusing, hanging, slow, failing, cut in mid-upload",
  run: async ({ say, short }) => {
    const findings = new Findings(say);
    const storage = await RelayedStorage.start();
    const stage = await Stage.open({ settings: { S3_URL: storage.url, LOG_LEVEL: "warn" } });
    try {
      await failObjectStorage(stage, findings, { storage, short });
    } finally {
      await stage.close();
      await storage.close();
    }
    return findings;
  },
};

/** An object storage behind a relay that fails on demand. */
export class RelayedStorage {
  readonly bucket: ObjectStorage;
  readonly relay: TcpRelay;

  private constructor(bucket: ObjectStorage, relay: TcpRelay) {
    this.bucket = bucket;
    this.relay = relay;
  }

  static async start(): Promise<RelayedStorage> {
    const bucket = await ObjectStorage.start();
    return new RelayedStorage(bucket, await TcpRelay.start(bucket.port));
  }

  /** `S3_URL` of a service whose requests go through the relay. */
  get url(): string {
    return `http://S3RVER:S3RVER@127.0.0.1:${this.relay.port}/heed?region=eu-central-1`;
  }

  async close(): Promise<void> {
    await this.relay.close();
    await this.bucket.close();
  }
}

/** @param stage a stage whose files are in the storage */
export async function failObjectStorage(
  stage: Stage,
  findings: Findings,
  { storage, short }: { storage: RelayedStorage; short: boolean | undefined },
): Promise<void> {
  const { bucket, relay } = storage;
  const ledger = new Ledger();
  await sendReport(stage, { ledger, files: true });
  for (const mode of short ? MODES.slice(0, 1) : MODES)
    await suffer(stage, findings, { relay, mode, ledger, short });
  await checkRecovery(stage, findings, { ledger, bucket });
}

type Suffering = { relay: TcpRelay; mode: RelayMode; ledger: Ledger; short: boolean | undefined };

async function suffer(stage: Stage, findings: Findings, given: Suffering): Promise<void> {
  const { relay, mode, ledger, short } = given;
  await relay.behave(mode);
  const rows = await stage.count("select count(*) from incidents");
  const from = ledger.responses.length;
  await sendReport(stage, { ledger, files: true, draw: () => 0.45 });
  const [upload] = ledger.responses.slice(from);
  const savedCount = (await stage.count("select count(*) from incidents")) - rows;
  const taken = upload?.status === 201;
  findings.equal(`${mode}: rows of the upload`, savedCount, taken ? 1 : 0);
  const refused = [upload?.status, upload?.code].join(" ");
  findings.expect(
    taken ? mode === "slow" : refused === "507 STORAGE_UNAVAILABLE",
    `${mode}: an upload gets ${refused}`,
  );
  await sendReport(stage, { ledger, files: false });
  const plain = ledger.responses.at(-1);
  findings.equal(`${mode}: status of a report without files`, plain?.status, 201);
  const read = await readFile(stage, ledger);
  // These two modes don't affect a small file.
  const small = mode === "slow" || mode === "cuts";
  findings.equal(`${mode}: status of reading a file`, read.status, small ? 200 : 503);
  const longest = Math.max(upload?.ms ?? 0, plain?.ms ?? 0, read.ms);
  findings.expectWithin(longest, MAX_FAULT_RESPONSE_MS, { what: `${mode}: a response`, short });
  findings.figure(
    `${mode}: upload, report without files, reading a file`,
    `${upload?.status} in ${formatMilliseconds(upload?.ms ?? 0)}, ${plain?.status} in ${formatMilliseconds(plain?.ms ?? 0)}, ${read.status} in ${formatMilliseconds(read.ms)}`,
  );
  await relay.behave("passes");
  await sendReport(stage, { ledger, files: true });
  findings.equal(`${mode}: status of an upload afterwards`, ledger.responses.at(-1)?.status, 201);
}

async function readFile(stage: Stage, ledger: Ledger): Promise<{ status: number; ms: number }> {
  const { ada, eventId } = stage.cast;
  const [report] = ledger.acknowledged.filter(({ files }) => files.length > 0);
  const at = `/api/events/${eventId}/incidents/${report?.id}`;
  const { body } = await stage.ask("GET", at, { as: ada });
  const began = performance.now();
  const { status } = await stage.ask(
    "GET",
    `${at}/related-files/${body.incident.relatedFiles[0].id}/download`,
    { as: ada },
  );
  return { status, ms: performance.now() - began };
}

async function checkRecovery(
  stage: Stage,
  findings: Findings,
  { ledger, bucket }: { ledger: Ledger; bucket: ObjectStorage },
): Promise<void> {
  const { lost } = await checkAcknowledged(stage, findings, ledger.acknowledged);
  const rows = await stage.sql<{ key: string }>(
    "select storage_key as key from related_files union all select original_key from related_files where original_key is not null",
  );
  const missing = rows.filter(({ key }) => !bucket.keys.includes(key));
  findings.equal("rows without an object", missing.length, 0);
  await verifyAuditLog(stage, findings);
  findings.figure(
    "Reports acknowledged / lost; objects without a row, left to the sweeper",
    `${ledger.acknowledged.length} / ${lost}; ${bucket.keys.length - rows.length}`,
  );
}
