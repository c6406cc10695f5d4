/**
 * The mails of the service. They are plain and neutral, and free of content: no report's title, text or
 * names, since a mail box is often shared or shown. Each says what to do when it comes unexpected.
 */

export type Message = { subject: string; text: string; html: string };

type Named = { name: string };
type WithLink = Named & { url: string; minutes: number };

/** A link that sets a new password. */
export const passwordReset = ({ name, url, minutes }: WithLink): Message =>
  compose("Set a new password", [
    greeting(name),
    "Someone, probably you, asked to set a new password for your Heed account. Open this link to choose one:",
    { link: url },
    `The link works once, for ${duration(minutes)}.`,
    "If it wasn't you, there is nothing to do: your password stays as it is.",
  ]);

/** Goes to the present address, which decides. */
export const emailChange = ({ name, url, minutes, newEmail }: WithLink & { newEmail: string }): Message =>
  compose("Confirm a new e-mail address", [
    greeting(name),
    `The e-mail address of your Heed account is to be changed to ${newEmail}. Open this link to confirm it:`,
    { link: url },
    `The link works once, for ${duration(minutes)}.`,
    "If you don't want this change, don't open the link: the address stays as it is.",
  ]);

export const emailChanged = ({ name }: Named): Message =>
  compose("Your e-mail address was changed", [
    greeting(name),
    "The e-mail address of your Heed account was changed. Mails now go to the new address.",
    "If you didn't expect this, tell the people who run this service.",
  ]);

export const passwordChanged = ({ name }: Named): Message =>
  compose("Your password was changed", [
    greeting(name),
    "The password of your Heed account was changed, and all other devices were signed out.",
    "If you didn't do this, set a new password with “Forgot password” on the sign-in page, and tell the people who run this service.",
  ]);

type Paragraph = string | { link: string };

function compose(subject: string, paragraphs: Paragraph[]): Message {
  const text = paragraphs.map((paragraph) => (typeof paragraph === "string" ? paragraph : paragraph.link));
  const body = paragraphs.map((paragraph) =>
    typeof paragraph === "string" ? html`<p>${paragraph}</p>` : linkOf(paragraph),
  );
  return {
    subject,
    text: `${text.join("\n\n")}\n`,
    html: `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${escape(subject)}</title></head><body>\n${body.join("\n")}\n</body></html>\n`,
  };
}

const linkOf = ({ link }: { link: string }): string => html`<p><a href="${link}">${link}</a></p>`;

/** Fills values into markup as text, never as markup. */
const html = (markup: TemplateStringsArray, ...values: string[]): string =>
  markup.reduce((out, part, at) => out + escape(values[at - 1] ?? "") + part);

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");

/**
 * Anyone can register a foreign address under any name and have mails sent there: a name that could carry
 * a message or a link of its own isn't repeated.
 */
function greeting(name: string): string {
  const plain = /^[\p{L}\p{M}\p{N} .,'’-]{1,60}$/u.test(name) && !/\p{L}\.\p{L}{2,}|www\./iu.test(name);
  return plain ? `Hello ${name.trim()},` : "Hello,";
}

const duration = (minutes: number): string => {
  if (minutes >= 120 && minutes % 60 === 0) return `${minutes / 60} hours`;
  return minutes === 1 ? "one minute" : `${minutes} minutes`;
};
