/** A failure as the mail library reports it: its own code, the failed command, and the server's reply code. */
type SmtpFailure = { code?: string; command?: string; responseCode?: number };

/**
 * The mail server refused one mail: its recipient or its content. It accepted the connection, sign-in and sender, so
 * other mails may still be sent. The address is in no enumerable property and not in the message, so that no log can
 * hold it.
 */
export class MailRefusedError extends Error {
  override readonly name = "MailRefusedError";
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

  /** Returns whether a retry is useless; 4xx asks for one (RFC 5321, 4.2.1). */
  get isPermanent(): boolean {
    return this.responseCode === undefined || this.responseCode >= 500;
  }
}

/** The server ends the connection (RFC 5321, 3.8) or requires a sign-in (RFC 4954, 6), whatever the command. */
const SERVER_FAILURE_CODES = new Set([421, 454, 530, 534, 535, 538]);

/**
 * Returns a `MailRefusedError` for a failure that concerns this mail alone, such as its recipient; returns any other
 * failure unchanged.
 */
export function toMailRefusedOrOriginalError(thrown: unknown, recipient: string): unknown {
  const failure = (thrown ?? {}) as SmtpFailure;
  const { command, responseCode = 0 } = failure;
  const isAboutMail = (command === "RCPT TO" || command === "DATA") && responseCode >= 400;
  return isAboutMail && !SERVER_FAILURE_CODES.has(responseCode)
    ? new MailRefusedError(recipient, failure)
    : thrown;
}
