/** What the mail library tells of a failure: its own code, the command that failed, and the server's reply code. */
type SmtpFailure = { code?: string; command?: string; responseCode?: number };

/**
 * The mail server refused one mail: its recipient or its content. Connection, sign-in and sender were accepted, so other
 * mails may still be sent. The address is in no enumerable property and not in the message, so no log can hold it.
 */
export class MailRefused extends Error {
  override readonly name = "MailRefused";
  readonly code: string | undefined;
  readonly command: string | undefined;
  readonly responseCode: number | undefined;
  readonly #recipient: string;

  constructor(recipient: string, { code, command, responseCode }: SmtpFailure = {}, message?: string) {
    super(message ?? "the mail server refused a mail");
    this.#recipient = recipient;
    this.code = code;
    this.command = command;
    this.responseCode = responseCode;
  }

  get recipient(): string {
    return this.#recipient;
  }

  /** Is another try of no use? 4xx asks for one (RFC 5321, 4.2.1). */
  get isPermanent(): boolean {
    return this.responseCode === undefined || this.responseCode >= 500;
  }
}

/** The server ends the connection (RFC 5321, 3.8), or wants a sign-in (RFC 4954, 6), whatever command it says so to. */
const SERVER_FAILURE_CODES = new Set([421, 454, 530, 534, 535, 538]);

/** The failure as a `MailRefused` if it is about this mail alone, otherwise unchanged: then it is the server's. */
export function toMailRefusal(thrown: unknown, recipient: string): unknown {
  const failure = (thrown ?? {}) as SmtpFailure;
  const { command, responseCode = 0 } = failure;
  const isAboutMail = (command === "RCPT TO" || command === "DATA") && responseCode >= 400;
  return isAboutMail && !SERVER_FAILURE_CODES.has(responseCode)
    ? new MailRefused(recipient, failure)
    : thrown;
}
