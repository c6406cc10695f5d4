import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { waitUntil } from "#e2e/support/wait.ts";
import { checkAcknowledged } from "../integrity.ts";
import { formatMs } from "../ledger.ts";
import { sendReport, startLoad } from "../load.ts";
import type { Scenario, Scene } from "../scenario.ts";
import type { Stage } from "../stage.ts";

/** A small volume below a part of the data folder becomes full. */
function onVolume(folder: string, size: string): Pick<Scenario, "lacks" | "prepare" | "refuses"> {
  return {
    lacks: () => (process.getuid?.() === 0 ? undefined : "only root mounts a small volume"),
    prepare: (stage) => {
      const at = path.join(stage.dataDir, folder);
      fs.mkdirSync(at, { recursive: true, mode: 0o755 });
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=0755`, "heed-fault", at]);
      const remove = () => void execFileSync("umount", ["-l", at]);
      process.once("exit", remove);
      stage.onClose(() => process.off("exit", remove) && remove());
    },
    refuses: "STORAGE_UNAVAILABLE",
  };
}

const fillerIn = (stage: Stage, folder: string) => path.join(stage.dataDir, folder, "filling");

function fill(stage: Stage, folder: string): void {
  const handle = fs.openSync(fillerIn(stage, folder), "w");
  const block = Buffer.alloc(16 * 1024);
  try {
    for (;;) fs.writeSync(handle, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    fs.closeSync(handle);
  }
}

const empty = (stage: Stage, folder: string) => fs.rmSync(fillerIn(stage, folder));

function remount(stage: Stage, folder: string, mode: "ro" | "rw"): void {
  execFileSync("mount", ["-o", `remount,${mode}`, path.join(stage.dataDir, folder)]);
}

/** Uploads are refused and leave nothing, and everything else continues. */
const whereUploadsAre = (folder: string): Scenario => ({
  ...onVolume(folder, "4m"),
  name: `${folder}-full`,
  title: `Volume of ${folder}/ full, then read-only`,
  async disturb(scene) {
    const { stage } = scene;
    await takesUploads(scene, "before");
    fill(stage, folder);
    await refusesUploads(scene, "full");
    empty(stage, folder);
    await takesUploads(scene, "with room again");
    remount(stage, folder, "ro");
    await refusesUploads(scene, "read-only");
    remount(stage, folder, "rw");
    await takesUploads(scene, "writable again");
  },
});

async function takesUploads(scene: Scene, when: string): Promise<void> {
  await sendReport(scene, { files: true });
  scene.ledger.equal(`${when}: an upload`, scene.ledger.responses.at(-1)?.status, 201);
}

async function refusesUploads(scene: Scene, when: string): Promise<void> {
  const { stage, ledger } = scene;
  const rows = await stage.count("select count(*) from incidents");
  await sendReport(scene, { files: true, draw: () => 0.45 });
  const { status, code, ms = 0 } = ledger.responses.at(-1) ?? {};
  const saved = (await stage.count("select count(*) from incidents")) - rows;
  ledger.equal(`${when}: an upload`, [status, code, saved], [507, "STORAGE_UNAVAILABLE", 0]);
  ledger.figure(`${when}: an upload is refused after`, formatMs(ms));
  await sendReport(scene, { files: false });
  ledger.equal(`${when}: a report without files`, ledger.responses.at(-1)?.status, 201);
  ledger.equal(`${when}: reports that can't be read`, (await checkAcknowledged(scene)).lost, 0);
}

export const filesFull = whereUploadsAre("files");
export const temporaryFull = whereUploadsAre("tmp");

/** Without a mail server mails are files, which wait until there is room. */
export const outboxFull: Scenario = {
  ...onVolume("outbox", "1m"),
  name: "outbox-full",
  title: "Volume of outbox/ full",
  async disturb({ stage, ledger }) {
    const outbox = path.join(stage.dataDir, "outbox");
    const countMails = () => fs.readdirSync(outbox).filter((name) => name.endsWith(".eml")).length;
    fill(stage, "outbox");
    const reply = await stage.ask("POST", "/api/auth/forgot-password", {
      body: { email: stage.cast.maya.email },
    });
    ledger.equal("“forgot password”", reply.status, 200);
    await sleep(4000);
    ledger.equal("mails while it is full", countMails(), 0);
    empty(stage, "outbox");
    const back = Date.now();
    await waitUntil("the mail", () => countMails() === 1, 60_000);
    const left = fs.readdirSync(outbox).filter((name) => !name.endsWith(".eml"));
    ledger.equal("what was left of tries in vain", left, []);
    ledger.figure("The mail is there, once there is room, after", formatMs(Date.now() - back));
  },
};

/** Everything on one volume, the embedded database too. */
export const databaseFull: Scenario = {
  ...onVolume("", "320m"),
  name: "database-full",
  title: "Volume of the data folder full, with the embedded database",
  async disturb(scene) {
    const { stage, ledger } = scene;
    const load = startLoad(scene);
    await sleep(2000);
    fill(stage, "");
    const full = Date.now();
    // Until the log of the database needs a new segment.
    const isRefused = () => ledger.errors.some(({ at }) => at > full);
    await waitUntil("a refused write", isRefused, 60_000);
    await sleep(6000);
    const room = Date.now();
    empty(stage, "");
    await waitUntil("a report that is taken", () => ledger.firstReportSince(room) < Infinity, 60_000);
    await sleep(2000);
    await load.stop();
    ledger.figure("Responses while it is full", ledger.statuses(ledger.between(full, room)));
    const first = ledger.firstReportSince(room) - room;
    ledger.figure("First report taken, once there is room, after", formatMs(first));
  },
};
