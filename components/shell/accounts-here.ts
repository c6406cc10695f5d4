/** Pages of one browser tell one another whose they are, so that none goes on showing what is somebody else's by now. */

const NAME = "heed-account";
/** In place of an account: whoever it was has just signed out. */
export const NOBODY = "";

/** Tells the other pages of this browser. @param account id, or NOBODY */
export function tellAccount(account: string): void {
  if (typeof BroadcastChannel === "undefined") return;
  const others = new BroadcastChannel(NAME);
  others.postMessage(account);
  others.close();
}

/** Hears whose the other pages are, as they say so. @returns a function that ends it */
export function hearAccounts(hear: (account: string) => void): () => void {
  if (typeof BroadcastChannel === "undefined") return () => {};
  const others = new BroadcastChannel(NAME);
  others.addEventListener("message", ({ data }: MessageEvent<string>) => hear(data));
  return () => others.close();
}
