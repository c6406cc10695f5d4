import fs from "node:fs";
import path from "node:path";
import type { SharedService } from "./service.ts";
import { waitUntil } from "./wait.ts";

/** Mails that the service writes to its outbox folder, or sends to the mail server of a test. */

/** Where the mails of a service are: `receivedMails` returns their sources, oldest first, where it has a mail server. */
type MailSource = Pick<SharedService, "dataDir"> & { receivedMails?: () => string[] };

export type Mail = { file: string; to: string; subject: string; text: string; links: string[] };

/** Reads every mail so far, oldest first. */
export function readMails(service: MailSource): Mail[] {
  if (service.receivedMails)
    return service.receivedMails().map((source, at) => parseMail(`${at}`, source.replaceAll("\n", "\r\n")));
  const folder = path.join(service.dataDir, "outbox");
  if (!fs.existsSync(folder)) return [];
  const names = fs.readdirSync(folder).filter((name) => name.endsWith(".eml"));
  return names.sort().map((name) => readMailOnce(path.join(folder, name)));
}

/** Mails that were read before. The files of a worker share an outbox, which tests read again and again. */
const mailsRead = new Map<string, Mail>();

/** Reads a mail, whose file never changes: while it is written, it has another name. */
function readMailOnce(file: string): Mail {
  const mail = mailsRead.get(file) ?? parseMail(path.basename(file), fs.readFileSync(file, "utf8"));
  mailsRead.set(file, mail);
  return mail;
}

/** Waits until there are `count` mails to the address, and returns them. */
export const waitForMails = (service: MailSource, email: string, count = 1): Promise<Mail[]> =>
  waitUntil(`${count} mail(s) to an address`, () => {
    const found = readMails(service).filter(({ to }) => to === email);
    return found.length >= count ? found : undefined;
  });

/** Waits for `count` mails to the address, and returns the token of the reset link in the newest. */
export const waitForResetToken = (service: MailSource, email: string, count = 1): Promise<string> =>
  waitForNewestToken(service, email, { count, path: "/reset-password" });

/** Waits for a mail, and returns the token of the link that confirms an address. */
export const waitForVerificationToken = (service: MailSource, email: string, count = 1): Promise<string> =>
  waitForNewestToken(service, email, { count, path: "/verify-email" });

async function waitForNewestToken(
  service: MailSource,
  email: string,
  { count, path: page }: { count: number; path: string },
): Promise<string> {
  const links = (await waitForMails(service, email, count)).flatMap((mail) => mail.links);
  const link = links.findLast((one) => one.includes(`${page}?token=`));
  return new URL(link ?? "http://missing/?token=").searchParams.get("token") ?? "";
}

function parseMail(file: string, source: string): Mail {
  const [head = "", ...rest] = source.split("\r\n\r\n");
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, "mi").exec(head)?.[1]?.trim() ?? "";
  const text = decodeQuotedPrintable(rest.join("\r\n\r\n"));
  const links = [...new Set(text.match(/https?:\/\/[^\s"<>]+/g) ?? [])];
  return { file, to: header("To"), subject: header("Subject"), text, links };
}

function decodeQuotedPrintable(text: string): string {
  const bytes = text
    .replace(/=\r?\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
