import fs from "node:fs";
import path from "node:path";

/** Processor profiles of the service, one per measurement, for the profiler of a browser or an editor. */

export type Profiler = { record<T>(name: string, work: () => Promise<T>): Promise<T>; close(): void };

/** Environment in which the service can be profiled: an inspector, and one process that does all the work. */
export const PROFILER_ENVIRONMENT = { NODE_OPTIONS: "--inspect=127.0.0.1:0", HEED_PROCESSES: "1" };

/**
 * Connects to the profiler of a service. @param output what the service has printed, including the address of its
 * inspector
 */
export async function openProfiler(output: string, folder: string): Promise<Profiler> {
  const address = /Debugger listening on (ws:\S+)/.exec(output)?.[1];
  if (!address) throw new Error("The service has no inspector.");
  fs.mkdirSync(folder, { recursive: true });
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  const ask = createInspectorClient(socket);
  await ask("Profiler.enable");
  await ask("Profiler.setSamplingInterval", { interval: 500 });
  const record: Profiler["record"] = async (name, work) => {
    await ask("Profiler.start");
    const result = await work();
    const { profile } = (await ask("Profiler.stop")) as { profile: unknown };
    fs.writeFileSync(path.join(folder, `${name}.cpuprofile`), JSON.stringify(profile));
    return result;
  };
  return { record, close: () => socket.close() };
}

function createInspectorClient(socket: WebSocket): (method: string, params?: object) => Promise<unknown> {
  let last = 0;
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown };
    if (id !== undefined) waiting.get(id)?.(result);
  });
  return (method, params = {}) =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
}
