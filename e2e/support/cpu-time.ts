/**
 * Measures the CPU time that this thread takes for a call, in milliseconds. Unlike elapsed time it doesn't grow while
 * other processes have the machine, so a test may limit it.
 */
export async function measureCpuMs(call: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await call();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** Returns the shortest CPU time of a few calls: the first of them and those with garbage collection take longer. */
export async function measureShortestCpuMs(calls: number, call: () => unknown): Promise<number> {
  let shortest = Infinity;
  for (let done = 0; done < calls; done += 1) shortest = Math.min(shortest, await measureCpuMs(call));
  return shortest;
}

/** Checks that the shortest CPU time of a few calls lies below a limit, with no more calls than that takes. */
export async function isBelowCpuMs(limitMs: number, calls: number, call: () => unknown): Promise<boolean> {
  for (let done = 0; done < calls; done += 1) if ((await measureCpuMs(call)) < limitMs) return true;
  return false;
}
