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
 * Returns whether the time of a history entry, as the team sees it, is no finer than the quarter of an hour, because
 * its reporter isn't named (contract 14.1). That of a message from the mailbox may be just after the message that it
 * replies to.
 */
export function isHistoryEntryTimeRounded({ action, actor, comment, createdAt }: Entry): boolean {
  if (comment?.fromMailbox) return true;
  if (actor) return false;
  return action === "submitted" ? isQuarterHour(createdAt) : MAILBOX_ACTIONS.includes(action);
}
