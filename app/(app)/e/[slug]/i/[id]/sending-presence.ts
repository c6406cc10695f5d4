export type PresenceActivity = "reading" | "writing";

/**
 * What the viewer does, and a random id of their stay on the page: the service ignores requests of a visit that arrive
 * after its end ("gone"), since one that was sent before may be slower. No id without HTTPS, where browsers create none.
 */
export type PresenceReport = { doing: PresenceActivity | "gone"; visit: string | undefined };

/** Sends what the viewer does, and returns whether it arrived. */
type SendPresence = (report: PresenceReport) => Promise<boolean>;

const HEARTBEAT_MS = 20_000;
/** Presence is announced only after this delay, so that paging through incidents isn't reported. */
const ARRIVAL_DELAY_MS = 500;
/** A person counts as writing for this long after the last keystroke. */
const WRITING_TIMEOUT_MS = 10_000;
const WRITING_CHECK_MS = 5_000;

/**
 * Sends what the viewer does while the page is visible, at once when that changes, until the returned function
 * is called.
 */
export function startSendingPresence(send: SendPresence): () => void {
  let wroteAt = 0;
  let lastSent: PresenceActivity = "reading";
  let visit = createVisitId();
  const getActivity = () => (Date.now() - wroteAt < WRITING_TIMEOUT_MS ? "writing" : "reading");
  const sendActivity = async (doing: PresenceActivity | "gone") => {
    const sending = send({ doing, visit });
    if (doing === "gone") visit = createVisitId();
    const arrived = await sending;
    if (arrived && doing !== "gone") lastSent = doing;
  };
  const sendIfVisible = () => isPageVisible() && void sendActivity(getActivity());
  const sendStoppedWriting = () => lastSent === "writing" && getActivity() === "reading" && sendIfVisible();
  const sendWriting = ({ target }: Event) => {
    if (!(target instanceof HTMLTextAreaElement)) return;
    wroteAt = Date.now();
    if (lastSent === "writing") return;
    lastSent = "writing";
    void sendActivity("writing");
  };

  const controller = new AbortController();
  const { signal } = controller;
  const sendVisibility = () => void sendActivity(isPageVisible() ? getActivity() : "gone");
  document.addEventListener("visibilitychange", sendVisibility, { signal });
  window.addEventListener("pagehide", () => void sendActivity("gone"), { signal });
  document.addEventListener("input", sendWriting, { signal });
  const arrival = setTimeout(sendIfVisible, ARRIVAL_DELAY_MS);
  const intervals = [
    setInterval(sendIfVisible, HEARTBEAT_MS),
    setInterval(sendStoppedWriting, WRITING_CHECK_MS),
  ];
  return () => {
    controller.abort();
    clearTimeout(arrival);
    for (const interval of intervals) clearInterval(interval);
    void sendActivity("gone");
  };
}

const createVisitId = (): string | undefined => ("randomUUID" in crypto ? crypto.randomUUID() : undefined);

const isPageVisible = (): boolean => document.visibilityState === "visible";
