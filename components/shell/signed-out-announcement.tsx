"use client";

import { useEffect } from "react";
import { broadcastSignedInAccount, SIGNED_OUT_ACCOUNT_ID } from "./signed-in-account.ts";

/**
 * Announces to the other tabs that the account has signed out, once it is done: a tab that checked while the sign-out
 * was under way has found the session.
 */
export function SignedOutAnnouncement(): null {
  useEffect(() => broadcastSignedInAccount(SIGNED_OUT_ACCOUNT_ID), []);
  return null;
}
