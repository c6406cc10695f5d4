/**
 * Loaded before the service by NODE_OPTIONS, so that a test can cause errors that no code expects: SIGUSR2 throws an
 * uncaught exception, SIGWINCH rejects an unhandled promise, SIGURG breaks a connection without an error listener.
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
