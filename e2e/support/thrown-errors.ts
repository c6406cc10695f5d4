import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import type { Service } from "./service.ts";

/** Errors that a signal causes in a service (throw-on-signal.ts), and what its processes print of them. */

const program = path.join(import.meta.dirname, "throw-on-signal.ts");

/** Settings with which the processes of a service throw on signals. */
export const THROW_ON_SIGNAL = {
  NODE_OPTIONS: `--import=${pathToFileURL(program)}`,
  HEED_TEST_SAID: "Maya Castillo hit me, maya@example.org",
};

/** A process that restarts waits until it has run for ten seconds, and then loads everything again. */
export const RESTART_MS = 120_000;

type Line = { level: string; msg: string; err?: { name: string; code?: string; stack: string[] } };

/** Lists the lines of the log that tell of what nobody expected. */
export const listUnexpected = (service: Service): Line[] =>
  service.process
    .output()
    .split("\n")
    .filter((line) => /that nobody (caught|waited for|listened to)/.test(line))
    .map((line) => JSON.parse(line));

/** What the processes printed beside the log, a stack that Next or Node prints included, holds nothing either. */
export function expectNothingSaid(service: Service): void {
  const output = service.process.output();
  expect(output).not.toMatch(/Maya|maya@|secret\.ts/);
  expect(output).not.toMatch(/uncaughtException|unhandledRejection|⨯/);
}

export const countStarts = (service: Service): number =>
  service.process.output().split("Heed is ready").length - 1;
