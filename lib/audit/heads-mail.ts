import { parseHeads, recordAuditHeads } from "#lib/audit/heads.ts";
import { listAcceptances } from "#lib/audit/acceptances.ts";
import { prisma } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { composeAuditHeadsMail } from "#lib/mail/messages.ts";
import { sendMail } from "#lib/mail/send.ts";

/** The key of `installation_metadata` under which the time of the last mail is. */
export const LAST_AUDIT_MAIL_KEY = "last-audit-mail";

/** A mail names what was accepted since the one before it, and in case that was late, a day more. */
const ACCEPTANCES_MS = 48 * 3600_000;

/** Mails the signed heads to the operator's address, out of reach of whoever runs the database; nothing without one. */
export async function mailAuditHeads(): Promise<void> {
  const to = env().AUDIT_MAIL_TO;
  if (!to) return;
  const { line } = await recordAuditHeads();
  const heads = parseHeads(line, [])?.heads;
  if (!heads) throw new Error("the heads can't be read");
  const since = new Date(Date.now() - ACCEPTANCES_MS).toISOString();
  const accepted = (await listAcceptances()).filter(({ at }) => at > since);
  const message = composeAuditHeadsMail({
    at: heads.at,
    chains: heads.heads.length,
    lost: heads.lost.length,
    isRestored: accepted.some(({ backupTakenAt }) => backupTakenAt !== undefined),
    isAnchored: accepted.some(({ backupTakenAt }) => backupTakenAt === undefined),
  });
  const attachment = { filename: `heed-audit-heads-${heads.at.slice(0, 10)}.jsonl`, content: `${line}\n` };
  await sendMail({ to, message: { ...message, attachments: [attachment] } });
  const value = new Date().toISOString();
  await prisma.installationMetadata.upsert({
    where: { key: LAST_AUDIT_MAIL_KEY },
    create: { key: LAST_AUDIT_MAIL_KEY, value },
    update: { value },
  });
}
