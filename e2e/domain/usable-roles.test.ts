import { afterAll, expect, it } from "vitest";
import { createEvent, createOrganization, createUser } from "#e2e/support/rows.ts";
import { isEventRoleUsableSql } from "#lib/access/team-sql.ts";
import { isUsableEventRole } from "#lib/access/usable-roles.ts";
import { prisma, sql } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";

const { verifiesEmail } = env();
afterAll(() => void (env().verifiesEmail = verifiesEmail));

const EITHER = [true, false];

/** Holders of a role in every state that decides whether it is usable, in an organization with and without its requirement. */
async function createHolders(): Promise<string[]> {
  const { id: organizationId } = await createOrganization();
  const events = [await createEvent(organizationId), await createEvent((await createOrganization()).id)];
  await prisma.organization.update({ where: { id: organizationId }, data: { requireSecondFactor: true } });
  for (const pending of EITHER)
    for (const disabled of EITHER)
      for (const verified of EITHER)
        for (const factor of ["none", "pending", "confirmed"]) {
          const { id: userId } = await createUser();
          const now = new Date();
          await prisma.user.update({
            where: { id: userId },
            data: { disabledAt: disabled ? now : null, emailVerifiedAt: verified ? now : null },
          });
          if (factor !== "none")
            await prisma.secondFactor.create({
              data: { userId, secret: new Uint8Array(8), confirmedAt: factor === "confirmed" ? now : null },
            });
          for (const { id: eventId } of events)
            await prisma.eventRole.create({ data: { eventId, userId, roleName: "Admin", pending } });
        }
  return events.map(({ id }) => id);
}

it("statements in SQL and Prisma's agree on who can use a role", async () => {
  const events = await createHolders();
  for (const [required, count] of [
    [false, 8],
    [true, 4],
  ] as const) {
    env().verifiesEmail = required;
    const inSql = await sql.$queryRaw<{ id: string }[]>`
      select r.id from event_roles r where r.event_id = any(${events}::uuid[]) and ${isEventRoleUsableSql()} order by r.id`;
    const inPrisma = await prisma.eventRole.findMany({
      where: { eventId: { in: events }, ...isUsableEventRole() },
      orderBy: { id: "asc" },
      select: { id: true },
    });
    expect(inPrisma).toEqual(inSql);
    expect(inSql).toHaveLength(count);
  }
});
