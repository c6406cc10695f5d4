import {
  globalScope,
  defineOperation,
  requireRequestWithAbortSignal,
  type OperationCall,
} from "#lib/operation/operation.ts";
import { listHiddenIncidentIds } from "#lib/access/readers-queries.ts";
import { getLiveHub } from "#lib/live/hub.ts";
import { openPosition, sealPosition } from "#lib/live/position.ts";
import { LiveUpdatesQuery, LivePoll, type LivePollRecord } from "#lib/live/schema.ts";
import { canSeeLiveChange, toLiveChange } from "#lib/live/visibility.ts";
import { countUnreadNotifications } from "#lib/notifications/queries.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { incidentWithoutContentScope } from "#lib/incidents/scope.ts";
import { announceAndListPresence, PresenceInput, PresenceList } from "#lib/live/presence.ts";

/** Live updates (docs/live.md). */

export const followLive = defineOperation({
  name: "followLive",
  summary:
    "Stream Server-Sent Events about what you can see, ids only; with poll=1, return the same as JSON immediately",
  on: globalScope,
  can: "live.follow",
  input: LiveUpdatesQuery,
  output: LivePoll,
  produces: ["text/event-stream"],
  run: ({ actor, call }, { poll, since }) =>
    poll || !acceptsEventStream(call)
      ? pollChanges(actor, since)
      : openLiveStream(actor, call, since ?? findLastEventId(call)),
});

/**
 * Browsers ask for this type, and curl for any; a client that asks for neither would wait forever for the response to
 * end.
 */
const acceptsEventStream = ({ accepts }: OperationCall) => accepts("text/event-stream") || accepts("*/*");

async function pollChanges(actor: Actor, since: string | undefined): Promise<LivePollRecord> {
  await getLiveHub().waitUntilComplete();
  const cursor = sealPosition(actor, getLiveHub().now());
  const missed = since === undefined ? [] : getLiveHub().listMissedMessages(openPosition(actor, since));
  const viewer = { person: actor, hiddenIncidentIds: await listHiddenIncidentIds(actor) };
  const visibleChanges = (missed ?? []).flatMap(({ change }) =>
    change && canSeeLiveChange(viewer, change) ? [change] : [],
  );
  return {
    cursor,
    complete: missed !== undefined,
    unread: await countUnreadNotifications(actor),
    events: visibleChanges.map((change) => toLiveChange(actor, change)),
  };
}

/** The header that browsers send when they reconnect. */
const findLastEventId = (call: OperationCall): string | undefined =>
  requireRequestWithAbortSignal(call).headers.get("last-event-id") || undefined;

async function openLiveStream(
  actor: Actor,
  call: OperationCall,
  since: string | undefined,
): Promise<Response> {
  const request = requireRequestWithAbortSignal(call);
  if (request.method === "HEAD") return new Response(null, { headers: STREAM_HEADERS });
  const liveStream = await getLiveHub().open(
    actor,
    since === undefined ? undefined : openPosition(actor, since),
  );
  request.signal.addEventListener("abort", () => liveStream.end(), { once: true });
  if (request.signal.aborted) liveStream.end();
  return new Response(liveStream.body, { headers: STREAM_HEADERS });
}

const STREAM_HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  // Compression and proxies would buffer events.
  "Cache-Control": "private, no-store, no-transform",
  "X-Accel-Buffering": "no",
  Vary: "Cookie",
};

export const updatePresence = defineOperation({
  name: "updatePresence",
  summary:
    "Tell the team that you are reading or writing at an incident, and see who else is; lasts less than a minute",
  on: incidentWithoutContentScope,
  can: "incident.presence",
  input: PresenceInput,
  output: PresenceList,
  run: (context, presence) => announceAndListPresence(context, presence),
});
