import fs from "node:fs";
import path from "node:path";

/**
 * Keeps what people sent out of postgres.log. Statement errors quote values in their messages ("invalid input syntax
 * for type uuid: …"), details, context and statement; the service logs only their codes. A crash report quotes the
 * running statement in its detail. What the server says about itself (start, stop, crash, recovery) is LOG, FATAL or
 * PANIC.
 */
export const LOG_PRIVACY_SETTINGS = {
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_statement: "none",
  log_min_duration_statement: -1,
  log_min_duration_sample: -1,
  log_transaction_sample_rate: 0,
  log_duration: "off",
  log_lock_waits: "off",
  log_parameter_max_length: 0,
  log_parameter_max_length_on_error: 0,
};

const MAX_LOG_BYTES = 10_000_000;

/**
 * Limits postgres.log to two files of about 10 MB. The running server keeps the file open, so it is copied to
 * postgres.log.1 and truncated instead of renamed; lines that the server writes between the two steps are lost. On a
 * full disk the log stays unchanged.
 */
export function rotatePostgresLog(dataDir: string): void {
  const file = path.join(dataDir, "postgres.log");
  try {
    const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= MAX_LOG_BYTES) return;
    fs.copyFileSync(file, `${file}.1`);
    fs.chmodSync(`${file}.1`, 0o600);
    fs.truncateSync(file);
  } catch {
    // Tried again at the next check.
  }
}

/** Opens the server's log. `written` returns what was added since then. */
export function openPostgresLog(dataDir: string) {
  rotatePostgresLog(dataDir);
  const file = path.join(dataDir, "postgres.log");
  const handle = fs.openSync(file, "a+", 0o600);
  const startOffset = fs.fstatSync(handle).size;
  const written = () => {
    const text = fs.readFileSync(file).subarray(startOffset).toString("utf8").trim();
    return text.split("\n").slice(-12).join("\n");
  };
  return { handle, written, close: () => fs.closeSync(handle) };
}
