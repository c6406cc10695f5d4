import { refreshActor } from "#lib/accounts/actor.ts";
import type { LiveMessage } from "#lib/outbox/broadcast.ts";
import { canSeeChange } from "#lib/live/sight.ts";
import { toChangeKind } from "#lib/outbox/events.ts";
import { countUnreadNotifications } from "#lib/notifications/queries.ts";
import { isTeamMember, type Actor } from "#lib/operation/policy.ts";

/** A stream without events says something at least every 20 seconds (a tick later), so that nothing in between gives it up. */
const HEARTBEAT_MS = 15_000;
/**
 * After how long roles and session are looked at again, though nobody said that they changed; they are never older than
 * a minute.
 */
const ACTOR_REFRESH_INTERVAL_MS = 45_000;
const MAX_ACTOR_AGE_MS = 60_000;
/** Parts that wait for a reader who doesn't read; then the stream ends, and a page that still lives opens a new one. */
const MAX_QUEUED_CHUNKS = 200;
const RETRY_MS = 3000;
/** A burst of notifications is counted once. */
const COUNT_DELAY_MS = 100;

const encoder = new TextEncoder();

/** One open stream of Server-Sent Events: what its person may see, as text. */
export class LiveStream {
  readonly body: ReadableStream<Uint8Array>;
  #actor: Actor;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #refreshedAt = Date.now();
  /** When session or token run out, unless they are used meanwhile. */
  #expiresAt = Infinity;
  /** Something was said of what it was opened with: nothing more is written before a look. */
  #isStale = true;
  #lastWriteAt = Date.now();
  #countTimer: NodeJS.Timeout | undefined;
  /** Something could not be told, since nobody could say who this is. */
  #hasSkippedSteps = false;
  /** One thing after the other, so that nothing overtakes a look at changed roles. */
  #stepQueue: Promise<void> = Promise.resolve();
  #isEnded = false;
  readonly #onEnd: (stream: LiveStream) => void;

  constructor(actor: Actor, onEnd: (stream: LiveStream) => void) {
    this.#actor = actor;
    this.#onEnd = onEnd;
    this.body = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => this.end(),
    });
  }

  get sessionId(): string {
    return this.#actor.sessionId;
  }

  /**
   * The first words: where to go on after a break, what was missed since the last one, and the number of unread ones.
   * From now on it hears what ends it; what ended meanwhile is seen by the look that comes before them.
   */
  begin(at: number, missed: LiveMessage[] | "unknown"): void {
    this.#write(`retry: ${RETRY_MS}\n\n`);
    if (missed === "unknown") this.reload();
    else for (const message of missed) this.hear(message);
    this.#enqueueStep(async () => this.#write(`id: ${at}\n\n`));
    this.#scheduleCount();
  }

  /** Something may have been missed, an end as well: the page should load again what it shows. */
  missed(): void {
    this.#isStale = true;
    this.reload();
  }

  reload(): void {
    this.#enqueueStep(async () => this.#writeEvent("reload", { type: "reload" }));
  }

  hear(message: LiveMessage): void {
    if (message.ended?.includes(this.sessionId)) return this.end();
    const changed = this.#changesAccess(message);
    if (changed) this.#isStale = true;
    this.#enqueueStep(async () => {
      if (changed) this.#writeEvent("roles", { type: "roles" });
      const { fact } = message;
      if (fact && canSeeChange(this.#actor, fact)) {
        const { eventId, incidentId, kind } = fact;
        this.#writeEvent(
          "change",
          { type: "change", eventId, incidentId, kind: toChangeKind(kind) },
          message.at,
        );
      }
      const { presence } = message;
      if (presence && presence.personId !== this.#actor.id && isTeamMember(this.#actor, presence.eventId))
        this.#writeEvent("presence", { type: "presence", ...presence });
      if (message.told.includes(this.#actor.id)) this.#scheduleCount();
    });
  }

  /** Does it change what this person may see? */
  #changesAccess({ changed, tightened = [] }: LiveMessage): boolean {
    const { id, organizations, events, withheld, systemAdmin } = this.#actor;
    if (changed.includes(id)) return true;
    if (tightened.length === 0) return false;
    if (systemAdmin) return true;
    const memberships = [
      ...organizations,
      ...events,
      ...(withheld?.organizations ?? []),
      ...(withheld?.events ?? []),
    ];
    return memberships.some(({ organizationId }) => tightened.includes(organizationId));
  }

  /** Called every few seconds. */
  tick(now: number): void {
    if (now - this.#lastWriteAt >= HEARTBEAT_MS) this.#write(":\n\n");
    if (now - this.#refreshedAt >= ACTOR_REFRESH_INTERVAL_MS) this.#isStale = true;
    if (this.#needsRefresh(now)) this.#enqueueStep(async () => {});
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#countTimer);
    this.#onEnd(this);
    try {
      this.#controller.close();
    } catch {
      // Whoever read it has closed it already.
    }
  }

  /** Nothing is written on the word of an earlier look, once that is in doubt or has run out. */
  #enqueueStep(step: () => Promise<void>): void {
    const refreshAndRun = async () => {
      while (!this.#isEnded && this.#needsRefresh(Date.now())) await this.#refreshActor();
      if (!this.#isEnded) await step();
    };
    this.#stepQueue = this.#stepQueue.then(() => refreshAndRun().catch(() => this.#markSkipped()));
  }

  #needsRefresh(now: number): boolean {
    return this.#isStale || now >= this.#expiresAt;
  }

  /** Ends when the session is over, and when nobody can say whether it is. */
  async #refreshActor(): Promise<void> {
    const now = Date.now();
    this.#isStale = false;
    const refreshed = await refreshActor(this.#actor).catch((error: unknown) => {
      this.#isStale = true;
      throw error;
    });
    if (!refreshed) return this.end();
    this.#actor = refreshed.actor;
    this.#refreshedAt = now;
    this.#expiresAt = now + refreshed.lastsMs;
    if (!this.#hasSkippedSteps) return;
    this.#hasSkippedSteps = false;
    this.reload();
    this.#scheduleCount();
  }

  #markSkipped(): void {
    this.#hasSkippedSteps = true;
    if (Date.now() - this.#refreshedAt > MAX_ACTOR_AGE_MS) this.end();
  }

  #scheduleCount(): void {
    if (this.#isEnded) return;
    this.#countTimer ??= setTimeout(() => {
      this.#countTimer = undefined;
      this.#enqueueStep(() => this.#sendUnreadCount());
    }, COUNT_DELAY_MS);
  }

  /** What was counted for somebody who may see something else by now is counted again. */
  async #sendUnreadCount(): Promise<void> {
    const unread = await countUnreadNotifications(this.#actor);
    if (this.#needsRefresh(Date.now())) this.#scheduleCount();
    else this.#writeEvent("notification", { type: "notification", unread });
  }

  #writeEvent(name: string, data: Record<string, unknown>, at?: number): void {
    this.#write(`${at === undefined ? "" : `id: ${at}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  #write(text: string): void {
    if (this.#isEnded) return;
    if ((this.#controller.desiredSize ?? 0) < -MAX_QUEUED_CHUNKS) return this.end();
    this.#controller.enqueue(encoder.encode(text));
    this.#lastWriteAt = Date.now();
  }
}
