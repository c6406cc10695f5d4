import { spawn } from "node:child_process";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

/** Process statistics of the operating system, and the baseline server. */

const WORKER_FILE = "serving-process.ts";

export type BaselineServer = { url: string; stop(): void };

/** Starts bench/baseline-server.ts on a database. */
export async function startBaselineServer(databaseUrl: string): Promise<BaselineServer> {
  const script = path.join(import.meta.dirname, "baseline-server.ts");
  const child = spawn(process.execPath, [script, databaseUrl], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_ENV: "production" },
  });
  const stop = () => void child.kill();
  process.once("exit", stop);
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.once("data", (chunk) => resolve(String(chunk).trim()));
    child.once("exit", () => reject(new Error("The baseline server did not start.")));
  });
  return { url: `http://127.0.0.1:${port}`, stop };
}

/** Returns the resident memory, in MB, of a process and the serving processes that it started. */
export function readResidentMb(pid: number): number {
  return sum(listServingPids(pid).map(readProcessResidentMb));
}

function readProcessResidentMb(pid: number): number {
  const status = readProcFile(pid, "status");
  const kilobytes = status
    ? Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1])
    : Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }));
  return kilobytes / 1024;
}

/** Returns the peak resident memory (MB) while `work` runs, and the result of `work`. */
export async function measurePeakMb<T>(
  pid: number,
  work: () => Promise<T>,
): Promise<{ peak: number; result: T }> {
  let peak = readResidentMb(pid);
  const sampling = setInterval(() => (peak = Math.max(peak, readResidentMb(pid))), 20);
  try {
    const result = await work();
    return { peak: Math.max(peak, readResidentMb(pid)), result };
  } finally {
    clearInterval(sampling);
  }
}

/**
 * Returns the processor time, in ms, that all threads of a process and its serving processes have used so far;
 * undefined where there is no /proc.
 */
export function readCpuMs(pid: number): number | undefined {
  const times = listServingPids(pid).map(readProcessCpuMs);
  return times.some((time) => time === undefined) ? undefined : sum(times as number[]);
}

function readProcessCpuMs(pid: number): number | undefined {
  const stat = readProcFile(pid, "stat");
  if (!stat) return undefined;
  // The name in parentheses may hold spaces; the fields after it have fixed positions. Ticks are 10 ms.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** On several cores the started process only supervises the ones that serve (lib/server/cluster.ts). */
function listServingPids(pid: number): number[] {
  const children =
    readProcFile(pid, `task/${pid}/children`)?.trim().split(" ").filter(Boolean).map(Number) ?? [];
  return [pid, ...children.filter((child) => readProcFile(child, "cmdline")?.includes(WORKER_FILE))];
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Returns a file of /proc about a process; undefined where there is none. */
export function readProcFile(pid: number, name: string): string | undefined {
  const file = `/proc/${pid}/${name}`;
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined;
}
