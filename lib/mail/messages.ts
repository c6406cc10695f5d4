import type { Kind } from "#lib/notifications/schema.ts";
import { wordsIn } from "#lib/i18n/catalogue.ts";
import { DEFAULT_LOCALE, directionOf, isLocale, type Locale } from "#lib/i18n/locales.ts";

/**
 * The mails of the service, in the language that the person chose, else in English. They are plain and neutral, and
 * free of content: no report's title, text or names, since a mail box is often shared or shown. Each says what to do
 * when it comes unexpected.
 */

export type Message = {
  subject: string;
  text: string;
  html: string;
  /** English without. */ locale?: Locale;
  attachments?: { filename: string; content: string }[];
};

type Named = { name: string; /** What the person chose; null for no choice. */ locale?: string | null };
type WithLink = Named & { url: string; minutes: number };

/** A link that sets a new password. */
export const passwordReset = (to: WithLink): Message => {
  const t = wordsFor(to);
  return compose(to, t("reset.subject"), [
    greeting(to),
    t("reset.text"),
    { link: to.url },
    t("worksFor", { duration: duration(to) }),
    t("reset.unexpected"),
  ]);
};

/** Goes to an address that somebody typed when they registered, or that was set for them. */
export const verification = (to: WithLink): Message => {
  const t = wordsFor(to);
  return compose(to, t("verification.subject"), [
    greeting(to),
    t("verification.text"),
    { link: to.url },
    t("worksFor", { duration: duration(to) }),
    t("verification.unexpected"),
  ]);
};

/** Goes to the present address, which decides. */
export const emailChange = (to: WithLink & { newEmail: string }): Message => {
  const t = wordsFor(to);
  return compose(to, t("emailChange.subject"), [
    greeting(to),
    t("emailChange.text", { email: to.newEmail }),
    { link: to.url },
    t("worksFor", { duration: duration(to) }),
    t("emailChange.unexpected"),
  ]);
};

/** Goes to the new address, which proves that it is the owner's; they asked for it themselves. */
export const ownEmailChange = (to: WithLink): Message => {
  const t = wordsFor(to);
  return compose(to, t("ownEmailChange.subject"), [
    greeting(to),
    t("ownEmailChange.text"),
    { link: to.url },
    t("worksFor", { duration: duration(to) }),
    t("ownEmailChange.unexpected"),
  ]);
};

/** Goes to the present address at the same time. */
export const emailChangeAsked = (to: Named): Message =>
  notice(to, "emailChangeAsked", "emailChangeAsked.unexpected");

export const emailChanged = (to: Named): Message => notice(to, "emailChanged", "emailChanged.unexpected");

export const passwordChanged = (to: Named): Message => notice(to, "passwordChanged");

export const newDevice = (to: Named): Message => notice(to, "newDevice", "newDevice.unexpected");

export const secondFactorOn = (to: Named): Message => notice(to, "secondFactorOn");

export const secondFactorOff = (to: Named): Message => notice(to, "secondFactorOff");

export const secondFactorReset = (to: Named): Message =>
  notice(to, "secondFactorReset", "secondFactorReset.unexpected");

export const recoveryCodeUsed = (to: Named): Message => notice(to, "recoveryCodeUsed");

/** The last mail: the account that it speaks of is gone, and so is its name. */
export const accountDeleted = ({ locale }: Pick<Named, "locale"> = {}): Message =>
  notice({ name: "", locale }, "accountDeleted", "accountDeleted.unexpected");

type NoticeName =
  | "emailChangeAsked"
  | "emailChanged"
  | "passwordChanged"
  | "newDevice"
  | "secondFactorOn"
  | "secondFactorOff"
  | "secondFactorReset"
  | "recoveryCodeUsed"
  | "accountDeleted";

/** Says what was done to one's account, and what to do if it wasn't oneself. */
function notice(
  to: Named,
  name: NoticeName,
  unexpected:
    | `${"emailChangeAsked" | "emailChanged" | "newDevice" | "secondFactorReset" | "accountDeleted"}.unexpected`
    | "ifNotYou" = "ifNotYou",
): Message {
  const t = wordsFor(to);
  return compose(to, t(`${name}.subject`), [greeting(to), t(`${name}.text`), t(unexpected)]);
}

/** Somebody granted them a role. By whom and where is said after signing in: the names are the sender's own words. */
export const invited = (to: Named & { url: string }): Message => {
  const t = wordsFor(to);
  return compose(to, t("invited.subject"), [
    greeting(to),
    t("invited.text"),
    { link: to.url },
    t("invited.unexpected"),
  ]);
};

type Told = Named & { listUrl: string };

/** What kind of thing happened, without a title, a name or a word of it. */
type News = Told & { kinds: Kind[]; place: string; url: string };

/** Something happened somewhere: of which kinds, and where; to whom is said only after signing in (contract 11.1). */
export const somethingNew = (to: News): Message =>
  compose(to, wordsFor(to)("news.subject"), [
    greeting(to),
    whatIsNew(to),
    { link: to.url },
    ...howToChange(to),
  ]);

/** The same of several reports at one event, with how many of each kind there are. */
export const severalReports = (to: News): Message => {
  const t = wordsFor(to);
  return compose(to, t("news.subject"), [
    greeting(to),
    t("news.several", { place: plainPlace(to, to.place), kinds: counted(to, to.kinds) }),
    { link: to.url },
    ...howToChange(to),
  ]);
};

