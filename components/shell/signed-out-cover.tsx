"use client";

import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useTranslator } from "#i18n";
import { reconnectLiveUpdates } from "#components/live/live.ts";
import { useLiveUpdates } from "#components/live/use-live-events.ts";
import { useLockedDialog } from "#components/ui/locked-dialog.ts";
import { ReopenablePageCover } from "./page-cover.tsx";
import { reloadWithoutPrompt } from "./reload-page.ts";
import {
  broadcastSignedInAccount,
  fetchSignedInUserId,
  subscribeToSignedInAccount,
} from "./signed-in-account.ts";

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
  const closeCover = useLockedDialog(cover, covered);
  const connected = useRef(true);
  // Another tab may have signed out, or signed in as somebody else.
  const checkSession = async () => {
    const id = await fetchSignedInUserId();
    if (id === undefined || (id === account && !covered)) return;
    if (id !== account) setCovered(true);
    if (id === null) return;
    if (id !== account) return reloadWithoutPrompt();
    closeCover();
    setCovered(false);
    reconnectLiveUpdates();
  };

  useLiveUpdates((news) => {
    if (news.type === "signedOut") setCovered(true);
    if (news.type !== "connection" || news.up === connected.current) return;
    // The connection drops when the session ends, and comes back with whichever session the browser has by
    // then.
    connected.current = news.up;
    void checkSession();
  });
  useOtherTabs(account, checkSession);
  useRepeatedCheck(covered, checkSession);

  if (!covered) return null;
  const texts = { title: t("signedOut.title"), text: t("signedOut.text"), open: ui("signInNewTab"), leave };
  return <ReopenablePageCover ref={cover} href="/login?next=%2Fsigned-in" texts={texts} />;
}

/** Announces the account to other tabs. Checks the session if one announces another, or when this tab is shown. */
function useOtherTabs(account: string, checkSession: () => Promise<void>): void {
  const check = useEffectEvent(checkSession);
  useEffect(() => {
    const onVisibilityChange = () => void (document.hidden || check());
    document.addEventListener("visibilitychange", onVisibilityChange);
    broadcastSignedInAccount(account);
    const end = subscribeToSignedInAccount((other) => void (other === account || check()));
    return () => {
      document.removeEventListener("visibilitychange", onVisibilityChange);
      end();
    };
  }, [account]);
}

/** Checks the session again and again while the page is covered. */
function useRepeatedCheck(covered: boolean, checkSession: () => Promise<void>): void {
  const check = useEffectEvent(checkSession);
  useEffect(() => {
    if (!covered) return;
    const onFocus = () => void check();
    window.addEventListener("focus", onFocus);
    const checkTimer = setInterval(() => void (document.hidden || check()), CHECK_INTERVAL_MS);
    return () => {
      window.removeEventListener("focus", onFocus);
      clearInterval(checkTimer);
    };
  }, [covered]);
}
