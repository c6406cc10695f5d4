/**
 * Tells the other tabs of this browser which account each page belongs to, so that none keeps showing another
 * account's content, and asks the service who is signed in.
 */

const CHANNEL_NAME = "heed-account";
/** Sent in place of an account id: the account has just signed out. */
export const SIGNED_OUT_ACCOUNT_ID = "";

/**
 * Announces the account to the other tabs.
 * @param account id, or SIGNED_OUT_ACCOUNT_ID
 */
export function broadcastSignedInAccount(account: string): void {
  if (typeof BroadcastChannel === "undefined") return;
  const channel = new BroadcastChannel(CHANNEL_NAME);
  channel.postMessage(account);
  channel.close();
}

/**
 * Calls `onAccount` with the accounts that other tabs announce.
 * @returns a function that unsubscribes
 */
export function subscribeToSignedInAccount(onAccount: (account: string) => void): () => void {
  if (typeof BroadcastChannel === "undefined") return () => {};
  const channel = new BroadcastChannel(CHANNEL_NAME);
  channel.addEventListener("message", ({ data }: MessageEvent<string>) => onAccount(data));
  return () => channel.close();
}

/**
 * Returns who is signed in now, which may have changed in another tab: no report may be sent in another
 * account's name.
 * @returns id of the account; null if signed out; undefined if unknown
 */
export async function fetchSignedInUserId(signal?: AbortSignal): Promise<string | null | undefined> {
  try {
    const response = await fetch("/api/auth/session", { signal });
    if (!response.ok) return undefined;
    const session = (await response.json()) as { authenticated?: boolean; user?: { id?: string } };
    return session.authenticated ? session.user?.id : null;
  } catch {
    return undefined;
  }
}
