import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "#lib/operation/errors.ts";
import type { LiveMessage } from "#lib/outbox/broadcast.ts";
import { registerShutdownHandler, areStreamsShutDown } from "#lib/live/ending.ts";
import { subscribeToLiveMessages } from "#lib/live/listening.ts";
import { LiveStream } from "#lib/live/stream.ts";
import { metrics } from "#lib/observability/metrics.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** Streams that one session may have open in a process: a few windows, not a leak. */
const MAX_STREAMS_PER_SESSION = 6;
/** What happened last, kept for those who were away for a moment. */
const MAX_RECENT_MESSAGES = 1000;
/** Two transactions may end in another order than they spoke in; within this much, things are told twice. */
const REPLAY_OVERLAP_MS = 2000;
const TICK_INTERVAL_MS = 5000;
const READY_TIMEOUT_MS = 5000;

/** Who has said nothing for so long is gone; a page that is open says it every 20 seconds. */
const PRESENCE_TTL_MS = 45_000;

type PresenceMessage = NonNullable<LiveMessage["presence"]>;
type PresentPerson = { personId: string; doing: "reading" | "writing" };

/** Every open stream of this process, and the one connection that feeds them. */
class LiveHub {
  readonly #streams = new Set<LiveStream>();
  #recentMessages: LiveMessage[] = [];
  /** By incident and person, in the memory of this process only. */
  readonly #presenceByIncident = new Map<string, Map<string, PresentPerson & { until: number }>>();
  /** Since when nothing was missed (clock of the database), while the connection stands. */
  #completeSince: number | undefined;
  #clockOffsetMs = 0;
  #ready = Promise.withResolvers<void>();
  #isListening = false;

  /**
   * A new stream for a person.
   * @param since the last event that was seen before a break
   * @throws AppError RATE_LIMITED with too many of one session, SERVICE_UNAVAILABLE without a database or at the end
   */
  async open(actor: Actor, since: number | undefined): Promise<LiveStream> {
    await this.ready();
    if (areStreamsShutDown()) throw unavailableError();
    const open = [...this.#streams].filter(({ sessionId }) => sessionId === actor.sessionId);
    if (open.length >= MAX_STREAMS_PER_SESSION) throw tooManyStreamsError();
    const stream = new LiveStream(actor, (endedStream) => {
      if (this.#streams.delete(endedStream)) metrics()?.streams.dec();
      unregister();
    });
    const unregister = registerShutdownHandler(() => stream.end());
    this.#streams.add(stream);
    metrics()?.streams.inc();
    stream.begin(this.now(), since === undefined ? [] : (this.missed(since) ?? "unknown"));
    return stream;
  }

  /** What happened since; undefined when it can't be told from here. */
  missed(since: number): LiveMessage[] | undefined {
    if (this.#completeSince === undefined || since < this.#completeSince) return undefined;
    const oldest = this.#recentMessages[0];
    if (oldest && this.#recentMessages.length >= MAX_RECENT_MESSAGES && since - REPLAY_OVERLAP_MS < oldest.at)
      return undefined;
    return this.#recentMessages.filter(({ at }) => at > since - REPLAY_OVERLAP_MS);
  }

  /** Who of the team is at an incident. */
  presentAt(incidentId: string): PresentPerson[] {
    const now = Date.now();
    const all = [...(this.#presenceByIncident.get(incidentId)?.values() ?? [])];
    return all.filter(({ until }) => until > now).map(({ personId, doing }) => ({ personId, doing }));
  }

  /** Milliseconds since 1970, by the clock of the database. */
  now(): number {
    return Date.now() + this.#clockOffsetMs;
  }

  /** From here on nothing is missed. @throws AppError SERVICE_UNAVAILABLE without a database */
  async ready(): Promise<void> {
    if (!this.#isListening) {
      this.#isListening = true;
      const stop = subscribeToLiveMessages({
        opened: (at) => this.#handleOpened(at),
        lost: () => this.#handleLost(),
        heard: (message) => this.#handleMessage(message),
      });
      const tickTimer = setInterval(() => this.#tick(), TICK_INTERVAL_MS).unref();
      registerShutdownHandler(() => {
        clearInterval(tickTimer);
        stop();
      });
    }
    const timeout = sleep(READY_TIMEOUT_MS, "late", { ref: false });
    if ((await Promise.race([this.#ready.promise, timeout])) === "late") throw unavailableError();
  }

  #handleOpened(at: number): void {
    this.#completeSince = at;
    this.#clockOffsetMs = at - Date.now();
    this.#recentMessages = [];
    this.#ready.resolve();
    for (const stream of this.#streams) stream.missed();
  }

  #handleLost(): void {
    this.#completeSince = undefined;
    this.#ready = Promise.withResolvers();
  }

  #handleMessage(message: LiveMessage): void {
    if (message.presence) this.#recordPresence(message.presence);
    // Whoever comes later is looked at anew, and needs none of the ends.
    else if (!message.ended && !message.tightened) this.#recentMessages.push(message);
    if (this.#recentMessages.length > MAX_RECENT_MESSAGES) this.#recentMessages.shift();
    for (const stream of this.#streams) stream.hear(message);
  }

  #recordPresence({ incidentId, personId, doing }: PresenceMessage): void {
    const people =
      this.#presenceByIncident.get(incidentId) ?? new Map<string, PresentPerson & { until: number }>();
    if (doing === "gone") people.delete(personId);
    else people.set(personId, { personId, doing, until: Date.now() + PRESENCE_TTL_MS });
    if (people.size > 0) this.#presenceByIncident.set(incidentId, people);
    else this.#presenceByIncident.delete(incidentId);
  }

  #removeExpiredPresence(now: number): void {
    for (const [incidentId, people] of this.#presenceByIncident) {
      for (const [personId, { until }] of people) if (until <= now) people.delete(personId);
      if (people.size === 0) this.#presenceByIncident.delete(incidentId);
    }
  }

  #tick(): void {
    const now = Date.now();
    this.#removeExpiredPresence(now);
    for (const stream of this.#streams) stream.tick(now);
  }
}

const unavailableError = () =>
  new AppError("SERVICE_UNAVAILABLE", "Live updates are not to be had now.", "Try again in a few seconds.", {
    "Retry-After": "5",
  });

const tooManyStreamsError = () =>
  new AppError(
    "RATE_LIMITED",
    "Too many live connections.",
    "Close some of your windows, or ask for news with poll=1.",
    { "Retry-After": "30" },
  );

// One a process, also when the bundler loads this module more than once.
const globalState = globalThis as unknown as { heedHub?: LiveHub };
export const liveHub = (): LiveHub => (globalState.heedHub ??= new LiveHub());
