/** Pages of one browser tell one another whose they are, so that none goes on showing what is somebody else's by now. */

const CHANNEL_NAME = "heed-account";
/** In place of an account: whoever it was has just signed out. */
export const SIGNED_OUT = "";

/** Tells the other pages of this browser. @param account id, or NOBODY */
export function broadcastAccount(account: string): void {
  if (typeof BroadcastChannel === "undefined") return;
  const channel = new BroadcastChannel(CHANNEL_NAME);
  channel.postMessage(account);
  channel.close();
}

/** Hears whose the other pages are, as they say so. @returns a function that ends it */
export function subscribeToAccounts(onAccount: (account: string) => void): () => void {
  if (typeof BroadcastChannel === "undefined") return () => {};
  const channel = new BroadcastChannel(CHANNEL_NAME);
  channel.addEventListener("message", ({ data }: MessageEvent<string>) => onAccount(data));
  return () => channel.close();
}
