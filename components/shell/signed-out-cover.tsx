"use client";

import { type MouseEvent, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { useWords } from "#words";
import { connectAgain } from "#components/live/live.ts";
import { useNews } from "#components/live/use-news.ts";
import { buttonClass } from "#components/ui/button-class.ts";

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
  // Somebody may have signed in meanwhile, in another tab.
  const look = useEffectEvent(async () => {
    const id = await whoIsSignedIn();
    if (id === null) return;
    if (id !== account) return location.reload();
    // Closed, not just removed: the focus goes back to where it was.
    over.current?.abort();
    cover.current?.close();
    setCovered(false);
    connectAgain();
  });

  useNews((news) => {
    if (news.type === "signedOut") setCovered(true);
    // Another tab has a session again.
    else if (covered && news.type === "connection" && news.up) void look();
  });

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
    document.addEventListener("visibilitychange", () => void (document.hidden || look()), { signal });
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

/** The page's own way out knows where its event leads to. */
function leaveAsElsewhere(press: MouseEvent): void {
  const exit = document.querySelector<HTMLElement>("[data-exit]");
  if (!exit) return;
  press.preventDefault();
  exit.click();
}

/** @returns null where nobody is, or nobody can be asked */
async function whoIsSignedIn(): Promise<string | null> {
  const answer = await fetch("/api/auth/session").catch(() => null);
  if (!answer?.ok) return null;
  const { user } = (await answer.json()) as { user?: { id: string } };
  return user?.id ?? null;
}
