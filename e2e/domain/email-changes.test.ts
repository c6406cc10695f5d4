import { expect, test } from "vitest";
import { createEmailChangeAndQueueMail } from "#lib/accounts/email-change.ts";
import { prisma, runTransaction } from "#lib/database/client.ts";
import type { SessionActor } from "#lib/operation/policy.ts";
import { createTestActor } from "#lib/operation/test-actors.ts";
import { createUser } from "#e2e/support/rows.ts";

/** Whose change of an address stays (contract 4.6). */

const [owner, admin] = [await createUser("Owning Person"), await createUser("Event Admin")];

const request = ({ id }: { id: string }, newEmail: string) =>
  runTransaction((tx) =>
    createEmailChangeAndQueueMail(tx, createTestActor({ id }) as SessionActor, {
      userId: owner.id,
      newEmail,
    }),
  );
const findPendingEmail = async () =>
  (await prisma.emailChange.findUnique({ where: { userId: owner.id } }))?.newEmail;

test("a newer change replaces a pending one, but somebody else's never the owner's", async () => {
  await request(admin, "first@example.org");
  await request(admin, "second@example.org");
  expect(await findPendingEmail()).toBe("second@example.org");
  await request(owner, "own@example.org");
  await expect(request(admin, "third@example.org")).rejects.toMatchObject({ code: "CONFLICT" });
  expect(await findPendingEmail()).toBe("own@example.org");
  await prisma.emailChange.update({ where: { userId: owner.id }, data: { expiresAt: new Date(0) } });
  await request(admin, "third@example.org");
  expect(await findPendingEmail()).toBe("third@example.org");
});
