import type { MailTestOutcome } from "#lib/admin/schema.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { composeTestMail } from "#lib/mail/messages.ts";
import { sendMail } from "#lib/mail/send.ts";
import type { Actor, PermissionSubject } from "#lib/operation/policy.ts";

type MailTestReport = {
  delivered: boolean;
  outcome: MailTestOutcome;
  message: string;
  milliseconds: number;
};

/**
 * Sends one mail at once, bypassing the queue, and reports whether the mail server accepted it, or the kind of
 * failure. Doesn't repeat the server's response, which quotes addresses and host names.
 * @param to recipient; the actor's own address when missing
 */
export async function sendTestMail(
  context: OperationContext<PermissionSubject, Actor>,
  to: string = context.actor.email,
): Promise<MailTestReport> {
  const { actor } = context;
  const start = performance.now();
  const outcome = await sendMail({
    to,
    message: composeTestMail({ url: env().baseUrl, locale: actor.locale }),
  }).then((): MailTestOutcome => (env().SMTP_URL ? "delivered" : "outbox"), classifyMailFailure);
  await runTransaction((tx) =>
    appendAuditEntry(
      tx,
      buildAuditEntry(
        context,
        "mail.test",
        { type: "mail", id: null },
        { outcome, toSelf: to === actor.email },
      ),
    ),
  );
  return {
    delivered: outcome === "delivered",
    outcome,
    message: OUTCOME_MESSAGES[outcome],
    milliseconds: Math.round(performance.now() - start),
  };
}

type MailFailure = { code?: string; responseCode?: number; command?: string };

const TLS_ERROR_CODES = /^(ETLS$|EREQUIRETLS$|EPROTO$|ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_)|SELF_SIGNED_CERT/;
const CONNECTION_ERROR_CODES =
  /^(ECONN\w+|ETIMEDOUT|ESOCKET|EDNS|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

/** Classifies a failure by the codes of the mail library, the network and SMTP. */
export function classifyMailFailure(thrown: unknown): MailTestOutcome {
  const { code = "", responseCode = 0, command = "" } = (thrown ?? {}) as MailFailure;
  const cause = ((thrown as { cause?: MailFailure } | null)?.cause?.code ?? "") as string;
  if (code === "EAUTH" || code === "ENOAUTH") return "login";
  if (responseCode >= 400 && responseCode < 500) return "later";
  if (code === "EENVELOPE") return command.startsWith("MAIL") ? "sender" : "recipient";
  if (responseCode >= 500) return "refused";
  if (TLS_ERROR_CODES.test(code) || TLS_ERROR_CODES.test(cause) || isCertificateError(thrown)) return "tls";
  if (CONNECTION_ERROR_CODES.test(code)) return "unreachable";
  return "failed";
}

/** The mail library reports a bad certificate as `ESOCKET`, like a closed port; only the message tells them apart. */
const isCertificateError = (thrown: unknown): boolean =>
  thrown instanceof Error && /certificate|wrong version number|ssl routines/i.test(thrown.message);

const OUTCOME_MESSAGES: Record<MailTestOutcome, string> = {
  delivered: "The mail server accepted the email. Check the inbox and the spam folder.",
  outbox: "No mail server is configured (SMTP_URL), so the email was saved in the outbox folder.",
  unreachable: "The mail server can't be reached. Check the host and port in SMTP_URL, and the firewall.",
  tls: "A secure connection to the mail server couldn't be made. Check its certificate, and whether SMTP_URL should start with smtp or smtps.",
  login: "The mail server didn't accept the user name and password of SMTP_URL.",
  sender: "The mail server doesn't accept email from this sender. Check MAIL_FROM.",
  recipient: "The mail server doesn't accept email to this address.",
  later: "The mail server asks to try again later. Queued emails are retried automatically.",
  refused: "The mail server rejected the email.",
  failed: "The email couldn't be sent, for an unknown reason. The service's log has more details.",
};
