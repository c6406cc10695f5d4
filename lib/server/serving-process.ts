import { parseEnv } from "#lib/env.ts";
import { redirectConsole } from "#lib/observability/log-line.ts";
import { startTracing } from "#lib/observability/start.ts";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";
import type { ServingProcessStartResult } from "./cluster.ts";
import { startServer } from "./server.ts";
import { runStopHooksWithTimeout, runStopHooks, stopOnSignal } from "./shutdown.ts";
import type { StopHook } from "./shutdown.ts";
import { handleUncaughtErrors } from "./uncaught-errors.ts";

/**
 * One of several serving processes (cluster.ts): it serves requests and dispatches the outbox events that they
 * append. Database, migrations and jobs belong to the process that started it; when that one exits, so does this one.
 */

const sendMessage = (message: ServingProcessStartResult) => process.send?.(message);
const onStop: StopHook[] = [];
const beforeStop: StopHook[] = [];
const isStopping = stopOnSignal(onStop, () => {}, beforeStop);
// The primary process starts a replacement.
handleUncaughtErrors(() => void runStopHooksWithTimeout(onStop, () => {}).then(() => process.exit(1)));

redirectConsole();

try {
  const env = parseEnv(process.env);
  process.chdir(PROJECT_ROOT);
  onStop.push(await startTracing(env));
  const { port } = await startServer(env, { onStop, beforeStop, log: () => {} });
  const { startOutboxDispatcher } = await import("#lib/worker/dispatcher.ts");
  const dispatcher = startOutboxDispatcher();
  onStop.splice(
    1,
    0,
    () => dispatcher.stop(),
    async () => (await import("#lib/accounts/last-use.ts")).flushLastUses(),
    async () => (await import("#lib/database/client.ts")).disconnectDatabase(),
  );
  sendMessage({ port });
} catch (error) {
  if (!isStopping()) {
    sendMessage({ failed: error instanceof Error ? error.message : String(error) });
    await runStopHooks(onStop, () => {});
    process.exit(1);
  }
}
