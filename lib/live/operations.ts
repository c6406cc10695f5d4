import { nothing, operation, requestOf, type Call } from "#lib/operation/operation.ts";
import { hub } from "#lib/live/hub.ts";
import { LiveQuery, Poll, type PollRecord } from "#lib/live/schema.ts";
import { maySee } from "#lib/live/sight.ts";
import { spoken } from "#lib/outbox/events.ts";
import { countUnread } from "#lib/notifications/queries.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { incidentRefScope } from "#lib/incidents/scope.ts";
import { announcePresence, Presence, Present } from "#lib/live/presence.ts";

/** What happens, as it happens (docs/live.md). */

export const followLive = operation({
  name: "followLive",
  summary: "Server-Sent Events about what you may see, ids only; with poll=1 the same as JSON, at once",
  on: nothing,
  can: "live.follow",
  input: LiveQuery,
  output: Poll,
  produces: ["text/event-stream"],
  run: ({ actor, call }, { poll, since }) =>
    poll || !wantsStream(call) ? news(actor, since) : stream(actor, call, since ?? lastEventId(call)),
});

/** Browsers ask for the type, and curl for any; a program that names neither would wait for an end that never comes. */
const wantsStream = ({ accepts }: Call) => accepts("text/event-stream") || accepts("*/*");

async function news(actor: Actor, since: number | undefined): Promise<PollRecord> {
  await hub().ready();
  const cursor = String(hub().now());
  const missed = since === undefined ? [] : hub().missed(since);
  const facts = (missed ?? []).flatMap(({ fact }) => (fact && maySee(actor, fact) ? [fact] : []));
  return {
    cursor,
    complete: missed !== undefined,
    unread: await countUnread(actor),
    events: facts.map(({ eventId, incidentId, kind }) => ({
      type: "change",
      eventId,
      incidentId,
      kind: spoken(kind),
    })),
  };
}

/** What a browser sends by itself when it connects again. */
function lastEventId(call: Call): number | undefined {
  const given = requestOf(call).headers.get("last-event-id");
  return given && /^\d{1,15}$/.test(given) ? Number(given) : undefined;
}

async function stream(actor: Actor, call: Call, since: number | undefined): Promise<Response> {
  const request = requestOf(call);
  if (request.method === "HEAD") return new Response(null, { headers: HEADERS });
  const opened = await hub().open(actor, since);
  request.signal.addEventListener("abort", () => opened.end(), { once: true });
  if (request.signal.aborted) opened.end();
  return new Response(opened.body, { headers: HEADERS });
}

const HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  // Compression and proxies would gather events before they pass them on.
  "Cache-Control": "private, no-store, no-transform",
  "X-Accel-Buffering": "no",
  Vary: "Cookie",
};

export const tellPresence = operation({
  name: "tellPresence",
  summary:
    "Say to the team that you are reading or writing at an incident, and hear who else is; for less than a minute",
  on: incidentRefScope,
  can: "incident.presence",
  input: Presence,
  output: Present,
  run: (context, presence) => announcePresence(context, presence),
});
