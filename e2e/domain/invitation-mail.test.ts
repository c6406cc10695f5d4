import { expect, it } from "vitest";
import { createUser } from "#e2e/support/rows.ts";
import { prisma, runTransaction, sql } from "#lib/database/client.ts";
import { queueThrottledInvitationMail } from "#lib/organizations/pending-invitations.ts";

/** The mail about invitations is queued at most once an hour for each person, and for nobody whose account is disabled. */

const MINUTE_MS = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS);

/** Queues a mail to a person with these columns. @returns how many mails wait for them */
async function queueMail(columns: { invitationMailAt?: Date; disabledAt?: Date }): Promise<number> {
  const { id } = await createUser();
  await prisma.user.update({ where: { id }, data: columns });
  await runTransaction((tx) => queueThrottledInvitationMail(tx, id));
  return countMails(id);
}

async function countMails(userId: string): Promise<number> {
  const rows = await sql.$queryRaw<unknown[]>`
    select 1 from graphile_worker._private_jobs where payload ->> 'userId' = ${userId}`;
  return rows.length;
}

it.each([
  ["to a person without an earlier one", {}, 1],
  ["over an hour after the last one", { invitationMailAt: ago(61) }, 1],
  ["within the hour", { invitationMailAt: ago(59) }, 0],
  ["to a disabled account", { disabledAt: ago(1) }, 0],
])("%s", async (_, columns, expected) => {
  expect(await queueMail(columns)).toBe(expected);
});

it("is queued once when several people invite somebody at once", async () => {
  const { id } = await createUser();
  await Promise.all(
    Array.from({ length: 5 }, () => runTransaction((tx) => queueThrottledInvitationMail(tx, id))),
  );
  expect(await countMails(id)).toBe(1);
});
