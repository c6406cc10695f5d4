"use client";

import { useEffect, useState, useSyncExternalStore } from "react";
import { useTranslator } from "#i18n";
import { Button } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import {
  deleteRefusedSealedDrafts,
  listSealedDrafts,
  retryRefusedSealedDrafts,
  sendSealedDrafts,
  type SendSealedDraftsResult,
  updateSealedDraftsCookie,
} from "./sealed-drafts.ts";

/** How often to retry sending, in case the browser didn't report that it is online again. */
const RETRY_MS = 30_000;

const listeners = new Set<() => void>();
/** Notifies this tab's listeners that drafts were added or removed. */
export const notifySealedDraftListeners = (): void => listeners.forEach((listener) => listener());

function subscribeToDrafts(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
}

/** Sends the sealed drafts of this device as soon as it is online, and shows how many are waiting. */
export function SealedDraftSenderAndCount({ owner }: { owner: string }) {
  const t = useTranslator("intakeOffline");
  const counts = useSyncExternalStore(
    subscribeToDrafts,
    () => countDrafts(owner),
    () => "0 0",
  );
  const [waiting = 0, refused = 0] = counts.split(" ").map(Number);
  const { sent, sentBefore, signedOut, send } = useDraftSending(owner, waiting);
  useEffect(updateSealedDraftsCookie, []);
  return (
    <div role="status" className="grid gap-3">
      {waiting > 0 && (
        <Notice kind="warning">
          <p>{t("waiting", { count: waiting })}</p>
          {signedOut && <p>{t("signIn")}</p>}
          <p className="pt-2">
            <Button onClick={() => void send()}>{t("sendNow")}</Button>
          </p>
        </Notice>
      )}
      {sent > 0 && (
        <Notice kind="success">
          <p>{t("sent", { count: sent })}</p>
        </Notice>
      )}
      {sentBefore > 0 && (
        <Notice kind="warning">
          <p>{t("sentBefore", { count: sentBefore })}</p>
        </Notice>
      )}
      {refused > 0 && <RefusedDrafts owner={owner} count={refused} />}
    </div>
  );
}

/** Returns both counts as one text: `useSyncExternalStore` compares snapshots by identity. */
function countDrafts(owner: string): string {
  const drafts = listSealedDrafts(owner);
  const refused = drafts.filter((draft) => draft.refused).length;
  return `${drafts.length - refused} ${refused}`;
}

function RefusedDrafts({ owner, count }: { owner: string; count: number }) {
  const t = useTranslator("intakeOffline");
  const changeDrafts = (change: (owner: string) => boolean) => () => {
    change(owner);
    notifySealedDraftListeners();
  };
  return (
    <Notice kind="danger">
      <p>{t("refused", { count })}</p>
      <p>{t("refusedAdvice")}</p>
      <p className="flex flex-wrap gap-3 pt-2">
        <Button variant="primary" onClick={changeDrafts(retryRefusedSealedDrafts)}>
          {t("retry")}
        </Button>
        <Button onClick={changeDrafts(deleteRefusedSealedDrafts)}>{t("delete")}</Button>
      </p>
    </Notice>
  );
}

/** Sends drafts on page load, when the browser is online again, and every RETRY_MS while some are waiting. */
function useDraftSending(owner: string, waiting: number) {
  const [outcome, setOutcome] = useState<SendSealedDraftsResult>({
    sent: 0,
    sentBefore: 0,
    signedOut: false,
  });
  const send = async () => {
    const { sent, sentBefore, signedOut } = await sendSealedDrafts(owner);
    setOutcome((last) => ({ sent: last.sent + sent, sentBefore: last.sentBefore + sentBefore, signedOut }));
    notifySealedDraftListeners();
  };
  useEffect(() => {
    if (waiting === 0) return;
    const trySending = () => void (navigator.onLine && send());
    trySending();
    window.addEventListener("online", trySending);
    const timer = setInterval(trySending, RETRY_MS);
    return () => {
      window.removeEventListener("online", trySending);
      clearInterval(timer);
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `send` only sets state
  }, [owner, waiting]);
  return { ...outcome, send };
}
