import pg from "pg";
import { expect, it } from "vitest";
import { prisma, sql } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { LIVE_CHANNEL, parseLiveBroadcast } from "#lib/jobs/broadcast.ts";
import { createUser } from "#e2e/support/rows.ts";
import { waitUntil } from "#e2e/support/wait.ts";

it("publishes every revoked session, however many one statement revokes", async () => {
  const heard: string[] = [];
  const client = new pg.Client({ connectionString: env().DATABASE_URL });
  client.on("notification", ({ payload }) => heard.push(...(parseLiveBroadcast(payload)?.revokedIds ?? [])));
  await client.connect();
  await client.query(`listen ${LIVE_CHANNEL}`);
  try {
    const { id } = await createUser("Maya Castillo");
    const sessions = await sql.$queryRaw<{ id: string }[]>`
      insert into sessions (token_hash, user_id, expires_at)
      select sha256(n::text::bytea), ${id}::uuid, now() from generate_series(1, 500) n returning id`;
    await prisma.user.delete({ where: { id } });
    await waitUntil("every one", () => heard.length >= sessions.length);
    expect(heard.toSorted()).toEqual(sessions.map((session) => session.id).toSorted());
  } finally {
    await client.end();
  }
});
