import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createUser } from "#e2e/support/rows.ts";
import { signIn } from "#lib/accounts/accounts.ts";
import type { HashingTask } from "#lib/accounts/hash-worker.ts";
import { COMMAND_PASSWORD_HASHING_LANE } from "#lib/accounts/hash-pool.ts";
import { hashPassword } from "#lib/accounts/passwords.ts";
import { prisma } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";

/** The work of a refused sign-in, by which nobody may tell whether an address has an account (contract 4.2). */

const { PASSWORD_COST } = env();
const COST = 5;
beforeAll(() => void (env().PASSWORD_COST = COST));
afterAll(() => void (env().PASSWORD_COST = PASSWORD_COST));

let addresses = 0;

/** Returns what a wrong password gives its sender and the hash worker: lib/accounts/bcrypt.test.ts counts that work. */
async function refuseSignIn(email: string) {
  const posted = vi.spyOn(Worker.prototype, "postMessage");
  addresses += 1;
  const call = { requestId: "r", address: `192.0.2.${addresses}`, userAgent: null, device: null };
  const input = { email, password: "not the right one", code: undefined };
  const error: { code?: string; message?: string } = await signIn(input, call).catch((reason) => reason);
  const tasks = posted.mock.calls.map(([task]) => task as HashingTask);
  posted.mockRestore();
  return {
    refusal: [error.code, error.message],
    tasks: tasks.map((task) => ({ ...task, ...("hash" in task && { hash: task.hash.slice(0, 7) }) })),
  };
}

test("a wrong password is compared at the same cost with an account, a disabled one, and without one", async () => {
  const passwordHash = await hashPassword("seven small lanterns", COMMAND_PASSWORD_HASHING_LANE);
  const [active, disabled] = [await createUser("Maya"), await createUser("Former")];
  for (const { id } of [active, disabled])
    await prisma.user.update({ where: { id }, data: { passwordHash } });
  await prisma.user.update({ where: { id: disabled.id }, data: { disabledAt: new Date() } });
  const compared = {
    refusal: ["INVALID_CREDENTIALS", expect.any(String)],
    tasks: [{ kind: "compare", password: "not the right one", hash: "$2b$05$", cost: COST }],
  };
  const emails = [active.email, disabled.email, "nobody@example.org"];
  const refused = [];
  for (const email of emails) refused.push(await refuseSignIn(email));
  expect(refused).toEqual(emails.map(() => compared));
});
