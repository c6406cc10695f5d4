// Hashes passwords off the event loop. Plain JavaScript: the server starts it by its path, so the bundler
// never sees it. Its thread runs at a lower priority than the one that answers requests.
import os from "node:os";
import { parentPort } from "node:worker_threads";
import bcrypt from "bcryptjs";

try {
  os.setPriority(0, 10);
} catch {
  // Not allowed everywhere; hashing then competes on equal terms.
}

parentPort.on("message", ({ id, kind, password, cost, hash }) => {
  try {
    const result = kind === "hash" ? bcrypt.hashSync(password, cost) : bcrypt.compareSync(password, hash);
    parentPort.postMessage({ id, result });
  } catch (error) {
    parentPort.postMessage({ id, error: String(error) });
  }
});
