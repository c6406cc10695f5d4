import { expect, test, vi } from "vitest";
import { retryWhileDatabaseUnavailable } from "./open-database.ts";

const timedOut = Object.assign(new Error("canceling statement due to statement timeout"), { code: "57014" });

test("work of the start is repeated while the database is overloaded", async () => {
  const work = vi.fn<() => Promise<void>>().mockRejectedValueOnce(timedOut).mockRejectedValueOnce(timedOut);
  await retryWhileDatabaseUnavailable(work.mockResolvedValue());
  expect(work).toHaveBeenCalledTimes(3);
});

test("work of the start that fails for another reason ends it at once", async () => {
  const refused = Object.assign(new Error("permission denied"), { code: "42501" });
  const work = vi.fn<() => Promise<void>>().mockRejectedValue(refused);
  await expect(retryWhileDatabaseUnavailable(work)).rejects.toBe(refused);
  expect(work).toHaveBeenCalledTimes(1);
});
