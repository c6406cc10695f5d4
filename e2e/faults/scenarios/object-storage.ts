import { formatMs } from "../ledger.ts";
import { sendReport } from "../load.ts";
import { type Scenario, type Scene } from "../scenario.ts";
import type { RelayMode } from "../tcp-relay.ts";

const MODES: RelayMode[] = ["refuses", "hangs", "slow", "fails", "cuts"];

/** Whatever the storage does, uploads are refused quickly and completely, and everything else works. */
export const objectStorage: Scenario = {
  name: "object-storage",
  title: "Object storage refusing, hanging, slow, failing, cut in mid-upload",
  stage: { peers: ["storage"] },
  refuses: "STORAGE_UNAVAILABLE",
  async disturb(scene) {
    await sendReport(scene, { files: true });
    for (const mode of scene.short ? MODES.slice(0, 1) : MODES) await suffer(scene, mode);
  },
};

async function suffer(scene: Scene, mode: RelayMode): Promise<void> {
  const { stage, ledger } = scene;
  await stage.bucketRelay?.behave(mode);
  const rows = await stage.count("select count(*) from incidents");
  await sendReport(scene, { files: true, draw: () => 0.45 });
  const { status, code, ms = 0 } = ledger.responses.at(-1) ?? {};
  const saved = (await stage.count("select count(*) from incidents")) - rows;
  const refused = [status, code, saved].join(" ") === "507 STORAGE_UNAVAILABLE 0";
  const taken = mode === "slow" && status === 201 && saved === 1;
  ledger.expect(refused || taken, `${mode}: an upload gets ${status} ${code}, and leaves ${saved} rows`);
  await sendReport(scene, { files: false });
  ledger.equal(`${mode}: a report without files`, ledger.responses.at(-1)?.status, 201);
  const began = performance.now();
  const readStatus = await readFile(scene);
  const times = [ms, performance.now() - began].map(formatMs).join(", ");
  // These two modes don't affect a small file.
  ledger.equal(`${mode}: reading a file`, readStatus, mode === "slow" || mode === "cuts" ? 200 : 503);
  ledger.figure(`${mode}: upload, reading a file`, `${status} and ${readStatus} after ${times}`);
  await stage.bucketRelay?.behave("passes");
  await sendReport(scene, { files: true });
  ledger.equal(`${mode}: an upload afterwards`, ledger.responses.at(-1)?.status, 201);
}

async function readFile({ stage, ledger }: Scene): Promise<number> {
  const as = stage.cast.ada;
  const report = ledger.acknowledged.find(({ files }) => files.length > 0);
  const at = `${stage.incidents}/${report?.id}`;
  const { body } = await stage.ask("GET", at, { as });
  const file = body.incident.relatedFiles[0].id;
  return (await stage.ask("GET", `${at}/related-files/${file}/download`, { as })).status;
}
