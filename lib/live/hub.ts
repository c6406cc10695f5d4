import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "#lib/operation/errors.ts";
import type { LiveBroadcast } from "#lib/jobs/broadcast.ts";
import { registerStreamShutdown, areStreamsShutDown } from "#lib/live/stream-shutdown.ts";
import { listenForLiveDatabaseMessages } from "#lib/live/listener.ts";
import { PresentPeople } from "#lib/live/present-people.ts";
import { LiveStream } from "#lib/live/stream.ts";
import { findProcessMetrics } from "#lib/observability/metrics.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { processWide } from "#lib/process-wide.ts";

/** Open streams per session and process: enough for a few windows, and a limit on leaks. */
const MAX_STREAMS_PER_SESSION = 6;
/** Recent messages kept for clients that reconnect. */
const MAX_RECENT_MESSAGES = 1000;
/** Transactions may commit in another order than their timestamps; within this overlap, messages are sent twice. */
const REPLAY_OVERLAP_MS = 2000;
const TICK_INTERVAL_MS = 5000;
const READY_TIMEOUT_MS = 5000;

/** All open streams of this process, and the one connection that feeds them. */
class LiveHub {
  readonly #streams = new Set<LiveStream>();
  #recentMessages: LiveBroadcast[] = [];
  readonly #presentPeople = new PresentPeople();
  /** Since when nothing was missed (database clock), while the connection is up. */
  #completeSince: number | undefined;
  #clockOffsetMs = 0;
  #ready = Promise.withResolvers<void>();
  #isListening = false;

  /**
   * Opens a stream for an actor.
   * @param since the last event seen before a reconnect
   * @throws AppError RATE_LIMITED with too many streams of one session, SERVICE_UNAVAILABLE without a database or
   *   during shutdown
   */
  async open(actor: Actor, since: number | undefined): Promise<LiveStream> {
    await this.waitUntilComplete();
    if (areStreamsShutDown()) throw createLiveUnavailableError();
    const open = [...this.#streams].filter(({ sessionId }) => sessionId === actor.sessionId);
    if (open.length >= MAX_STREAMS_PER_SESSION) throw createTooManyStreamsError();
    const stream = new LiveStream(actor, (endedStream) => {
      if (this.#streams.delete(endedStream)) findProcessMetrics()?.streams.dec();
      unregister();
    });
    const unregister = registerStreamShutdown(() => stream.end());
    this.#streams.add(stream);
    findProcessMetrics()?.streams.inc();
    stream.begin(this.now(), since === undefined ? [] : (this.listMissedMessages(since) ?? "unknown"));
    return stream;
  }

  /** Returns the messages since a time (milliseconds, database clock); undefined if some of them may be missing. */
  listMissedMessages(since: number): LiveBroadcast[] | undefined {
    if (this.#completeSince === undefined || since < this.#completeSince) return undefined;
    const oldest = this.#recentMessages[0];
    if (oldest && this.#recentMessages.length >= MAX_RECENT_MESSAGES && since - REPLAY_OVERLAP_MS < oldest.at)
      return undefined;
    return this.#recentMessages.filter(({ at }) => at > since - REPLAY_OVERLAP_MS);
  }

  /** Returns the team members who are viewing an incident now. */
  listPresentPeople(incidentId: string): ReturnType<PresentPeople["list"]> {
    return this.#presentPeople.list(incidentId, Date.now());
  }

  /** Returns the time in milliseconds since 1970, by the database's clock. */
  now(): number {
    return Date.now() + this.#clockOffsetMs;
  }

  /** Waits until messages are received without gaps. @throws AppError SERVICE_UNAVAILABLE without a database */
  async waitUntilComplete(): Promise<void> {
    if (!this.#isListening) {
      this.#isListening = true;
      const stop = listenForLiveDatabaseMessages({
        onOpened: (at) => this.#handleOpened(at),
        onLost: () => this.#handleLost(),
        heard: (message) => this.#handleMessage(message),
      });
      const tickTimer = setInterval(() => this.#tick(), TICK_INTERVAL_MS).unref();
      registerStreamShutdown(() => {
        clearInterval(tickTimer);
        stop();
      });
    }
    const timeout = sleep(READY_TIMEOUT_MS, "late", { ref: false });
    if ((await Promise.race([this.#ready.promise, timeout])) === "late") throw createLiveUnavailableError();
  }

  #handleOpened(at: number): void {
    this.#completeSince = at;
    this.#clockOffsetMs = at - Date.now();
    this.#recentMessages = [];
    this.#ready.resolve();
    for (const stream of this.#streams) stream.requestReload();
  }

  #handleLost(): void {
    this.#completeSince = undefined;
    this.#ready = Promise.withResolvers();
  }

  #handleMessage(message: LiveBroadcast): void {
    const { presence } = message;
    if (presence && !this.#presentPeople.record(presence, Date.now())) return;
    // A stream that opens later checks access afresh, so it needs no replay of revocations.
    if (
      !presence &&
      !message.revokedIds &&
      !message.securityChangedOrganizationIds &&
      !message.hiddenChangedPersonIds &&
      !message.hiddenChangedOrganizationIds
    )
      this.#recentMessages.push(message);
    if (this.#recentMessages.length > MAX_RECENT_MESSAGES) this.#recentMessages.shift();
    for (const stream of this.#streams) stream.hear(message);
  }

  #tick(): void {
    const now = Date.now();
    this.#presentPeople.removeExpired(now);
    for (const stream of this.#streams) stream.tick(now);
  }
}

const createLiveUnavailableError = () =>
  new AppError(
    "SERVICE_UNAVAILABLE",
    "liveUnavailable",
    {},
    {
      headers: {
        "Retry-After": "5",
      },
    },
  );

const createTooManyStreamsError = () =>
  new AppError("RATE_LIMITED", "tooManyLiveConnections", {}, { headers: { "Retry-After": "30" } });

export const getLiveHub = (): LiveHub => processWide("live hub", () => new LiveHub());
