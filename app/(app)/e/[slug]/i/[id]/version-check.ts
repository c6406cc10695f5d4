import type { LiveUpdate } from "#components/live/live.ts";

/**
 * Why an open page checks the version of its incident: events may have been missed, or one announced a change, which may
 * have left the version as it was.
 */
export type VersionCheckReason = "missedEvents" | "change" | "changeWithoutVersion";

/** Kinds of changes that may leave the incident's version unchanged: a message, or the withdrawal of a report. */
const VERSIONLESS_KINDS = new Set(["message.created", "incident.changed"]);

/** Returns why a live event leads to a check of the incident's version; undefined if it doesn't. */
export function findVersionCheckReason(news: LiveUpdate, incidentId: string): VersionCheckReason | undefined {
  if (news.type === "connection") return news.up ? "missedEvents" : undefined;
  if (news.type === "reload") return "change";
  if (news.type !== "change" || news.incidentId !== incidentId) return undefined;
  return VERSIONLESS_KINDS.has(news.kind) ? "changeWithoutVersion" : "change";
}

/**
 * Returns whether a page shows an old version. The current version is blank if the reader's inbox doesn't have the
 * incident, which tells something only after an event: not everybody who may read an incident has it there.
 */
export function isPageOutdated(
  { shown, current }: { shown: string; current: string },
  reasons: ReadonlySet<VersionCheckReason>,
): boolean {
  const wasAnnounced = reasons.has("change") || reasons.has("changeWithoutVersion");
  return reasons.has("changeWithoutVersion") || (current !== shown && (current !== "" || wasAnnounced));
}
