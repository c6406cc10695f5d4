/**
 * Loaded before the service by NODE_OPTIONS, so that a test can bring about what no code expects: on SIGUSR2 an
 * exception that nobody catches, on SIGWINCH a promise that fails while nobody waits for it, on SIGURG a connection that
 * breaks while nobody listens.
 */

const readSignalText = () => process.env.HEED_TEST_SAID ?? "";

process.on("SIGUSR2", () => {
  throw Object.assign(new TypeError(`${readSignalText()}\n    at ${readSignalText()} (secret.ts:1:1)`), {
    code: "ERR_MADE_UP",
  });
});

process.on("SIGWINCH", () => {
  void Promise.reject(new RangeError(readSignalText()));
});

process.on("SIGURG", () => {
  throw Object.assign(new Error(`write ECONNRESET ${readSignalText()}`), {
    code: "ECONNRESET",
    syscall: "write",
  });
});
