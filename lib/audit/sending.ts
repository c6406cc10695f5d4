import { prisma } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { parseAndVerifyCheckpoint } from "#lib/audit/checkpoints.ts";
import { composeAuditCheckpointMail } from "#lib/mail/messages.ts";
import { sendMail } from "#lib/mail/send.ts";

/**
 * Sends checkpoints to where the operator stores them (AUDIT_CHECKPOINT_URL), out of reach of someone who has
 * the database.
 */

const TIMEOUT_MS = 10_000;

/** The receiver didn't accept a checkpoint; the job is retried. */
export class CheckpointDeliveryError extends Error {
  override readonly name = "CheckpointDeliveryError";
}

/**
 * Mails a checkpoint, with its signed line attached. Does nothing if the checkpoint was sent already, or
 * AUDIT_CHECKPOINT_URL isn't a mail address anymore.
 */
export async function mailCheckpoint(number: number): Promise<void> {
  const line = await readUnsentLine(number);
  const url = env().AUDIT_CHECKPOINT_URL;
  if (line === undefined || !url?.startsWith("mailto:")) return;
  const checkpoint = parseAndVerifyCheckpoint(line, [])?.checkpoint;
  if (!checkpoint) throw new Error("the row is no checkpoint");
  const attachment = { filename: `heed-audit-checkpoint-${number}.jsonl`, content: `${line}\n` };
  const to = decodeURIComponent(url.slice("mailto:".length));
  await sendMail({ to, message: { ...composeAuditCheckpointMail(checkpoint), attachments: [attachment] } });
  await markCheckpointSent(number);
}

/** Posts a checkpoint's line. @throws CheckpointDeliveryError for a response other than 2xx, and without a response */
export async function postCheckpoint(number: number): Promise<void> {
  const line = await readUnsentLine(number);
  const url = env().AUDIT_CHECKPOINT_URL;
  if (line === undefined || !url || url.startsWith("mailto:")) return;
  const { target, authorization } = splitCredentials(url);
  const response = await fetch(target, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(authorization ? { authorization } : {}) },
    body: `${line}\n`,
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => undefined);
  await response?.body?.cancel();
  if (!response?.ok) throw new CheckpointDeliveryError("the receiver did not accept the checkpoint");
  await markCheckpointSent(number);
}

/** Moves a name and password in the URL to the Authorization header. */
function splitCredentials(url: string): { target: string; authorization?: string } {
  const target = new URL(url);
  const { username, password } = target;
  target.username = target.password = "";
  if (!username && !password) return { target: target.href };
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { target: target.href, authorization: `Basic ${Buffer.from(text).toString("base64")}` };
}

async function readUnsentLine(number: number): Promise<string | undefined> {
  const checkpoint = await prisma.auditCheckpoint.findUnique({
    where: { number, sentAt: null },
    select: { line: true },
  });
  return checkpoint?.line;
}

async function markCheckpointSent(number: number): Promise<void> {
  await prisma.auditCheckpoint.updateMany({ where: { number }, data: { sentAt: new Date() } });
}
