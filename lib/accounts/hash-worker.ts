/**
 * Hashes passwords off the event loop. The server starts it by its path, so the bundler never sees it. Its thread runs
 * at a lower priority than the one that serves requests.
 */
import os from "node:os";
import { parentPort } from "node:worker_threads";
import { loadBcrypt, matchesPasswordAtEqualCost } from "./bcrypt.ts";

export type HashingTask =
  | { kind: "hash"; password: string; cost: number }
  | { kind: "compare"; password: string; hash: string; cost: number };

/** The first message names the library; each further one is the result of a task. */
export type MessageFromHashWorker = { library?: string; result?: string | boolean; error?: string };

try {
  os.setPriority(0, 10);
} catch {
  // Not allowed everywhere; hashing then competes on equal terms.
}

const bcrypt = await loadBcrypt();
const send = (message: MessageFromHashWorker): void => parentPort?.postMessage(message);
send({ library: bcrypt.library });

parentPort?.on("message", (task: HashingTask) => {
  try {
    const { kind, password, cost } = task;
    send({
      result:
        kind === "hash" ? bcrypt.hash(password, cost) : matchesPasswordAtEqualCost(bcrypt, password, task),
    });
  } catch (error) {
    send({ error: String(error) });
  }
});
