import { listHiddenIncidentIds } from "#lib/access/readers-queries.ts";
import { reloadActorWithLifetime } from "#lib/accounts/actor-queries.ts";
import type { LiveBroadcast } from "#lib/jobs/broadcast.ts";
import { sealPosition } from "#lib/live/position.ts";
import { canSeeLiveChange, canSeePresence, toLiveChange } from "#lib/live/visibility.ts";
import { countUnreadNotifications } from "#lib/notifications/queries.ts";
import type { Actor } from "#lib/operation/policy.ts";

/**
 * Idle time after which the next tick sends a heartbeat, so that proxies keep the stream open. With a tick every five
 * seconds, an idle stream sends one at least every 20 seconds.
 */
const HEARTBEAT_MS = 15_000;
/**
 * How long until roles and session are checked again, even without a message about a change; they are never older than
 * a minute.
 */
const ACTOR_REFRESH_INTERVAL_MS = 45_000;
const MAX_ACTOR_AGE_MS = 60_000;
/** Chunks queued for a slow reader; beyond this the stream ends, and a page that is still open reconnects. */
const MAX_QUEUED_CHUNKS = 200;
const RETRY_MS = 3000;
/** Delay before unread notifications are counted, so that a burst of them is counted once. */
const COUNT_DELAY_MS = 100;

const encoder = new TextEncoder();

/** One open stream of Server-Sent Events: what its person may see, as text. */
export class LiveStream {
  readonly body: ReadableStream<Uint8Array>;
  #actor: Actor;
  #hiddenIncidentIds: readonly string[] = [];
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #refreshedAt = Date.now();
  /** When the session or token expires, unless it is used in the meantime. */
  #expiresAt = Infinity;
  /** The actor's access may have changed: nothing is written before it is checked again. */
  #isStale = true;
  #lastWriteAt = Date.now();
  #countTimer: NodeJS.Timeout | undefined;
  /** Some steps were skipped because the actor couldn't be checked. */
  #hasSkippedSteps = false;
  /** Runs steps one after the other, so that none overtakes a check of changed roles. */
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
   * Starts the stream: replays the missed messages, sends the position to resume from and the number of unread
   * notifications. From now on it receives revocations; the check before its first event covers earlier ones.
   */
  begin(at: number, missed: LiveBroadcast[] | "unknown"): void {
    this.#write(`retry: ${RETRY_MS}\n\n`);
    if (missed === "unknown") this.reload();
    else for (const message of missed) this.hear(message);
    this.#enqueueStep(async () => this.#write(`id: ${sealPosition(this.#actor, at)}\n\n`));
    this.#scheduleCount();
  }

  /** Tells the page to reload its data, since messages may have been missed, revocations included. */
  requestReload(): void {
    this.#isStale = true;
    this.reload();
  }

  reload(): void {
    this.#enqueueStep(async () => this.#writeEvent("reload", { type: "reload" }));
  }

  hear(message: LiveBroadcast): void {
    if (message.revokedIds?.includes(this.sessionId)) return this.end();
    const changed = this.#changesAccess(message);
    if (changed || this.#changesHidden(message)) this.#isStale = true;
    this.#enqueueStep(async () => {
      if (changed) this.#writeEvent("roles", { type: "roles" });
      const { change, presence } = message;
      const viewer = { person: this.#actor, hiddenIncidentIds: this.#hiddenIncidentIds };
      if (change && canSeeLiveChange(viewer, change)) {
        this.#writeEvent("change", toLiveChange(this.#actor, change), message.at);
      }
      if (presence && presence.personId !== this.#actor.id && canSeePresence(viewer, presence)) {
        const { visit: _, ...activity } = presence;
        this.#writeEvent("presence", { type: "presence", ...activity });
      }
      if (message.notifiedPersonIds.includes(this.#actor.id)) this.#scheduleCount();
    });
  }

  /** Returns whether the message changes what the stream's reader may see. */
  #changesAccess({ accessChangedPersonIds, securityChangedOrganizationIds = [] }: LiveBroadcast): boolean {
    const { id, systemAdmin } = this.#actor;
    if (accessChangedPersonIds.includes(id)) return true;
    if (securityChangedOrganizationIds.length === 0) return false;
    return systemAdmin || this.#belongsToOneOf(securityChangedOrganizationIds);
  }

  /** Returns whether the message changes which incidents are hidden from the stream's reader. */
  #changesHidden({ hiddenChangedPersonIds, hiddenChangedOrganizationIds = [] }: LiveBroadcast): boolean {
    const { id, systemAdmin } = this.#actor;
    if (hiddenChangedPersonIds?.includes(id)) return true;
    return (
      hiddenChangedOrganizationIds.length > 0 &&
      (systemAdmin || this.#belongsToOneOf(hiddenChangedOrganizationIds))
    );
  }

  #belongsToOneOf(organizationIds: readonly string[]): boolean {
    const { organizations, events, withheld } = this.#actor;
    const memberships = [
      ...organizations,
      ...events,
      ...(withheld?.organizations ?? []),
      ...(withheld?.events ?? []),
    ];
    return memberships.some(({ organizationId }) => organizationIds.includes(organizationId));
  }

  /** Sends a heartbeat and refreshes the actor when they are due; called every few seconds. */
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
      // The reader has closed the stream already.
    }
  }

  /** Checks the actor again before a step if the last check is in doubt or has expired. */
  #enqueueStep(step: () => Promise<void>): void {
    const refreshAndRun = async () => {
      while (!this.#isEnded && this.#needsRefresh(Date.now())) await this.#reloadActorWithLifetime();
      if (!this.#isEnded) await step();
    };
    this.#stepQueue = this.#stepQueue.then(() => refreshAndRun().catch(() => this.#markSkipped()));
  }

  #needsRefresh(now: number): boolean {
    return this.#isStale || now >= this.#expiresAt;
  }

  /**
   * Reloads the actor and the time at which their session or token expires. Ends the stream if the session or token is
   * over; makes the page reload if steps were skipped before.
   * @throws when the actor can't be reloaded
   */
  async #reloadActorWithLifetime(): Promise<void> {
    const now = Date.now();
    this.#isStale = false;
    try {
      const refreshed = await reloadActorWithLifetime(this.#actor);
      if (!refreshed) return this.end();
      // Of the places of these roles, so after them.
      this.#hiddenIncidentIds = await listHiddenIncidentIds(refreshed.actor);
      this.#actor = refreshed.actor;
      this.#expiresAt = now + refreshed.lastsMs;
    } catch (error) {
      this.#isStale = true;
      throw error;
    }
    this.#refreshedAt = now;
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

  /**
   * Sends the number of unread notifications. If the actor's access may have changed during the count, schedules
   * another count and sends nothing.
   */
  async #sendUnreadCount(): Promise<void> {
    const unread = await countUnreadNotifications(this.#actor);
    if (this.#needsRefresh(Date.now())) this.#scheduleCount();
    else this.#writeEvent("notification", { type: "notification", unread });
  }

  #writeEvent(name: string, data: Record<string, unknown>, at?: number): void {
    const id = at === undefined ? "" : `id: ${sealPosition(this.#actor, at)}\n`;
    this.#write(`${id}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  #write(text: string): void {
    if (this.#isEnded) return;
    if ((this.#controller.desiredSize ?? 0) < -MAX_QUEUED_CHUNKS) return this.end();
    this.#controller.enqueue(encoder.encode(text));
    this.#lastWriteAt = Date.now();
  }
}
