"use client";

import { useEffect } from "react";
import { reloadWithoutPrompt } from "#components/shell/reload-page.ts";

/** The page of an opened mailbox or letterbox. */
type OpenedPath = "/mailbox" | "/letterbox";

const CHANNEL_NAME = "heed-locked";

/**
 * Reloads the page of an opened mailbox or letterbox once it was locked in another tab, and replaces the page once
 * another mailbox or letterbox is open on this device. Asks the service which one is open when another tab sends a
 * message, and whenever the page is shown again.
 */
export function MailboxOrLetterboxLockReloader({ path, tag }: { path: OpenedPath; tag: string }) {
  useEffect(() => {
    const check = async () => {
      if (!document.hidden) await leaveUnlessOpen(path, tag);
    };
    const controller = new AbortController();
    document.addEventListener("visibilitychange", () => void check(), { signal: controller.signal });
    window.addEventListener("pageshow", ({ persisted }) => persisted && void check(), {
      signal: controller.signal,
    });
    const channel = openChannel();
    // A hidden tab reloads, too, so that its content is gone.
    channel?.addEventListener("message", async ({ data }: MessageEvent<OpenedPath>) => {
      if (data === path) await leaveUnlessOpen(path, tag);
    });
    return () => {
      controller.abort();
      channel?.close();
    };
  }, [path, tag]);
  return null;
}

/** Announces to the other tabs that this device has locked its mailbox or letterbox. */
export function MailboxOrLetterboxLockBroadcaster({ path }: { path: OpenedPath }) {
  useEffect(() => {
    const channel = openChannel();
    channel?.postMessage(path);
    channel?.close();
  }, [path]);
  return null;
}

const openChannel = (): BroadcastChannel | undefined =>
  typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel(CHANNEL_NAME);

/**
 * Leaves the page unless its mailbox or letterbox is the one that is open on this device; stays without a connection. A
 * page with unsent text also stays while another mailbox or letterbox is open: the service doesn't send that text to
 * the other one, and the form shows it again.
 */
async function leaveUnlessOpen(path: OpenedPath, tag: string): Promise<void> {
  const opened = await fetchOpenedTag(path);
  if (opened === null || opened === tag) return;
  if (opened === "") return reloadWithoutPrompt();
  if (!hasWrittenText()) location.replace(`${path}?done=other`);
}

const hasWrittenText = (): boolean =>
  [...document.querySelectorAll("textarea")].some(({ value }) => value.trim() !== "");

/**
 * Fetches the tag of the mailbox or letterbox that is open on this device; blank if none is, null if the service
 * doesn't respond.
 */
async function fetchOpenedTag(path: OpenedPath): Promise<string | null> {
  try {
    const response = await fetch(`${path}/opened`, { cache: "no-store" });
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}
