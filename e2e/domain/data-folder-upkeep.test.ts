import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { waitUntil } from "#e2e/support/wait.ts";
import { prisma, runTransaction } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { formatErasureFileLine, recordErasure } from "#lib/erasures/ledger.ts";
import { makeTemporaryFolder } from "#lib/files/upload/temporary.ts";
import { startDataFolderUpkeep } from "#lib/server/data-folder-upkeep.ts";

/** Each process looks after its own data folder, whichever machine runs the jobs. */

const list = () => path.join(env().dataDir, "erasures.log");
const readLines = () => (fs.existsSync(list()) ? fs.readFileSync(list(), "utf8").trim().split("\n") : []);

it("writes new erasures to the list and sweeps what a killed process left, in each round and without a job", async () => {
  const [host, , start] = path.basename(await makeTemporaryFolder()).split("-");
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const upkeep = startDataFolderUpkeep(20);
  try {
    for (const round of ["first", "second"]) {
      const left = path.join(env().dataDir, "tmp", `${host}-${pid}-${start}-${randomUUID()}`);
      fs.mkdirSync(left, { recursive: true });
      await runTransaction((tx) => recordErasure(tx, "incident", randomUUID()));
      const rows = (await prisma.erasure.findMany()).map(({ hash }) => formatErasureFileLine(hash));
      await waitUntil(`the ${round} round has run`, () => !fs.existsSync(left));
      await waitUntil("the list has all rows", () => rows.every((line) => readLines().includes(line)));
    }
  } finally {
    await upkeep.stop();
  }
});

it("continues after a round in which the list couldn't be written, and does nothing once it is stopped", async () => {
  await runTransaction((tx) => recordErasure(tx, "incident", randomUUID()));
  fs.rmSync(list(), { force: true });
  fs.mkdirSync(`${list()}.part`);
  const upkeep = startDataFolderUpkeep(20);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(readLines()).toEqual([]);
  fs.rmdirSync(`${list()}.part`);
  await waitUntil("the list is written", () => readLines().length > 0);
  await upkeep.stop();
  fs.rmSync(list());
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(readLines()).toEqual([]);
});
