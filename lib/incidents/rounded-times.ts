import { isQuarterHour } from "#lib/design/time.ts";

/** Actions of a reporter in the mailbox. */
const MAILBOX_ACTIONS: readonly string[] = ["file.added", "withdrawn", "mailbox.closed"];

type Entry = {
  action: string;
  actor: object | null;
  comment: { fromMailbox: boolean } | null;
  createdAt: string;
};

/**
 * Returns whether the team sees the time of a history entry rounded to the quarter of an hour, because the reporter
 * isn't named (contract 14.1). A message from the mailbox may instead have a time just after the message that it
 * replies to.
 */
export function isHistoryEntryTimeRounded({ action, actor, comment, createdAt }: Entry): boolean {
  if (comment?.fromMailbox) return true;
  if (actor) return false;
  return action === "submitted" ? isQuarterHour(createdAt) : MAILBOX_ACTIONS.includes(action);
}
