import { assertSameOriginToSetCookies } from "#lib/accounts/sessions.ts";
import {
  listMistypedReceiptTerms,
  hashReceipt,
  normalizeReceipt,
  RECEIPT_WORD_COUNT,
} from "#lib/crypto/receipt.ts";
import { prisma } from "#lib/database/client.ts";
import { runThrottledReceiptLookup, type ProofOfWorkSolution } from "#lib/conversations/lookup-lane.ts";
import type { ReporterMailboxSubject } from "#lib/conversations/scope.ts";
import {
  createExpiredMailboxCookie,
  describeOpened,
  sealMailboxCookie,
  type MailboxSession,
} from "#lib/incidents/mailbox-session.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { AppError, InvalidInputError } from "#lib/operation/errors.ts";
import type { OperationCall } from "#lib/operation/operation.ts";

/** Opening a mailbox with its seven words, saving them, and leaving it. */

type ReporterContext = ReporterMailboxSubject & { call: OperationCall };

/**
 * Opens a mailbox with its words. Hits and misses take the same time, and neither writes anything.
 * @throws InvalidInputError for words that can't open anything; AppError NOT_FOUND, SERVICE_UNAVAILABLE, CSRF_REJECTED
 */
export async function openMailbox(
  call: OperationCall,
  { words: typed, proof }: { words: string; proof?: ProofOfWorkSolution | undefined },
): Promise<void> {
  assertSameOriginToSetCookies(call);
  const words = parseWords(typed);
  const cookie = await runThrottledReceiptLookup({ address: call.address, proof }, async () => {
    const session = await findConversation(words);
    return session && sealMailboxCookie(session);
  });
  if (!cookie) throw new AppError("NOT_FOUND", "noMailboxWithWords");
  call.setCookie(cookie);
}

function parseWords(typed: string): string {
  const words = normalizeReceipt(typed);
  const parts = words.split(" ").filter(Boolean);
  if (parts.length !== RECEIPT_WORD_COUNT)
    throw new InvalidInputError({
      words: createFieldProblem("mustBeReceipt", { count: RECEIPT_WORD_COUNT }),
    });
  const [unknown] = listMistypedReceiptTerms(words);
  if (unknown !== undefined)
    throw new InvalidInputError({
      words: createFieldProblem("unlistedReceiptWord", { number: parts.indexOf(unknown) + 1 }),
    });
  return words;
}

async function findConversation(words: string): Promise<MailboxSession | null> {
  const found = await prisma.conversation.findUnique({
    where: { wordsHash: hashReceipt(words) },
    select: { id: true },
  });
  return found && describeOpened(found.id, words);
}

/**
 * Records in the cookie that the words were downloaded, printed or copied on this device. Does nothing on a team
 * member's device, where the reporter types two of the words instead.
 */
export async function recordReceiptSavedInCookie({ call, session }: ReporterContext): Promise<void> {
  if (session.handOverUntil !== undefined) return;
  call.setCookie(await sealMailboxCookie({ ...session, saved: true }));
}

/**
 * Ends the display of the words, once they were saved on this device or the person typed two of them. A team member's
 * device then forgets them, and they can't be requested again.
 * @throws InvalidInputError for a wrong word, or when the words were neither saved nor typed
 */
export async function endReceiptDisplay(
  { call, session, conversationId }: ReporterContext,
  typed: Readonly<Record<string, string>>,
): Promise<void> {
  if (session.receipt !== undefined) assertReceiptSaved(session, typed);
  if (session.handOverUntil !== undefined) {
    await prisma.conversation.updateMany({ where: { id: conversationId }, data: { handingOver: false } });
    return leaveMailbox(call);
  }
  await prisma.conversation.updateMany({ where: { id: conversationId }, data: { confirmed: true } });
  const { endsAt, wordsHash } = session;
  call.setCookie(await sealMailboxCookie({ conversationId, wordsHash, endsAt }));
}

function assertReceiptSaved(
  { receipt = "", saved }: MailboxSession,
  typed: Readonly<Record<string, string>>,
): void {
  if (saved) return;
  const parts = receipt.split(" ");
  const answers = Object.entries(typed).filter(([, word]) => word.trim() !== "");
  const wrong = answers.find(([place, word]) => normalizeReceipt(word) !== parts[Number(place) - 1]);
  if (wrong) throw new InvalidInputError({ [`word${wrong[0]}`]: createFieldProblem("wrongReceiptWord") });
  if (new Set(answers.map(([place]) => place)).size < 2)
    throw new InvalidInputError({
      receipt: createFieldProblem("receiptNotSaved"),
    });
}

/** Ends the session of the mailbox on this device; the words open it again. */
export const leaveMailbox = (call: OperationCall): void => call.setCookie(createExpiredMailboxCookie());
