import { createMulberry32Generator } from "#lib/demo/random.ts";
import { checkEverything, countLost } from "./integrity.ts";
import { formatMs, Ledger } from "./ledger.ts";
import { Stage, type StageOptions } from "./stage.ts";

/** A fault that is caused with real processes. It says its disturbance; what must hold afterwards holds for all. */
export type Scenario = {
  /** The name for `--only`. */
  name: string;
  title: string;
  stage?: StageOptions;
  /** Returns why this machine can't run it, which is then neither passed nor failed. */
  lacks?(): string | undefined;
  /** Runs before anything of the stage is started. */
  prepare?(stage: Stage): Promise<void> | void;
  /** `cold` leaves it to the scenario to start the service. */
  cold?: true;
  disturb(scene: Scene): Promise<void>;
  /** A code with which requests may be refused besides SERVICE_UNAVAILABLE. */
  refuses?: string;
  /** The service ends in between, so connections may break. */
  breaks?: true;
  /** Acknowledged reports may be lost; they are only counted. */
  loses?: true;
};

export type Options = {
  /** How often the service is killed, where a scenario kills it. */
  kills: number;
  /** Seed of the random moments and actions; the same one gives the same ones, as far as the machine's timing allows. */
  seed: number;
  /** Runs only the part that fits into `npm test`, where other tests keep the machine busy: no time is limited. */
  short?: boolean;
};

export type Scene = Options & { stage: Stage; ledger: Ledger; draw: () => number };

/** Maximum time without a response to any request, in milliseconds. */
const MAX_RESPONSE_MS = 15_000;

/** Runs a scenario on a stage of its own. @returns what was found that must not be */
export async function perform(
  scenario: Scenario,
  options: Options,
  say: (line: string) => void,
): Promise<string[]> {
  const ledger = new Ledger(say);
  const stage = await Stage.build(scenario.stage);
  try {
    await scenario.prepare?.(stage);
    if (!scenario.cold) await stage.open();
    return await performOn(scenario, { stage, ledger }, options);
  } finally {
    await stage.close();
  }
}

/** Runs a scenario on a stage that is open, with what earlier ones have sent to it. */
export async function performOn(
  scenario: Scenario,
  { stage, ledger }: { stage: Stage; ledger: Ledger },
  options: Options,
): Promise<string[]> {
  const scene = { ...options, stage, ledger, draw: createMulberry32Generator(options.seed) };
  ledger.turnPage();
  await scenario.disturb(scene);
  if (ledger.responses.length > 0) await checkWhatMustHold(scenario, scene);
  return ledger.failures;
}

async function checkWhatMustHold({ refuses, breaks, loses }: Scenario, scene: Scene): Promise<void> {
  const { ledger } = scene;
  ledger.figure("Responses", `${ledger.statuses()}; longest ${formatMs(ledger.longestMs)}`);
  expectWithin(scene, ledger.longestMs, { limitMs: MAX_RESPONSE_MS, what: "a response" });
  const unexpected = ledger.errors.filter(({ status, code, retryAfter }) =>
    status === 503 ? code !== "SERVICE_UNAVAILABLE" || !retryAfter : code !== refuses,
  );
  ledger.equal("errors other than 503 with Retry-After", ledger.statuses(unexpected), "none");
  if (!breaks) ledger.equal("broken connections", ledger.broken, 0);
  if (loses) return ledger.figure("Reports acknowledged / lost", await countLost(scene));
  const { lost, incomplete, files } = await checkEverything(scene);
  const counts = [ledger.acknowledged.length, lost, incomplete].join(" / ");
  ledger.figure("Reports acknowledged / lost / incomplete", `${counts}, with ${files} files`);
}

/** Records a failure where something took longer than the limit, which holds on a machine without other work. */
export function expectWithin(
  { ledger, short }: Scene,
  ms: number,
  { limitMs, what }: { limitMs: number; what: string },
): void {
  ledger.expect(short === true || ms <= limitMs, `${what} took ${formatMs(ms)}`);
}
