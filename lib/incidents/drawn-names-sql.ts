import { drawCodeNames, drawNumbers } from "#lib/crypto/code-name.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";

/**
 * The number and the code name of a new incident: the first that are free in its event. Who draws the same at the same time
 * is refused by an index and draws again.
 */
export const drawnNamesSql = (eventId: string): Prisma.Sql =>
  Prisma.sql`(select c.drawn from unnest(${drawNumbers(24)}::int[]) with ordinality c(drawn, place)
      where not exists (select 1 from incidents x where x.event_id = ${eventId}::uuid and x.number = c.drawn) order by c.place limit 1),
    (select c.drawn from unnest(${drawCodeNames(16)}::text[]) with ordinality c(drawn, place)
      where not exists (select 1 from incidents x where x.event_id = ${eventId}::uuid and x.code_name = c.drawn) order by c.place limit 1)`;
