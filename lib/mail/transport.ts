import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import nodemailer from "nodemailer";
import { env } from "#lib/env.ts";
import { writeLogLineWithoutLogger } from "#lib/observability/log-line.ts";
import type { MailMessage } from "./messages.ts";

type OutgoingMail = { to: string; message: MailMessage };
type MailTransport = { send(mail: OutgoingMail): Promise<void> };

let currentTransport: MailTransport | undefined;

/** Returns how this process sends mail: over SMTP_URL if set, otherwise as .eml files in the outbox folder. */
export function getMailTransport(): MailTransport {
  const { SMTP_URL, dataDir } = env();
  currentTransport ??= SMTP_URL
    ? createSmtpTransport(SMTP_URL)
    : createFileTransport(path.join(dataDir, "outbox"));
  return currentTransport;
}

/** The longest time for sending one mail. A slower one is retried later, so that it doesn't hold up those behind it. */
const MAX_SEND_MS = 30_000;

/**
 * Uses one connection per mail. Gives up on a server that doesn't respond within 10 s, and on one that takes longer
 * than half a minute for a mail, however busily it talks. The connection is then destroyed with what was not yet sent:
 * a retried mail arrives twice only if the server already had all of it and didn't confirm it in time.
 */
export function createSmtpTransport(url: string, maxSendMs = MAX_SEND_MS): MailTransport {
  const mailer = nodemailer.createTransport({
    url,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    dnsTimeout: 10_000,
    // Destroys the connection at once: closing it gracefully would first send what is still buffered.
    socketCloseTimeout: 0,
    ...NO_EXTERNAL_CONTENT,
  });
  return {
    send: async (mail) => {
      const signal = AbortSignal.timeout(maxSendMs);
      await mailer.sendMail({ ...toNodemailerMail(mail), signal }).catch((error: unknown) => {
        throw signal.aborted ? createTimeoutError() : error;
      });
    },
  };
}

const createTimeoutError = () =>
  Object.assign(new Error("The mail server takes too long."), { code: "ETIMEDOUT" });

/** Writes each mail to `<time>-<uuid>.eml` in `folder`, atomically. */
function createFileTransport(folder: string): MailTransport {
  const composer = nodemailer.createTransport({
    streamTransport: true,
    buffer: true,
    newline: "windows",
    ...NO_EXTERNAL_CONTENT,
  });
  return {
    send: async (mail) => {
      const { message } = await composer.sendMail(toNodemailerMail(mail));
      // A file name can't hold a colon on every system.
      const time = new Date().toISOString().replaceAll(":", "-");
      await writeFileAtomically(path.join(folder, `${time}-${randomUUID()}.eml`), message as Buffer);
      printMailLinks(mail.message);
    },
  };
}

/** Attachments are never fetched from a path or an address. */
const NO_EXTERNAL_CONTENT = { disableFileAccess: true, disableUrlAccess: true };

const toNodemailerMail = ({ to, message }: OutgoingMail) => ({
  from: env().MAIL_FROM,
  to: { name: "", address: to },
  subject: message.subject,
  text: message.text,
  html: message.html,
  // Base64 preserves the exact bytes, which a signature may cover.
  attachments: message.attachments?.map((one) => ({
    ...one,
    contentTransferEncoding: "base64" as const,
  })),
  // Suppresses out-of-office replies (RFC 3834).
  headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
});

async function writeFileAtomically(file: string, bytes: Buffer): Promise<void> {
  const folder = path.dirname(file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const partial = path.join(folder, `.${path.basename(file)}.part`);
  try {
    const handle = await open(partial, "wx", 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** Prints the links of a mail in local mode, where the person at the keyboard is the mail's recipient. */
function printMailLinks({ subject, text, isNews }: MailMessage): void {
  if (env().production || !env().PRINT_MAIL_LINKS || isNews) return;
  const links = text.match(/https?:\/\/\S+/g);
  if (links) writeLogLineWithoutLogger("info", `Mail in the outbox, “${subject}”: ${links.join(" ")}`);
}
