import fs from "node:fs";
import pg from "pg";

/** Processor time and memory of processes, from /proc. */

/** Returns a process and all that it has started. */
export function listProcesses(pid: number): number[] {
  const children = readProcFile(pid, `task/${pid}/children`)?.split(" ").filter(Boolean).map(Number) ?? [];
  return [pid, ...children.flatMap(listProcesses)];
}

/** Returns the database server's processes that serve a database, except for the one that answers this. */
export async function listBackends(databaseUrl: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  await client.end();
  return rows.map(({ pid }) => pid);
}

/** Returns the processor time, in ms, that each of the processes has used so far. */
export const readProcessorMs = (pids: readonly number[]): Map<number, number> =>
  new Map(pids.map((pid) => [pid, readProcessorMsOf(pid)]));

function readProcessorMsOf(pid: number): number {
  const stat = readProcFile(pid, "stat") ?? "";
  // The name in parentheses may hold spaces; the fields after it have fixed positions. Ticks are 10 ms.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return stat ? (Number(fields[11]) + Number(fields[12])) * 10 : 0;
}

/** Returns the processor time, in ms, that the processes have used since then; of new ones all. */
export const readProcessorMsSince = (before: ReadonlyMap<number, number>, pids: readonly number[]): number =>
  sum(pids, (pid) => readProcessorMsOf(pid) - (before.get(pid) ?? 0));

/** Returns the memory of the processes in MB; each page that several share is divided among them. */
export function readMemoryMb(pids: readonly number[]): number {
  const read = (pid: number) => /^Pss:\s+(\d+)/m.exec(readProcFile(pid, "smaps_rollup") ?? "")?.[1];
  return sum(pids, (pid) => Number(read(pid) ?? 0) / 1024);
}

const sum = (pids: readonly number[], read: (pid: number) => number): number =>
  pids.reduce((total, pid) => total + read(pid), 0);

function readProcFile(pid: number, name: string): string | undefined {
  try {
    return fs.readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return undefined;
  }
}
