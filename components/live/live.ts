/**
 * Live events from the server (docs/live.md), for any part of a page. One window of the browser holds the
 * connection and passes events to the others, because a browser opens only six connections to a site, and a
 * session only six streams.
 */

export type LiveUpdate =
  | { type: "change"; eventId: string | null; incidentId: string | null; kind: string; urgent?: true }
  | { type: "notification"; unread: number }
  | { type: "presence"; incidentId: string; personId: string; doing: "reading" | "writing" | "gone" }
  /** Roles changed, or events may have been missed: the page may be outdated. */
  | { type: "roles" | "reload" }
  /**
   * The session has ended: here, elsewhere, or by expiry. No more events arrive until `reconnectLiveUpdates`.
   */
  | { type: "signedOut" }
  /** Whether the connection is up. While it isn't, events arrive every half minute. */
  | { type: "connection"; up: boolean };

type LiveEventListener = (news: LiveUpdate) => void;

const STREAM_PATH = "/api/users/me/stream";
const POLL_INTERVAL_MS = 30_000;
const CHANNEL_NAME = "heed-live";

const listeners = new Set<LiveEventListener>();
let stopConnection: (() => void) | undefined;
let isConnected = true;

/**
 * Calls the listener for every event from now on.
 * @returns a function that unsubscribes
 */
export function subscribeToLiveUpdates(listener: LiveEventListener): () => void {
  listeners.add(listener);
  stopConnection ??= startConnection();
  if (!isConnected) listener({ type: "connection", up: isConnected });
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    stopConnection?.();
    stopConnection = undefined;
  };
}

/** Restarts the connection after somebody has signed in again. */
export function reconnectLiveUpdates(): void {
  if (!stopConnection) return;
  stopConnection();
  stopConnection = startConnection();
}

function notifyListeners(news: LiveUpdate): void {
  if (news.type === "connection") isConnected = news.up;
  for (const listener of listeners) listener(news);
}

/**
 * Connects once this window has the lock, which one window holds at a time; until then, that one passes on its events.
 * Returns a function that ends this.
 */
function startConnection(): () => void {
  const channel = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel(CHANNEL_NAME);
  channel?.addEventListener("message", ({ data }: MessageEvent<LiveUpdate>) => notifyListeners(data));
  const controller = new AbortController();
  const holdLeaderLock = () =>
    new Promise<void>((onEnd) => {
      const end = followStream((news) => {
        notifyListeners(news);
        channel?.postMessage(news);
      }, onEnd);
      controller.signal.addEventListener("abort", end);
    });
  // Web Locks need a secure context; without them, each window holds its own connection.
  if ("locks" in navigator)
    navigator.locks.request(CHANNEL_NAME, { signal: controller.signal }, holdLeaderLock).catch(() => {});
  else void holdLeaderLock();
  return () => {
    controller.abort();
    channel?.close();
  };
}

/** Holds the stream, and polls every half minute while it is down. Ends when nobody is signed in. */
function followStream(forward: LiveEventListener, onEnd: () => void): () => void {
  const connection = new StreamConnection(forward, onEnd);
  connection.open();
  return () => connection.end();
}

type PollResult = { cursor: string; complete: boolean; unread: number; events: LiveUpdate[] };

class StreamConnection {
  #cursor = "";
  #source: EventSource | undefined;
  #polling: ReturnType<typeof setInterval> | undefined;
  readonly #forward: LiveEventListener;
  readonly #onEnd: () => void;

  constructor(forward: LiveEventListener, onEnd: () => void) {
    this.#forward = forward;
    this.#onEnd = onEnd;
  }

  open(): void {
    this.#source?.close();
    const source = new EventSource(this.#cursor ? `${STREAM_PATH}?since=${this.#cursor}` : STREAM_PATH);
    this.#source = source;
    source.onopen = () => {
      clearInterval(this.#polling);
      this.#polling = undefined;
      this.#forward({ type: "connection", up: true });
    };
    source.onerror = () => {
      this.#forward({ type: "connection", up: false });
      this.#polling ??= setInterval(() => void this.#poll(), POLL_INTERVAL_MS);
      // The stream was refused and the browser doesn't retry, perhaps because the session has ended.
      if (this.#source?.readyState === EventSource.CLOSED) void this.#fetchEvents();
    };
    for (const name of ["change", "presence", "notification", "roles", "reload"])
      source.addEventListener(name, (event) => this.#receive(event));
  }

  end(): void {
    this.#source?.close();
    clearInterval(this.#polling);
    this.#onEnd();
  }

  #receive(event: MessageEvent<string>): void {
    if (event.lastEventId) this.#cursor = event.lastEventId;
    this.#forward(JSON.parse(event.data) as LiveUpdate);
  }

  async #fetchEvents(): Promise<Response | null> {
    const since = this.#cursor && `&since=${this.#cursor}`;
    const response = await fetch(`${STREAM_PATH}?poll=1${since}`).catch(() => null);
    if (response?.status === 401) {
      this.#forward({ type: "signedOut" });
      this.end();
    }
    return response;
  }

  async #poll(): Promise<void> {
    const response = await this.#fetchEvents();
    if (!response?.ok) return;
    const result = (await response.json()) as PollResult;
    this.#cursor = result.cursor;
    for (const one of result.events) this.#forward(one);
    if (!result.complete) this.#forward({ type: "reload" });
    this.#forward({ type: "notification", unread: result.unread });
    if (this.#source?.readyState === EventSource.CLOSED) this.open();
  }
}
