/**
 * News from the service, as they happen (docs/live.md), for every part of a page that wants them. One window of the
 * browser holds the connection and hands what it hears to the others: a browser keeps only six connections to a site,
 * and a session only six streams.
 */

export type News =
  | { type: "change"; eventId: string | null; incidentId: string | null; kind: string }
  | { type: "notification"; unread: number }
  | { type: "presence"; incidentId: string; personId: string; doing: "reading" | "writing" | "gone" }
  /** Roles changed, or something may have been missed: what is shown may be old. */
  | { type: "roles" | "reload" }
  /** The session has ended: here, elsewhere, or by itself. Nothing more is heard until `connectAgain`. */
  | { type: "signedOut" }
  /** Is the connection up? While it isn't, news come every half minute. */
  | { type: "connection"; up: boolean };

type Listener = (news: News) => void;

const STREAM = "/api/users/me/stream";
const POLL_MS = 30_000;
const NAME = "heed-live";

const listeners = new Set<Listener>();
let stop: (() => void) | undefined;
let up = true;

/** Hears of everything from now on. @returns a function that ends it */
export function listen(listener: Listener): () => void {
  listeners.add(listener);
  stop ??= start();
  if (!up) listener({ type: "connection", up });
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    stop?.();
    stop = undefined;
  };
}

/** After somebody has signed in once more. */
export function connectAgain(): void {
  if (!stop) return;
  stop();
  stop = start();
}

function tell(news: News): void {
  if (news.type === "connection") up = news.up;
  for (const listener of listeners) listener(news);
}

/** Waits for its turn to hold the connection; until then another window passes on what it hears. */
function start(): () => void {
  const others = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel(NAME);
  others?.addEventListener("message", ({ data }: MessageEvent<News>) => tell(data));
  const over = new AbortController();
  const lead = () =>
    new Promise<void>((ended) => {
      const end = follow((news) => {
        tell(news);
        others?.postMessage(news);
      }, ended);
      over.signal.addEventListener("abort", end);
    });
  // Without a secure context there are no locks; then each window holds its own connection.
  if ("locks" in navigator) navigator.locks.request(NAME, { signal: over.signal }, lead).catch(() => {});
  else void lead();
  return () => {
    over.abort();
    others?.close();
  };
}

/** Holds the stream, and asks every half minute while it can't be had. Ends by itself when nobody is signed in. */
function follow(pass: Listener, ended: () => void): () => void {
  let cursor = "";
  let source: EventSource | undefined;
  let polling: ReturnType<typeof setInterval> | undefined;

  function open() {
    source?.close();
    source = new EventSource(cursor ? `${STREAM}?since=${cursor}` : STREAM);
    source.onopen = () => {
      clearInterval(polling);
      polling = undefined;
      pass({ type: "connection", up: true });
    };
    source.onerror = () => {
      pass({ type: "connection", up: false });
      polling ??= setInterval(() => void poll(), POLL_MS);
      // It was refused, and is not tried again by itself: perhaps for want of a session.
      if (source?.readyState === EventSource.CLOSED) void ask();
    };
    for (const name of ["change", "presence", "notification", "roles", "reload"])
      source.addEventListener(name, hear);
  }

  function hear(event: MessageEvent<string>) {
    if (event.lastEventId) cursor = event.lastEventId;
    pass(JSON.parse(event.data) as News);
  }

  async function ask(): Promise<Response | null> {
    const answer = await fetch(`${STREAM}?poll=1${cursor && `&since=${cursor}`}`).catch(() => null);
    if (answer?.status === 401) {
      pass({ type: "signedOut" });
      end();
    }
    return answer;
  }

  async function poll() {
    const answer = await ask();
    if (!answer?.ok) return;
    const news = (await answer.json()) as {
      cursor: string;
      complete: boolean;
      unread: number;
      events: News[];
    };
    cursor = news.cursor;
    for (const one of news.events) pass(one);
    if (!news.complete) pass({ type: "reload" });
    pass({ type: "notification", unread: news.unread });
    if (source?.readyState === EventSource.CLOSED) open();
  }

  function end() {
    source?.close();
    clearInterval(polling);
    ended();
  }

  open();
  return end;
}
