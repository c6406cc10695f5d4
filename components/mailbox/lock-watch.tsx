"use client";

import { useEffect } from "react";
import { reloadWithoutPrompt } from "#components/shell/reload-page.ts";

/** Where the content of a page is read that a cookie opens on this device. */
type OpenedPath = "/api/mailbox" | "/api/letterbox";

const CHANNEL_NAME = "heed-locked";

/** Reloads an opened page once another tab has locked it, and asks the service whenever the page is shown again. */
export function LockWatch({ path }: { path: OpenedPath }) {
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
    // Even a tab that nobody looks at forgets what it shows.
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

/** Tells the other tabs that nothing is open on this device. */
export function LockAnnouncement({ path }: { path: OpenedPath }) {
  useEffect(() => {
    const channel = openChannel();
    channel?.postMessage(path);
    channel?.close();
  }, [path]);
  return null;
}

const openChannel = (): BroadcastChannel | undefined =>
  typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel(CHANNEL_NAME);

/** Whether the service says that nothing is open; without a connection, nobody knows. */
const isLocked = (path: OpenedPath): Promise<boolean> =>
  fetch(path, { cache: "no-store" }).then(
    ({ status }) => status === 401,
    () => false,
  );
