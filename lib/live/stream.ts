import { lookAgain } from "#lib/accounts/actor.ts";
import type { Wire } from "#lib/outbox/broadcast.ts";
import { maySee } from "#lib/live/sight.ts";
import { spoken } from "#lib/outbox/events.ts";
import { countUnread } from "#lib/notifications/queries.ts";
import { isTeam, type Actor } from "#lib/operation/policy.ts";

/** A stream without events says something at least every 20 seconds (a tick later), so that nothing in between gives it up. */
const HEARTBEAT_MS = 15_000;
/**
 * After how long roles and session are looked at again, though nobody said that they changed; they are never older than
 * a minute.
 */
const LOOK_AGAIN_MS = 45_000;
const TOO_OLD_MS = 60_000;
/** Parts that wait for a reader who doesn't read; then the stream ends, and a page that still lives opens a new one. */
const MOST_WAITING = 200;
const RETRY_MS = 3000;
/** A burst of notifications is counted once. */
const COUNT_AFTER_MS = 100;

const encoder = new TextEncoder();

/** One open stream of Server-Sent Events: what its person may see, as text. */
export class Stream {
  readonly body: ReadableStream<Uint8Array>;
  #actor: Actor;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #lookedAt = Date.now();
  /** When session or token run out, unless they are used meanwhile. */
  #lastsUntil = Infinity;
  /** Something was said of what it was opened with: nothing more is written before a look. */
  #inDoubt = true;
  #spokeAt = Date.now();
  #counting: NodeJS.Timeout | undefined;
  /** Something could not be told, since nobody could say who this is. */
  #left = false;
  /** One thing after the other, so that nothing overtakes a look at changed roles. */
  #work: Promise<void> = Promise.resolve();
  #ended = false;
  readonly #onEnd: (stream: Stream) => void;

  constructor(actor: Actor, onEnd: (stream: Stream) => void) {
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
  begin(at: number, missed: Wire[] | "unknown"): void {
    this.#write(`retry: ${RETRY_MS}\n\n`);
    if (missed === "unknown") this.reload();
    else for (const wire of missed) this.hear(wire);
    this.#then(async () => this.#write(`id: ${at}\n\n`));
    this.#countSoon();
  }

  /** Something may have been missed, an end as well: the page should load again what it shows. */
  missed(): void {
    this.#inDoubt = true;
    this.reload();
  }

  reload(): void {
    this.#then(async () => this.#event("reload", { type: "reload" }));
  }

  hear(wire: Wire): void {
    if (wire.ended?.includes(this.sessionId)) return this.end();
    const changed = this.#concerns(wire);
    if (changed) this.#inDoubt = true;
    this.#then(async () => {
      if (changed) this.#event("roles", { type: "roles" });
      const { fact } = wire;
      if (fact && maySee(this.#actor, fact)) {
        const { eventId, incidentId, kind } = fact;
        this.#event("change", { type: "change", eventId, incidentId, kind: spoken(kind) }, wire.at);
      }
      const { presence } = wire;
      if (presence && presence.personId !== this.#actor.id && isTeam(this.#actor, presence.eventId))
        this.#event("presence", { type: "presence", ...presence });
      if (wire.told.includes(this.#actor.id)) this.#countSoon();
    });
  }

  /** Does it change what this person may see? */
  #concerns({ changed, tightened = [] }: Wire): boolean {
    const { id, organizations, events, withheld, systemAdmin } = this.#actor;
    if (changed.includes(id)) return true;
    if (tightened.length === 0) return false;
    if (systemAdmin) return true;
    const held = [
      ...organizations,
      ...events,
      ...(withheld?.organizations ?? []),
      ...(withheld?.events ?? []),
    ];
    return held.some(({ organizationId }) => tightened.includes(organizationId));
  }

  /** Called every few seconds. */
  tick(now: number): void {
    if (now - this.#spokeAt >= HEARTBEAT_MS) this.#write(":\n\n");
    if (now - this.#lookedAt >= LOOK_AGAIN_MS) this.#inDoubt = true;
    if (this.#mustLook(now)) this.#then(async () => {});
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#counting);
    this.#onEnd(this);
    try {
      this.#controller.close();
    } catch {
      // Whoever read it has closed it already.
    }
  }

  /** Nothing is written on the word of an earlier look, once that is in doubt or has run out. */
  #then(step: () => Promise<void>): void {
    const looked = async () => {
      while (!this.#ended && this.#mustLook(Date.now())) await this.#lookAgain();
      if (!this.#ended) await step();
    };
    this.#work = this.#work.then(() => looked().catch(() => this.#leave()));
  }

  #mustLook(now: number): boolean {
    return this.#inDoubt || now >= this.#lastsUntil;
  }

  /** Ends when the session is over, and when nobody can say whether it is. */
  async #lookAgain(): Promise<void> {
    const now = Date.now();
    this.#inDoubt = false;
    const look = await lookAgain(this.#actor).catch((error: unknown) => {
      this.#inDoubt = true;
      throw error;
    });
    if (!look) return this.end();
    this.#actor = look.actor;
    this.#lookedAt = now;
    this.#lastsUntil = now + look.lastsMs;
    if (!this.#left) return;
    this.#left = false;
    this.reload();
    this.#countSoon();
  }

  #leave(): void {
    this.#left = true;
    if (Date.now() - this.#lookedAt > TOO_OLD_MS) this.end();
  }

  #countSoon(): void {
    if (this.#ended) return;
    this.#counting ??= setTimeout(() => {
      this.#counting = undefined;
      this.#then(() => this.#count());
    }, COUNT_AFTER_MS);
  }

  /** What was counted for somebody who may see something else by now is counted again. */
  async #count(): Promise<void> {
    const unread = await countUnread(this.#actor);
    if (this.#mustLook(Date.now())) this.#countSoon();
    else this.#event("notification", { type: "notification", unread });
  }

  #event(name: string, data: Record<string, unknown>, at?: number): void {
    this.#write(`${at === undefined ? "" : `id: ${at}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  #write(text: string): void {
    if (this.#ended) return;
    if ((this.#controller.desiredSize ?? 0) < -MOST_WAITING) return this.end();
    this.#controller.enqueue(encoder.encode(text));
    this.#spokeAt = Date.now();
  }
}
