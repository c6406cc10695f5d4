"use client";

import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useLockedDialog } from "#components/ui/locked-dialog.ts";
import { ReopenablePageCover, type ReopenablePageCoverTexts } from "#components/shell/page-cover.tsx";
import { reloadWithoutPrompt } from "#components/shell/reload-page.ts";

const PATH = "/mailbox";
const CHANNEL_NAME = "heed-locked";
/** How often a covered page asks whether it is open again. */
const CHECK_INTERVAL_MS = 5000;

type Props = {
  tag: string;
  /** Texts of the cover over a page with unsent text; `leave` where the page has a quick exit. */
  cover: ReopenablePageCoverTexts;
};

/**
 * Reloads the page of an opened mailbox once it was locked in another tab or has expired, and replaces the
 * page once another mailbox is open on this device. Asks the service which one is open when another tab
 * sends a message, and whenever the page is shown again. A page with unsent text is covered instead of reloaded, until
 * the same mailbox is open again: nobody else can then read the page, and the text isn't lost.
 */
export function MailboxLockReloader({ tag, cover }: Props) {
  const [isCovered, setIsCovered] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  const closeCover = useLockedDialog(dialog, isCovered);
  const check = useEffectEvent(async () => {
    const opened = await fetchOpenedTag();
    if (opened === "" && hasUnsentContent()) return setIsCovered(true);
    if (opened !== tag) return leaveUnlessUnsent(opened);
    closeCover();
    setIsCovered(false);
  });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    document.addEventListener("visibilitychange", () => void (document.hidden || check()), { signal });
    window.addEventListener("pageshow", ({ persisted }) => void (persisted && check()), { signal });
    const channel = openChannel();
    // A hidden tab reloads, too, so that its content is gone.
    channel?.addEventListener("message", () => void check());
    return () => {
      controller.abort();
      channel?.close();
    };
  }, []);
  useEffect(() => {
    if (!isCovered) return;
    const timer = setInterval(() => void (document.hidden || check()), CHECK_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [isCovered]);
  return isCovered ? <ReopenablePageCover ref={dialog} href={PATH} texts={cover} /> : null;
}

/** Announces to the other tabs that this device has locked its mailbox. */
export function MailboxLockBroadcaster() {
  useEffect(() => {
    const channel = openChannel();
    channel?.postMessage(PATH);
    channel?.close();
  }, []);
  return null;
}

const openChannel = (): BroadcastChannel | undefined =>
  typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel(CHANNEL_NAME);

/**
 * Leaves the page of a mailbox that isn't open anymore; stays without a connection. A page with unsent
 * content also stays while another mailbox is open: the service doesn't send that text to the other one,
 * and the form shows it again.
 */
function leaveUnlessUnsent(opened: string | null): void {
  if (opened === null || hasUnsentContent()) return;
  if (opened === "") reloadWithoutPrompt();
  else location.replace(`${PATH}?done=other`);
}

/** Returns whether a text is written or a file is chosen. */
const hasUnsentContent = (): boolean =>
  [...document.querySelectorAll<HTMLTextAreaElement | HTMLInputElement>("textarea, input[type=file]")].some(
    ({ value }) => value.trim() !== "",
  );

/**
 * Fetches the tag of the mailbox that is open on this device; blank if none is, null if the service
 * doesn't respond.
 */
async function fetchOpenedTag(): Promise<string | null> {
  try {
    const response = await fetch(`${PATH}/opened`, { cache: "no-store" });
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}
