import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "#lib/operation/errors.ts";
import type { Wire } from "#lib/outbox/broadcast.ts";
import { endWithService, streamsHaveEnded } from "#lib/live/ending.ts";
import { listen } from "#lib/live/listening.ts";
import { Stream } from "#lib/live/stream.ts";
import { metrics } from "#lib/observability/metrics.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** Streams that one session may have open in a process: a few windows, not a leak. */
const MOST_STREAMS = 6;
/** What happened last, kept for those who were away for a moment. */
const KEPT = 1000;
/** Two transactions may end in another order than they spoke in; within this much, things are told twice. */
const OVERLAP_MS = 2000;
const TICK_MS = 5000;
const WAIT_MS = 5000;

/** Who has said nothing for so long is gone; a page that is open says it every 20 seconds. */
const PRESENT_MS = 45_000;

type Presence = NonNullable<Wire["presence"]>;
type Present = { personId: string; doing: "reading" | "writing" };

/** Every open stream of this process, and the one connection that feeds them. */
class Hub {
  readonly #streams = new Set<Stream>();
  #recent: Wire[] = [];
  /** By incident and person, in the memory of this process only. */
  readonly #present = new Map<string, Map<string, Present & { until: number }>>();
  /** Since when nothing was missed (clock of the database), while the connection stands. */
  #since: number | undefined;
  #ahead = 0;
  #ready = Promise.withResolvers<void>();
  #listening = false;

  /**
   * A new stream for a person.
   * @param since the last event that was seen before a break
   * @throws AppError RATE_LIMITED with too many of one session, SERVICE_UNAVAILABLE without a database or at the end
   */
  async open(actor: Actor, since: number | undefined): Promise<Stream> {
    await this.ready();
    if (streamsHaveEnded()) throw unavailable();
    const open = [...this.#streams].filter(({ sessionId }) => sessionId === actor.sessionId);
    if (open.length >= MOST_STREAMS) throw tooMany();
    const stream = new Stream(actor, (ended) => {
      if (this.#streams.delete(ended)) metrics()?.streams.dec();
      takeBack();
    });
    const takeBack = endWithService(() => stream.end());
    this.#streams.add(stream);
    metrics()?.streams.inc();
    stream.begin(this.now(), since === undefined ? [] : (this.missed(since) ?? "unknown"));
    return stream;
  }

  /** What happened since; undefined when it can't be told from here. */
  missed(since: number): Wire[] | undefined {
    if (this.#since === undefined || since < this.#since) return undefined;
    const oldest = this.#recent[0];
    if (oldest && this.#recent.length >= KEPT && since - OVERLAP_MS < oldest.at) return undefined;
    return this.#recent.filter(({ at }) => at > since - OVERLAP_MS);
  }

  /** Who of the team is at an incident. */
  presentAt(incidentId: string): Present[] {
    const now = Date.now();
    const all = [...(this.#present.get(incidentId)?.values() ?? [])];
    return all.filter(({ until }) => until > now).map(({ personId, doing }) => ({ personId, doing }));
  }

  /** Milliseconds since 1970, by the clock of the database. */
  now(): number {
    return Date.now() + this.#ahead;
  }

  /** From here on nothing is missed. @throws AppError SERVICE_UNAVAILABLE without a database */
  async ready(): Promise<void> {
    if (!this.#listening) {
      this.#listening = true;
      const stop = listen({
        opened: (at) => this.#opened(at),
        lost: () => this.#lost(),
        heard: (wire) => this.#heard(wire),
      });
      const ticking = setInterval(() => this.#tick(), TICK_MS).unref();
      endWithService(() => {
        clearInterval(ticking);
        stop();
      });
    }
    const late = sleep(WAIT_MS, "late", { ref: false });
    if ((await Promise.race([this.#ready.promise, late])) === "late") throw unavailable();
  }

  #opened(at: number): void {
    this.#since = at;
    this.#ahead = at - Date.now();
    this.#recent = [];
    this.#ready.resolve();
    for (const stream of this.#streams) stream.missed();
  }

  #lost(): void {
    this.#since = undefined;
    this.#ready = Promise.withResolvers();
  }

  #heard(wire: Wire): void {
    if (wire.presence) this.#note(wire.presence);
    // Whoever comes later is looked at anew, and needs none of the ends.
    else if (!wire.ended && !wire.tightened) this.#recent.push(wire);
    if (this.#recent.length > KEPT) this.#recent.shift();
    for (const stream of this.#streams) stream.hear(wire);
  }

  #note({ incidentId, personId, doing }: Presence): void {
    const there = this.#present.get(incidentId) ?? new Map<string, Present & { until: number }>();
    if (doing === "gone") there.delete(personId);
    else there.set(personId, { personId, doing, until: Date.now() + PRESENT_MS });
    if (there.size > 0) this.#present.set(incidentId, there);
    else this.#present.delete(incidentId);
  }

  #forget(now: number): void {
    for (const [incidentId, there] of this.#present) {
      for (const [personId, { until }] of there) if (until <= now) there.delete(personId);
      if (there.size === 0) this.#present.delete(incidentId);
    }
  }

  #tick(): void {
    const now = Date.now();
    this.#forget(now);
    for (const stream of this.#streams) stream.tick(now);
  }
}

const unavailable = () =>
  new AppError("SERVICE_UNAVAILABLE", "Live updates are not to be had now.", "Try again in a few seconds.", {
    "Retry-After": "5",
  });

const tooMany = () =>
  new AppError(
    "RATE_LIMITED",
    "Too many live connections.",
    "Close some of your windows, or ask for news with poll=1.",
    { "Retry-After": "30" },
  );

// One a process, also when the bundler loads this module more than once.
const kept = globalThis as unknown as { heedHub?: Hub };
export const hub = (): Hub => (kept.heedHub ??= new Hub());
