import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { waitUntil } from "#e2e/support/wait.ts";
import { checkRefusals } from "./database-away.ts";
import { Findings, formatMilliseconds, type Fault } from "./fault.ts";
import { checkAcknowledged, checkEverything } from "./integrity-checks.ts";
import { Ledger, sendReport, startLoad } from "./load.ts";
import { Stage } from "./stage.ts";

/** FA5: makes the disk full, then read-only, below stored files, uploads in progress, mails, and the database. */
export const fullDisk: Fault = {
  name: "full-disk",
  title: "Disk full, and read-only (small tmpfs volumes)",
  run: async ({ say, seed }) => {
    const findings = new Findings(say);
    if (!canMount()) {
      findings.skipped = "skipped: a small volume can only be mounted by root";
      return findings;
    }
    for (const folder of ["files", "tmp"]) await fillBelow(findings, folder);
    await fillOutbox(findings);
    await fillDatabase(findings, seed);
    return findings;
  },
};

function canMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const folder = fs.mkdtempSync("/tmp/heed-fault-volume-");
  try {
    new Volume(folder, "1m").remove();
    return true;
  } catch {
    return false;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** A small file system, mounted at a folder. */
class Volume {
  readonly #folder: string;
  readonly #remove = () => this.remove();

  constructor(folder: string, size: string) {
    this.#folder = folder;
    fs.mkdirSync(folder, { recursive: true, mode: 0o755 });
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=0755`, "heed-fault", folder], {
      stdio: "pipe",
    });
    process.once("exit", this.#remove);
  }

  /** Fills the volume, except for the given number of bytes. */
  fill(leaving = 0): void {
    const file = path.join(this.#folder, "filling");
    const block = Buffer.alloc(16 * 1024);
    const handle = fs.openSync(file, "w");
    let size = 0;
    try {
      for (;;) size += fs.writeSync(handle, block);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      fs.ftruncateSync(handle, Math.max(0, size - leaving));
    } finally {
      fs.closeSync(handle);
    }
  }

  empty(): void {
    fs.rmSync(path.join(this.#folder, "filling"), { force: true });
  }

  set readOnly(wanted: boolean) {
    execFileSync("mount", ["-o", `remount,${wanted ? "ro" : "rw"}`, this.#folder], { stdio: "pipe" });
  }

  remove(): void {
    process.off("exit", this.#remove);
    execFileSync("umount", ["-l", this.#folder], { stdio: "pipe" });
  }
}

/** Makes the volume below a folder of the data folder full, then read-only. */
async function fillBelow(findings: Findings, folder: string): Promise<void> {
  const stage = await Stage.build({ settings: { LOG_LEVEL: "warn" } });
  const volume = new Volume(path.join(stage.dataDir, folder), "4m");
  try {
    const ledger = new Ledger();
    await stage.startWithPeople();
    await sendReport(stage, { ledger, files: true });
    volume.fill();
    await refusesUploads(stage, findings, { ledger, what: `${folder}/ full` });
    volume.empty();
    await takesUploads(stage, findings, { ledger, what: `${folder}/ has room again` });
    volume.readOnly = true;
    await refusesUploads(stage, findings, { ledger, what: `${folder}/ read-only` });
    volume.readOnly = false;
    await takesUploads(stage, findings, { ledger, what: `${folder}/ writable again` });
    await checkEverything(stage, findings, { ledger });
  } finally {
    await stage.close().catch(() => {});
    volume.remove();
    fs.rmSync(stage.folder, { recursive: true, force: true });
  }
}

type Played = { ledger: Ledger; what: string };

async function refusesUploads(stage: Stage, findings: Findings, { ledger, what }: Played): Promise<void> {
  const rows = await stage.count("select count(*) from incidents");
  await sendReport(stage, { ledger, files: true, draw: () => 0.45 });
  const upload = ledger.responses.at(-1);
  const savedCount = (await stage.count("select count(*) from incidents")) - rows;
  findings.equal(
    `${what}: an upload`,
    [upload?.status, upload?.code, savedCount],
    [507, "STORAGE_UNAVAILABLE", 0],
  );
  await sendReport(stage, { ledger, files: false });
  findings.equal(`${what}: a report without files`, ledger.responses.at(-1)?.status, 201);
  const { lost } = await checkAcknowledged(stage, findings, ledger.acknowledged);
  findings.equal(`${what}: files that can't be read`, lost, 0);
  findings.figure(
    `${what}: an upload; a report without files; reading`,
    `${upload?.status} ${upload?.code} in ${formatMilliseconds(upload?.ms ?? 0)}; 201; all files`,
  );
}

async function takesUploads(stage: Stage, findings: Findings, { ledger, what }: Played): Promise<void> {
  await sendReport(stage, { ledger, files: true });
  findings.equal(`${what}: an upload`, ledger.responses.at(-1)?.status, 201);
}

/** Without a mail server mails are files: they wait until there is room. */
async function fillOutbox(findings: Findings): Promise<void> {
  const stage = await Stage.build({ settings: { LOG_LEVEL: "warn" } });
  const outbox = path.join(stage.dataDir, "outbox");
  const volume = new Volume(outbox, "1m");
  try {
    await stage.startWithPeople();
    volume.fill();
    const body = { email: "maya.castillo@example.org" };
    const reply = await stage.ask("POST", "/api/auth/forgot-password", { body });
    findings.equal("outbox/ full: “forgot password”", reply.status, 200);
    await sleep(4000);
    const mails = () => fs.readdirSync(outbox).filter((name) => name.endsWith(".eml")).length;
    findings.equal("outbox/ full: mails", mails(), 0);
    volume.empty();
    const back = Date.now();
    await waitUntil("the mail", () => mails() === 1, 60_000);
    const left = fs.readdirSync(outbox).filter((name) => !name.endsWith(".eml"));
    findings.equal("outbox/: what was left of tries in vain", left, []);
    findings.figure(
      "outbox/ full: request; the mail is there, once there is room, after",
      `200; ${formatMilliseconds(Date.now() - back)}`,
    );
  } finally {
    await stage.close().catch(() => {});
    volume.remove();
    fs.rmSync(stage.folder, { recursive: true, force: true });
  }
}

/** Everything on one volume, the embedded database too. */
async function fillDatabase(findings: Findings, seed: number): Promise<void> {
  const stage = await Stage.build({ settings: { LOG_LEVEL: "warn" } });
  const volume = new Volume(stage.dataDir, "320m");
  try {
    await stage.startWithPeople();
    const load = startLoad(stage, { seed, writers: 6 });
    await sleep(2000);
    volume.fill();
    const full = Date.now();
    // Until the log of the database needs a new segment.
    await waitUntil(
      "a refused write",
      () => load.ledger.between(full).some(({ status }) => status >= 500),
      60_000,
    );
    await sleep(6000);
    const room = Date.now();
    volume.empty();
    const written = () =>
      load.ledger.between(room).some(({ what, status }) => what === "report" && status === 201);
    await waitUntil("a report that is taken", written, 60_000);
    const took = Date.now() - room;
    await sleep(2000);
    await load.stop();
    const { ledger } = load;
    const refused = ledger.between(full).filter(({ status }) => status >= 500);
    checkRefusals(
      findings,
      refused.filter(({ code }) => code !== "STORAGE_UNAVAILABLE"),
    );
    const { acknowledged, lost, half } = await checkEverything(stage, findings, { ledger });
    findings.figure("Volume of the database full: responses", ledger.statuses(ledger.between(full, room)));
    findings.figure(
      "Volume of the database full: first report taken, once there is room, after",
      formatMilliseconds(took),
    );
    findings.figure("Reports acknowledged / lost / half there", `${acknowledged} / ${lost} / ${half}`);
  } finally {
    await stage.close().catch(() => {});
    volume.remove();
    fs.rmSync(stage.folder, { recursive: true, force: true });
  }
}
