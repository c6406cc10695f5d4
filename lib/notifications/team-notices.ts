import { runTransaction } from "#lib/database/client.ts";
import { claimEventsWithoutReaderSql, claimNewTeamMembersSql } from "#lib/notifications/team-notices-sql.ts";
import { appendOutboxEvents } from "#lib/jobs/append-event.ts";
import { EVENT_WITHOUT_READER_KIND, REPORTS_WAITING_KIND } from "#lib/jobs/outbox-events.ts";

/**
 * Notices that follow from who can read an event's reports, whatever changed it: a role granted, accepted or revoked, an
 * address confirmed, two-factor sign-in set up or required, an account disabled. A job gives them.
 */

type Place = { eventId: string; organizationId: string };

/**
 * Notifies the admins of organizations, and SystemAdmins, of events whose reports nobody can read (contract 6.10).
 * @returns of how many events
 */
export const notifyOfEventsWithoutReader = (): Promise<number> =>
  runTransaction(async (tx) => {
    const places = await tx.$queryRaw<Place[]>(claimEventsWithoutReaderSql());
    await appendOutboxEvents(
      tx,
      places.map((place) => ({ ...place, kind: EVENT_WITHOUT_READER_KIND, actorId: null })),
    );
    return places.length;
  });

/**
 * Notifies people whose role on a team has begun to count of the open reports there.
 * @returns how many people, each counted once for each event
 */
export const notifyNewTeamMembers = (): Promise<number> =>
  runTransaction(async (tx) => {
    const people = await tx.$queryRaw<(Place & { userId: string })[]>(claimNewTeamMembersSql());
    await appendOutboxEvents(
      tx,
      people.map(({ userId, ...place }) => ({
        ...place,
        kind: REPORTS_WAITING_KIND,
        actorId: null,
        personIds: [userId],
      })),
    );
    return people.length;
  });
