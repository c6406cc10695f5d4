"use client";

import { useEffect } from "react";
import { reloadWithoutPrompt } from "#components/shell/reload-page.ts";

/** The API path of an opened mailbox or letterbox. */
type OpenedPath = "/api/mailbox" | "/api/letterbox";

const CHANNEL_NAME = "heed-locked";

/**
 * Reloads the page of an opened mailbox or letterbox once it was locked in another tab. Checks this with the service on
 * a message from another tab, and whenever the page is shown again.
 */
export function ReloadWhenLocked({ path }: { path: OpenedPath }) {
  useEffect(() => {
    const check = async () => {
      if (!document.hidden && (await isLocked(path))) reloadWithoutPrompt();
    };
    const controller = new AbortController();
    document.addEventListener("visibilitychange", () => void check(), { signal: controller.signal });
    window.addEventListener("pageshow", ({ persisted }) => persisted && void check(), {
      signal: controller.signal,
    });
    const channel = openChannel();
    // A hidden tab reloads, too, so that its content is gone.
    channel?.addEventListener("message", async ({ data }: MessageEvent<OpenedPath>) => {
      if (data === path && (await isLocked(path))) reloadWithoutPrompt();
    });
    return () => {
      controller.abort();
      channel?.close();
    };
  }, [path]);
  return null;
}

/** Announces to the other tabs that this device has locked its mailbox or letterbox. */
export function AnnounceLock({ path }: { path: OpenedPath }) {
  useEffect(() => {
    const channel = openChannel();
    channel?.postMessage(path);
    channel?.close();
  }, [path]);
  return null;
}

const openChannel = (): BroadcastChannel | undefined =>
  typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel(CHANNEL_NAME);

/** Returns whether the service reports that none is open; false without a connection. */
const isLocked = (path: OpenedPath): Promise<boolean> =>
  fetch(path, { cache: "no-store" }).then(
    ({ status }) => status === 401,
    () => false,
  );