/** What may be told of one report at once, in the order in which it matters. */
const OF_A_REPORT = [
  "incident.created",
  "incident.escalated",
  "incident.assigned",
  "incident.state",
  "message.created",
  "note.created",
  "file.added",
] as const satisfies Kind[];

const KINDS_IN_ORDER = [...OF_A_REPORT, "role.changed", "invite.changed"] as const satisfies Kind[];

/** Several kinds come together only when they are about one report. */
function whatIsNew(to: News): string {
  const t = wordsFor(to);
  const place = plainPlace(to, to.place);
  const kinds = new Set(to.kinds);
  const [first] = kinds;
  if (first && kinds.size === 1) return t(`news.${first}`, { place });
  const told = OF_A_REPORT.filter((kind) => kinds.has(kind)).map((kind) => t(`report.${kind}`));
  return [t("report.news", { place }), ...told].join(" ");
}

/** What was gathered over an hour or a day: for each place the kind of every thing that is new there. */
export const digest = (to: Told & { places: { place: string; kinds: Kind[] }[] }): Message => {
  const t = wordsFor(to);
  return compose(to, t("news.subject"), [
    greeting(to),
    t("digest.text"),
    ...to.places.map(({ place, kinds }) =>
      t("digest.line", { place: plainPlace(to, place), count: kinds.length, kinds: counted(to, kinds) }),
    ),
    ...howToChange(to),
  ]);
};

/** How many there are of each kind, those of reports first. */
function counted(to: Told, kinds: Kind[]): string {
  const t = wordsFor(to);
  const numbers = KINDS_IN_ORDER.map((kind) => ({ kind, count: kinds.filter((one) => one === kind).length }));
  const words = numbers
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => t(`digest.${kind}`, { count }));
  return new Intl.ListFormat(localeOf(to), { type: "conjunction" }).format(words);
}

const howToChange = (to: Told): Paragraph[] => [wordsFor(to)("howToChange"), { link: to.listUrl }];

/** Goes to every org_admin when deliveries have failed for days. */
export const webhookDisabled = (to: Named & { place: string; days: number; url: string }): Message => {
  const t = wordsFor(to);
  return compose(to, t("webhook.subject"), [
    greeting(to),
    t("webhook.text", { place: plainPlace(to, to.place), days: to.days }),
    t("webhook.todo"),
    { link: to.url },
  ]);
};

/** Asked for by a SystemAdmin, to see whether mail arrives. */
export const mailTest = (to: { url: string; locale?: string | null }): Message => {
  const t = wordsFor(to);
  return compose(to, t("test.subject"), [t("test.text"), { link: to.url }]);
};

type CheckpointNumbers = { number: number; at: string; chains: number; refused: string[]; kind: string };

/** Goes to the address that the operator keeps checkpoints at; it says what the attachment is for. */
export const auditCheckpoint = ({ number, at, chains, refused, kind }: CheckpointNumbers): Message => {
  const t = wordsFor({});
  return compose({}, t("checkpoint.subject", { number: String(number) }), [
    t("checkpoint.text", { number: String(number), time: at, chains }),
    ...(kind === "restore" ? [t("checkpoint.restore")] : []),
    ...(kind === "anchor" ? [t("checkpoint.anchor")] : []),
    ...(refused.length > 0 ? [t("checkpoint.refused", { count: refused.length })] : []),
    t("checkpoint.keep"),
  ]);
};

type Spoken = Pick<Named, "locale">;

const localeOf = ({ locale }: Spoken): Locale => (isLocale(locale) ? locale : DEFAULT_LOCALE);

const wordsFor = (to: Spoken) => wordsIn(localeOf(to), "mails");

type Paragraph = string | { link: string };

function compose(to: Spoken, subject: string, paragraphs: Paragraph[]): Message {
  const text = paragraphs.map((paragraph) => (typeof paragraph === "string" ? paragraph : paragraph.link));
  const body = paragraphs.map((paragraph) =>
    typeof paragraph === "string" ? html`<p>${paragraph}</p>` : linkOf(paragraph),
  );
  const locale = localeOf(to);
  return {
    subject,
    text: `${text.join("\n\n")}\n`,
    html: `<!doctype html>\n<html lang="${locale}" dir="${directionOf(locale)}"><head><meta charset="utf-8"><title>${escape(subject)}</title></head><body>\n${body.join("\n")}\n</body></html>\n`,
    locale,
  };
}

const linkOf = ({ link }: { link: string }): string => html`<p dir="ltr"><a href="${link}">${link}</a></p>`;

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
function greeting({ name, locale }: Named): string {
  const t = wordsFor({ locale });
  const plain = /^[\p{L}\p{M}\p{N} .,'’-]{1,60}$/u.test(name) && !LINK.test(name);
  return plain ? t("hello", { name: name.trim() }) : t("helloNobody");
}

/** The same for the name of an event or an organization. */
function plainPlace(to: Spoken, name: string): string {
  const plain = /^[\p{L}\p{M}\p{N} .,:;'’"“”&()!?#+/–—-]{1,120}$/u.test(name) && !LINK.test(name);
  return plain ? name.trim() : wordsFor(to)("somePlace");
}

const LINK = /\p{L}\.\p{L}{2,}|www\.|\/\//iu;

function duration({ minutes, locale }: WithLink): string {
  const t = wordsFor({ locale });
  if (minutes >= 120 && minutes % 60 === 0) return t("hours", { count: minutes / 60 });
  return t("minutes", { count: minutes });
}
