import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import { findFreePort } from "./process.ts";
import type { Service } from "./service.ts";

/** Errors that a signal causes in a service (throw-on-signal.ts), and what its processes print of them. */

const program = path.join(import.meta.dirname, "throw-on-signal.ts");

/** Chooses settings with which the processes of a service throw on signals, and the service restarts. */
export const chooseThrowingServiceSettings = async () => ({
  NODE_OPTIONS: `--import=${pathToFileURL(program)}`,
  HEED_TEST_SAID: "Maya Castillo hit me, maya@example.org",
  // A restart takes the same port again: one that the system gives to no outgoing connection meanwhile.
  PORT: String(await findFreePort()),
});

/** For a restart: a process waits until it has run for ten seconds, and then loads everything again. */
export const RESTART_TIMEOUT_MS = 120_000;

type Line = { level: string; msg: string; err?: { name: string; code?: string; stack: string[] } };

/** Lists the lines of the log about errors that nothing caught, awaited or listened to. */
export const listUncaughtErrorLines = (service: Service): Line[] =>
  service.process
    .output()
    .split("\n")
    .filter((line) => /that nobody (caught|waited for|listened to)/.test(line))
    .map((line) => JSON.parse(line));

/** Expects no content of the errors in what the processes print, neither in the log nor in a stack of Next or Node. */
export function expectNoContentPrinted(service: Service): void {
  const output = service.process.output();
  expect(output).not.toMatch(/Maya|maya@|secret\.ts/);
  expect(output).not.toMatch(/uncaughtException|unhandledRejection|⨯/);
}

/** Counts how often the service has become ready. */
export const countStarts = (service: Service): number =>
  service.process.output().split("Heed is ready").length - 1;
