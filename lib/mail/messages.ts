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

/** Goes to the new address, which proves that it is the owner's; they asked for it themselves. */
export const ownEmailChange = ({ name, url, minutes }: WithLink): Message =>
  compose("Confirm your new e-mail address", [
    greeting(name),
    "This is to become the e-mail address of your Heed account. Open this link to confirm it:",
    { link: url },
    `The link works once, for ${duration(minutes)}.`,
    "If you don't know of this, there is nothing to do: nothing changes without the link.",
  ]);

/** Goes to the present address at the same time. */
export const emailChangeAsked = ({ name }: Named): Message =>
  compose("Another e-mail address for your account", [
    greeting(name),
    "Another e-mail address was asked for on your Heed account, with your password. It holds once it is confirmed from there.",
    "If it wasn't you, set a new password with “Forgot password” on the sign-in page, and tell the people who run this service.",
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

export const newDevice = ({ name }: Named): Message =>
  compose("A new device signed in", [
    greeting(name),
    "Someone signed in to your Heed account on a device that wasn't used for it before. If it was you, there is nothing to do.",
    "If it wasn't you, set a new password with “Forgot password” on the sign-in page: that signs every device out.",
  ]);

export const secondFactorOn = ({ name }: Named): Message =>
  compose("Your second factor is on", [
    greeting(name),
    "Signing in to your Heed account now takes a code of your app as well. Keep the recovery codes in a safe place.",
    IF_NOT_YOU,
  ]);

export const secondFactorOff = ({ name }: Named): Message =>
  compose("Your second factor is off", [
    greeting(name),
    "Signing in to your Heed account takes the password alone again.",
    IF_NOT_YOU,
  ]);

export const recoveryCodeUsed = ({ name }: Named): Message =>
  compose("A recovery code was used", [
    greeting(name),
    "Someone signed in to your Heed account with a recovery code. It can't be used again. If few are left, make new ones in your account.",
    IF_NOT_YOU,
  ]);

const IF_NOT_YOU =
  "If you didn't do this, set a new password with “Forgot password” on the sign-in page, and tell the people who run this service.";

/** The last mail: the account that it speaks of is gone. */
export const accountDeleted = (): Message =>
  compose("Your account was deleted", [
    greeting(""),
    "Your Heed account was deleted. Reports that you sent stay with the teams that received them, without your name.",
    "If you didn't do this, tell the people who run this service.",
  ]);

type Told = Named & { listUrl: string };

/** What kind of thing happened, without a title, a name or a word of it. */
const NEWS = {
  "incident.created": "There is a new report",
  "incident.escalated": "A report needs attention soon",
  "incident.assigned": "A report was assigned to you",
  "incident.state": "A report has a new state",
  "message.created": "There is a new message",
  "note.created": "There is a new note of the team",
  "file.added": "There is a new file",
  "role.changed": "A role has changed",
  "invite.changed": "An invite has changed",
} as const;

type News = Told & { kind: keyof typeof NEWS; place: string; url: string };

/** Something happened somewhere: of which kind, and where; to whom is said only after signing in (beyond 15). */
export const somethingNew = ({ name, kind, place, url, listUrl }: News): Message =>
  compose("Something new for you", [
    greeting(name),
    `${NEWS[kind]} in ${plainPlace(place)}:`,
    { link: url },
    ...howToChange(listUrl),
  ]);

/** What was gathered over an hour or a day. */
export const digest = ({
  name,
  places,
  listUrl,
}: Told & { places: { place: string; count: number }[] }): Message =>
  compose("Something new for you", [
    greeting(name),
    "There is something new:",
    ...places.map(({ place, count }) => `${plainPlace(place)}: ${count === 1 ? "one" : count} new`),
    ...howToChange(listUrl),
  ]);

const howToChange = (listUrl: string): Paragraph[] => [
  "Your notifications are listed here. There you can also change what is mailed to you, and how often, or turn it off:",
  { link: listUrl },
];

/** Goes to every org_admin when deliveries have failed for days. */
export const webhookDisabled = ({
  name,
  place,
  days,
  url,
}: Named & { place: string; days: number; url: string }): Message =>
  compose("A webhook was turned off", [
    greeting(name),
    `A webhook of ${plainPlace(place)} was turned off, since every delivery has failed for ${days} days.`,
    "Its deliveries are listed here. When the receiver answers again, turn the webhook on there:",
    { link: url },
  ]);

/** Asked for by a SystemAdmin, to see whether mail arrives. */
export const mailTest = ({ url }: { url: string }): Message =>
  compose("A test of the mail service", [
    "Somebody who runs Heed sent this to see whether mail arrives. It did; there is nothing to do.",
    { link: url },
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
/** Text as it may stand in markup. */
export const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");

/**
 * Anyone can register a foreign address under any name and have mails sent there: a name that could carry
 * a message or a link of its own isn't repeated.
 */
function greeting(name: string): string {
  const plain = /^[\p{L}\p{M}\p{N} .,'’-]{1,60}$/u.test(name) && !LINK.test(name);
  return plain ? `Hello ${name.trim()},` : "Hello,";
}

/** The same for the name of an event or an organization. */
function plainPlace(name: string): string {
  const plain = /^[\p{L}\p{M}\p{N} .,:;'’"“”&()!?#+/–—-]{1,120}$/u.test(name) && !LINK.test(name);
  return plain ? name.trim() : "one of your events or organizations";
}

const LINK = /\p{L}\.\p{L}{2,}|www\.|\/\//iu;

const duration = (minutes: number): string => {
  if (minutes >= 120 && minutes % 60 === 0) return `${minutes / 60} hours`;
  return minutes === 1 ? "one minute" : `${minutes} minutes`;
};
