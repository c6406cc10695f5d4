"use client";

import { type MouseEvent, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { useWords } from "#words";
import { connectAgain } from "#components/live/live.ts";
import { useNews } from "#components/live/use-news.ts";
import { buttonClass } from "#components/ui/button-class.ts";
import { hearAccounts, tellAccount } from "./accounts-here.ts";

type Props = {
  /** Id of the account that the page was made for. */
  account: string;
  /** Words of the way out, for those whose pages have one. */
  leave: string | undefined;
};

const LOOK_MS = 5000;

/**
 * Lies over the page as soon as its session has ended elsewhere: what it shows is no longer for whoever sits in front
 * of it. What was being written stays beneath, and is there again for the same account.
 */
export function SignedOutCover({ account, leave }: Props) {
  const t = useWords("live");
  const ui = useWords("ui");
  const [covered, setCovered] = useState(false);
  const cover = useRef<HTMLDialogElement>(null);
  const over = useRef<AbortController>(null);
  const heading = useId();
  const connected = useRef(true);
  // Nobody may be, or somebody else: both happen in another tab.
  const look = useEffectEvent(async () => {
    const id = await whoIsSignedIn();
    if (id === undefined || (id === account && !covered)) return;
    if (id !== account) setCovered(true);
    if (id === null) return;
    if (id !== account) return loadAnew();
    // Closed, not just removed: the focus goes back to where it was.
    over.current?.abort();
    cover.current?.close();
    setCovered(false);
    connectAgain();
  });

  useNews((news) => {
    if (news.type === "signedOut") setCovered(true);
    if (news.type !== "connection" || news.up === connected.current) return;
    // It breaks off when the session ends, and is there again with whatever session the browser has by then.
    connected.current = news.up;
    void look();
  });

  useEffect(() => {
    const shown = () => void (document.hidden || look());
    document.addEventListener("visibilitychange", shown);
    tellAccount(account);
    const end = hearAccounts((other) => void (other === account || look()));
    return () => {
      document.removeEventListener("visibilitychange", shown);
      end();
    };
  }, [account]);

  useEffect(() => {
    if (!covered) return;
    const element = cover.current;
    element?.showModal();
    const watching = new AbortController();
    const { signal } = watching;
    over.current = watching;
    // Escape takes a dialog away; not this one.
    element?.addEventListener("close", () => element.showModal(), { signal });
    element?.addEventListener("cancel", (event) => event.preventDefault(), { signal });
    window.addEventListener("focus", () => void look(), { signal });
    const looking = setInterval(() => void (document.hidden || look()), LOOK_MS);
    return () => {
      watching.abort();
      clearInterval(looking);
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
            <a href="/leave" className={buttonClass("danger")} onClick={leaveAsElsewhere}>
              {leave}
            </a>
          )}
        </div>
      </div>
    </dialog>
  );
}

let loading = false;

/** Asks nobody about unsent words: who sits here now is not who wrote them. */
function loadAnew(): void {
  if (loading) return;
  loading = true;
  window.addEventListener("beforeunload", (event) => event.stopImmediatePropagation(), true);
  location.reload();
}

/** The page's own way out knows where its event leads to. */
function leaveAsElsewhere(press: MouseEvent): void {
  const exit = document.querySelector<HTMLElement>("[data-exit]");
  if (!exit) return;
  press.preventDefault();
  exit.click();
}

/** @returns null where nobody is, undefined where nobody can say */
async function whoIsSignedIn(): Promise<string | null | undefined> {
  const answer = await fetch("/api/auth/session").catch(() => null);
  if (!answer?.ok) return undefined;
  const { user } = (await answer.json()) as { user?: { id: string } };
  return user?.id ?? null;
}
