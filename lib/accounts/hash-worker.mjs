// Hashes passwords off the event loop. The server starts it by its path, so the bundler never sees it. Its thread
// runs at a lower priority than the one that serves requests.
import os from "node:os";
import { parentPort } from "node:worker_threads";
import { loadBcrypt } from "./bcrypt.ts";

try {
  os.setPriority(0, 10);
} catch {
  // Not allowed everywhere; hashing then competes on equal terms.
}

const bcrypt = await loadBcrypt();
parentPort.postMessage({ library: bcrypt.library });

parentPort.on("message", ({ kind, password, cost, hash }) => {
  try {
    const result = kind === "hash" ? bcrypt.hash(password, cost) : bcrypt.matches(password, hash);
    parentPort.postMessage({ result });
  } catch (error) {
    parentPort.postMessage({ error: String(error) });
  }
});
