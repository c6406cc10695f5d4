import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgumentsOrExit } from "#lib/command-arguments.ts";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";

/**
 * `npm run attack`: sends tens of thousands of generated requests, built from the OpenAPI document, to a service of its
 * own, and reports the responses. `-- --seed 7 --count 50000`; the same seed sends the same requests.
 */

const USAGE = `npm run attack [-- --seed N] [--count N]
Sends requests that are made up from the OpenAPI document to a service of its own, and tells what came back.
  --seed   what the requests are made of; the same seed sends the same
  --count  how many; 20000 when not given`;
const values = parseArgumentsOrExit(
  {
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    count: { type: "string", default: "20000" },
  },
  USAGE,
);
const { seed, count } = values;
for (const [name, value] of Object.entries({ seed, count }))
  if (!/^\d{1,10}$/.test(value)) throw new Error(`--${name} should be a whole number.`);

const report = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "heed-attack-")), "summary");
const settings = { HEED_ATTACK_SEED: seed, HEED_ATTACK_COUNT: count, HEED_ATTACK_REPORT: report };
const vitest = path.join(PROJECT_ROOT, "node_modules/.bin/vitest");
const child = spawn(vitest, ["run", "--project", "api", "--reporter=dot", "e2e/api/generated.test.ts"], {
  cwd: PROJECT_ROOT,
  env: { ...process.env, ...settings },
  stdio: "inherit",
});
child.on("close", (code) => {
  if (fs.existsSync(report)) console.log(`\n${fs.readFileSync(report, "utf8")}`);
  console.log(
    code === 0
      ? "Nothing was found."
      : `Something was found. Again: npm run attack -- --seed ${seed} --count ${count}`,
  );
  fs.rmSync(path.dirname(report), { recursive: true, force: true });
  process.exitCode = code ?? 1;
});
