"use client";

import { useEffect } from "react";
import { broadcastAccount, NO_ACCOUNT } from "#components/shell/signed-in-account.ts";

/** Tells the other tabs of a device that is handed over to cover what they show of the team's pages. */
export function HandedOverAnnouncement() {
  useEffect(() => broadcastAccount(NO_ACCOUNT), []);
  return null;
}
