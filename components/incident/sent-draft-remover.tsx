"use client";

import { useEffect } from "react";
import { deleteStoredReportDrafts } from "./traces.ts";

/**
 * Deletes the draft of a report that was sent under another name than it was saved: somebody may have begun it without
 * an account, under the name that everybody on the device shares.
 */
export function SentDraftRemover({ draftName }: { draftName: string }) {
  useEffect(() => deleteStoredReportDrafts(draftName), [draftName]);
  return null;
}
