import { z } from "zod";
import type { SqlClient } from "#lib/database/sql.ts";
import { PUBLISHABLE_EVENT_KINDS } from "#lib/jobs/outbox-events.ts";

/** The activity of a person on the page of an incident; `gone` when they leave it. */
export const INCIDENT_PRESENCE_STATES = ["reading", "writing", "gone"] as const;

/**
 * Live messages pass between processes through the database. They hold ids only; PostgreSQL allows at most 8000 bytes.
 */

export const LIVE_CHANNEL = "heed_live";

const LiveBroadcast = z.object({
  /** Time in milliseconds since 1970, by the database's clock. */
  at: z.number(),
  /** The change, for whoever may see it. */
  change: z
    .object({
      kind: z.enum(PUBLISHABLE_EVENT_KINDS),
      organizationId: z.string(),
      eventId: z.string().nullable(),
      incidentId: z.string().nullable(),
      reporterId: z.string().nullable(),
    })
    .nullable(),
  /** The person who is viewing an incident, for its team. Absent from most messages. */
  presence: z
    .object({
      eventId: z.string(),
      incidentId: z.string(),
      personId: z.string(),
      doing: z.enum(INCIDENT_PRESENCE_STATES),
      /** The stay on the page that the message is of; see `PresentPeople`. */
      visit: z.string().exactOptional(),
    })
    .exactOptional(),
  /** People whose number of unread notifications has changed. */
  notifiedPersonIds: z.array(z.string()),
  /** People whose roles have changed, or the effect of these: a disabled account, two-factor sign-in. */
  accessChangedPersonIds: z.array(z.string()),
  /**
   * Revoked sessions and API tokens. The database sends this itself, like `securityChangedOrganizationIds`
   * (prisma/functions/access_changes.sql).
   */
  revokedIds: z.array(z.string()).exactOptional(),
  /**
   * People from whom an incident is hidden now, or no longer. The database sends this itself, too; pages aren't
   * notified.
   */
  hiddenChangedPersonIds: z.array(z.string()).exactOptional(),
  /** Organizations in which an incident was given a list of its readers. */
  hiddenChangedOrganizationIds: z.array(z.string()).exactOptional(),
  /** Organizations that now require two-factor sign-in, or no longer do. */
  securityChangedOrganizationIds: z.array(z.string()).exactOptional(),
});
export type LiveBroadcast = z.output<typeof LiveBroadcast>;

/** A message as the service publishes it, without what the database adds. */
type NewLiveMessage = Omit<
  LiveBroadcast,
  | "at"
  | "revokedIds"
  | "hiddenChangedPersonIds"
  | "hiddenChangedOrganizationIds"
  | "securityChangedOrganizationIds"
>;

const MAX_PEOPLE_PER_MESSAGE = 90;

/** Publishes a live message when the transaction commits: every process receives it and passes it to its streams. */
export const publishLiveBroadcast = (
  tx: Pick<SqlClient, "$executeRaw">,
  one: NewLiveMessage,
): Promise<void> => publishLiveBroadcasts(tx, [one]);

/** Like `publishLiveBroadcast`, for several messages in one statement. */
export async function publishLiveBroadcasts(
  tx: Pick<SqlClient, "$executeRaw">,
  all: NewLiveMessage[],
): Promise<void> {
  if (all.length === 0) return;
  await tx.$executeRaw`
    select pg_notify(${LIVE_CHANNEL}, (part.value
      || jsonb_build_object('at', floor(extract(epoch from clock_timestamp()) * 1000)))::text)
    from jsonb_array_elements(${JSON.stringify(all.flatMap(splitMessage))}::jsonb) part`;
}

/** Splits a message if it names too many people for one. */
function splitMessage({
  change,
  presence,
  notifiedPersonIds,
  accessChangedPersonIds,
}: NewLiveMessage): NewLiveMessage[] {
  const peopleCount = Math.max(notifiedPersonIds.length, accessChangedPersonIds.length);
  const messageCount = Math.max(1, Math.ceil(peopleCount / MAX_PEOPLE_PER_MESSAGE));
  return Array.from({ length: messageCount }, (_, index) => {
    const [from, to] = [index * MAX_PEOPLE_PER_MESSAGE, (index + 1) * MAX_PEOPLE_PER_MESSAGE];
    return {
      change: index === 0 ? change : null,
      ...(presence && index === 0 ? { presence } : {}),
      notifiedPersonIds: notifiedPersonIds.slice(from, to),
      accessChangedPersonIds: accessChangedPersonIds.slice(from, to),
    };
  });
}

/** Parses a message; undefined if it isn't valid, such as one from another version. */
export function parseLiveBroadcast(payload: string | undefined): LiveBroadcast | undefined {
  try {
    return LiveBroadcast.parse(JSON.parse(payload ?? ""));
  } catch {
    return undefined;
  }
}
