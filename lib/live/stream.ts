import { lookAgain } from "#lib/accounts/actor.ts";
import type { Wire } from "#lib/live/announce.ts";
import { maySee } from "#lib/live/sight.ts";
import { countUnread } from "#lib/notifications/queries.ts";
import { isTeam, type Actor } from "#lib/policy.ts";

/** A stream without events says something at least every 20 seconds (a tick later), so that nothing in between gives it up. */
const HEARTBEAT_MS = 15_000;
/** After how long roles and session are looked at again; they are never older than a minute. */
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
  #spokeAt = Date.now();
  #counting: NodeJS.Timeout | undefined;
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

  /** The first words: where to go on after a break, what was missed since the last one, and the number of unread ones. */
  begin(at: number, missed: Wire[] | "unknown"): void {
    this.#write(`retry: ${RETRY_MS}\n\n`);
    if (missed === "unknown") this.reload();
    else for (const wire of missed) this.hear(wire);
    this.#then(async () => this.#write(`id: ${at}\n\n`));
    this.#countSoon();
  }

  /** Something may have been missed: the page should load again what it shows. */
  reload(): void {
    this.#event("reload", { type: "reload" });
  }

  hear(wire: Wire): void {
    this.#then(async () => {
      if (wire.changed.includes(this.#actor.id)) {
        await this.#lookAgain();
        this.#event("roles", { type: "roles" });
      }
      const { fact } = wire;
      if (fact && maySee(this.#actor, fact)) {
        const { eventId, incidentId, kind } = fact;
        this.#event("change", { type: "change", eventId, incidentId, kind }, wire.at);
      }
      const { presence } = wire;
      if (presence && presence.personId !== this.#actor.id && isTeam(this.#actor, presence.eventId))
        this.#event("presence", { type: "presence", ...presence });
      if (wire.told.includes(this.#actor.id)) this.#countSoon();
    });
  }

  /** Called every few seconds. */
  tick(now: number): void {
    if (now - this.#spokeAt >= HEARTBEAT_MS) this.#write(":\n\n");
    if (now - this.#lookedAt >= LOOK_AGAIN_MS) this.#then(() => this.#lookAgain());
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

  #then(step: () => Promise<void>): void {
    this.#work = this.#work.then(async () => {
      if (!this.#ended) await step().catch(() => this.#endIfTooOld());
    });
  }

  /** Ends when the session is over, and when nobody can say whether it is. */
  async #lookAgain(): Promise<void> {
    const now = Date.now();
    const actor = await lookAgain(this.#actor);
    if (!actor) return this.end();
    this.#actor = actor;
    this.#lookedAt = now;
  }

  #endIfTooOld(): void {
    if (Date.now() - this.#lookedAt > TOO_OLD_MS) this.end();
  }

  #countSoon(): void {
    if (this.#ended) return;
    this.#counting ??= setTimeout(() => {
      this.#counting = undefined;
      this.#then(async () =>
        this.#event("notification", { type: "notification", unread: await countUnread(this.#actor) }),
      );
    }, COUNT_AFTER_MS);
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
