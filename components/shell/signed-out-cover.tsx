"use client";

import { type MouseEvent, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { useTranslator } from "#words";
import { reconnectLiveEvents } from "#components/live/live.ts";
import { useLiveEvents } from "#components/live/use-news.ts";
import { buttonClass } from "#components/ui/button-class.ts";
import { subscribeToAccounts, broadcastAccount } from "./accounts-here.ts";

type Props = {
  /** Id of the account that the page was rendered for. */
  account: string;
  /** Label of the quick exit, for people whose pages have one. */
  leave: string | undefined;
};

const CHECK_INTERVAL_MS = 5000;

/**
 * Covers the page as soon as its session has ended elsewhere, because another person may be in front of it.
 * Unsent text stays underneath, and reappears for the same account.
 */
export function SignedOutCover({ account, leave }: Props) {
  const t = useTranslator("live");
  const ui = useTranslator("ui");
  const [covered, setCovered] = useState(false);
  const cover = useRef<HTMLDialogElement>(null);
  const pendingCheck = useRef<AbortController>(null);
  const heading = useId();
  const connected = useRef(true);
  // Another tab may have signed out, or signed in as somebody else.
  const checkSession = useEffectEvent(async () => {
    const id = await fetchSignedInUserId();
    if (id === undefined || (id === account && !covered)) return;
    if (id !== account) setCovered(true);
    if (id === null) return;
    if (id !== account) return reloadPage();
    // Closing the dialog, instead of only removing it, returns the focus to where it was.
    pendingCheck.current?.abort();
    cover.current?.close();
    setCovered(false);
    reconnectLiveEvents();
  });

  useLiveEvents((news) => {
    if (news.type === "signedOut") setCovered(true);
    if (news.type !== "connection" || news.up === connected.current) return;
    // The connection drops when the session ends, and comes back with whichever session the browser has by
    // then.
    connected.current = news.up;
    void checkSession();
  });

  useEffect(() => {
    const onVisibilityChange = () => void (document.hidden || checkSession());
    document.addEventListener("visibilitychange", onVisibilityChange);
    broadcastAccount(account);
    const end = subscribeToAccounts((other) => void (other === account || checkSession()));
    return () => {
      document.removeEventListener("visibilitychange", onVisibilityChange);
      end();
    };
  }, [account]);

  useEffect(() => {
    if (!covered) return;
    const element = cover.current;
    element?.showModal();
    const watching = new AbortController();
    const { signal } = watching;
    pendingCheck.current = watching;
    // Escape must not close this dialog.
    element?.addEventListener("close", () => element.showModal(), { signal });
    element?.addEventListener("cancel", (event) => event.preventDefault(), { signal });
    window.addEventListener("focus", () => void checkSession(), { signal });
    const checkTimer = setInterval(() => void (document.hidden || checkSession()), CHECK_INTERVAL_MS);
    return () => {
      watching.abort();
      clearInterval(checkTimer);
    };
  }, [covered]);

  if (!covered) return null;
  return (
    <dialog
      ref={cover}
      aria-labelledby={heading}
      className="no-print w-[min(30rem,calc(100vw-2rem))] rounded-surface border border-line bg-surface text-start backdrop:!bg-paper"
    >
      <div className="grid gap-4 p-4 sm:p-6">
        <h2 id={heading} className="text-xl">
          {t("signedOut.title")}
        </h2>
        <p>{t("signedOut.text")}</p>
        <div className="flex flex-wrap gap-3">
          <a
            href="/login?next=%2Fsigned-in"
            target="_blank"
            rel="noopener"
            className={buttonClass("primary")}
          >
            {ui("signInNewTab")}
          </a>
          {leave !== undefined && (
            <a href="/leave" className={buttonClass("danger")} onClick={followPageQuickExit}>
              {leave}
            </a>
          )}
        </div>
      </div>
    </dialog>
  );
}

let isReloading = false;

/** Reloads without asking about unsent text, because the person here now isn't its writer. */
function reloadPage(): void {
  if (isReloading) return;
  isReloading = true;
  window.addEventListener("beforeunload", (event) => event.stopImmediatePropagation(), true);
  location.reload();
}

/** Uses the page's own quick exit if there is one, since it knows its event's exit address. */
function followPageQuickExit(press: MouseEvent): void {
  const exit = document.querySelector<HTMLElement>("[data-exit]");
  if (!exit) return;
  press.preventDefault();
  exit.click();
}

/** @returns id of the account; null if signed out; undefined if unknown */
async function fetchSignedInUserId(): Promise<string | null | undefined> {
  const answer = await fetch("/api/auth/session").catch(() => null);
  if (!answer?.ok) return undefined;
  const { user } = (await answer.json()) as { user?: { id: string } };
  return user?.id ?? null;
}
