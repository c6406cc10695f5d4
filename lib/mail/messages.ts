import type { NotificationKind } from "#lib/notifications/schema.ts";
import { createTranslatorForLocale } from "#lib/i18n/catalogue.ts";
import { DEFAULT_LOCALE, getTextDirection, isLocale, type Locale } from "#lib/i18n/locales.ts";

/**
 * The mails of the service, in the language that the person chose, or in English. They are plain and neutral and hold
 * no content: no report's title, text or names, since a mailbox is often shared or visible to others. Each says what
 * to do if it is unexpected.
 */

export type MailMessage = {
  subject: string;
  text: string;
  html: string;
  /** English by default. */ locale?: Locale;
  attachments?: { filename: string; content: string }[];
  /** Tells of what others did, such as a report. Local mode doesn't print its link: that would date the report. */
  isNews?: true;
};

type Addressee = { name: string; /** The person's choice; null for none. */ locale?: string | null };
type AddresseeWithLink = Addressee & { url: string; minutes: number };

/** Composes the mail with a link that sets a new password. */
export const composePasswordResetMail = (to: AddresseeWithLink): MailMessage => composeLinkMail(to, "reset");

/**
 * Composes the mail with the link that verifies an address. Goes to an address that was typed at registration or set
 * for the person.
 */
export const composeVerificationMail = (to: AddresseeWithLink): MailMessage =>
  composeLinkMail(to, "verification");

/**
 * Composes the mail with which an account's owner confirms a change of address that somebody else requested. Goes to
 * the current address.
 */
export const composeEmailChangeConsentMail = (to: AddresseeWithLink & { newEmail: string }): MailMessage =>
  composeLinkMail(to, "emailChange", { email: to.newEmail });

/**
 * Composes the mail with which an account's owner confirms their new address. Goes to the new address, to prove that
 * the owner can read it.
 */
export const composeNewEmailConfirmationMail = (to: AddresseeWithLink): MailMessage =>
  composeLinkMail(to, "ownEmailChange");

function composeLinkMail(
  to: AddresseeWithLink,
  name: "reset" | "verification" | "emailChange" | "ownEmailChange",
  values: { email?: string } = {},
): MailMessage {
  const t = mailTranslatorFor(to);
  return composeMail(to, t(`${name}.subject`), [
    composeGreeting(to),
    t(`${name}.text`, values),
    { link: to.url },
    t("worksFor", { duration: formatMailDuration(to) }),
    t(`${name}.unexpected`),
  ]);
}

/**
 * Composes the notice that the account's owner asked to change its email address. Goes to the current address, together
 * with the mail to the new one.
 */
export const composeEmailChangeRequestedMail = (to: Addressee): MailMessage =>
  composeNotice(to, "emailChangeRequested", "emailChangeRequested.unexpected");

export const composeEmailChangedMail = (to: Addressee): MailMessage =>
  composeNotice(to, "emailChanged", "emailChanged.unexpected");

/** Composes the notice that somebody else changed the name of the account. */
export const composeNameChangedMail = (to: Addressee): MailMessage =>
  composeNotice(to, "nameChanged", "nameChanged.unexpected");

export const composePasswordChangedMail = (to: Addressee): MailMessage =>
  composeNotice(to, "passwordChanged");

export const composeNewDeviceMail = (to: Addressee): MailMessage =>
  composeNotice(to, "newDevice", "newDevice.unexpected");

export const composeSecondFactorOnMail = (to: Addressee): MailMessage => composeNotice(to, "secondFactorOn");

export const composeSecondFactorOffMail = (to: Addressee): MailMessage =>
  composeNotice(to, "secondFactorOff");

export const composeSecondFactorResetMail = (to: Addressee): MailMessage =>
  composeNotice(to, "secondFactorReset", "secondFactorReset.unexpected");

export const composeRecoveryCodeUsedMail = (to: Addressee): MailMessage =>
  composeNotice(to, "recoveryCodeUsed");

export const composeApiTokenCreatedMail = (to: Addressee): MailMessage =>
  composeNotice(to, "tokenCreated", "tokenCreated.unexpected");

/** Composes the mail that confirms an account's deletion. It greets nobody by name, since the name was deleted too. */
export const composeAccountDeletedMail = ({ locale }: Pick<Addressee, "locale"> = {}): MailMessage =>
  composeNotice({ name: "", locale }, "accountDeleted", "accountDeleted.unexpected");

type NoticeName =
  | "emailChangeRequested"
  | "emailChanged"
  | "nameChanged"
  | "passwordChanged"
  | "newDevice"
  | "secondFactorOn"
  | "secondFactorOff"
  | "secondFactorReset"
  | "recoveryCodeUsed"
  | "tokenCreated"
  | "accountDeleted";

/** Says what was done to the recipient's account, and what to do if they didn't do it. */
function composeNotice(
  to: Addressee,
  name: NoticeName,
  unexpected:
    | `${"emailChangeRequested" | "emailChanged" | "nameChanged" | "newDevice" | "secondFactorReset" | "tokenCreated" | "accountDeleted"}.unexpected`
    | "ifNotYou" = "ifNotYou",
): MailMessage {
  const t = mailTranslatorFor(to);
  return composeMail(to, t(`${name}.subject`), [composeGreeting(to), t(`${name}.text`), t(unexpected)]);
}

/**
 * Composes the mail about a granted role. It doesn't name the person who granted it, nor the event or organization,
 * because names may hold any text; the page shows both after signing in.
 */
export const composeRoleInvitationMail = (to: Addressee & { url: string }): MailMessage => {
  const t = mailTranslatorFor(to);
  return composeMail(to, t("invited.subject"), [
    composeGreeting(to),
    t("invited.text"),
    { link: to.url },
    t("invited.unexpected"),
  ]);
};

type InviteMailInput = Addressee & { place: string; url: string; days: number };

/**
 * Composes the mail with an invite, to an address that may or may not have an account. It names the place, and neither
 * the inviter nor the role.
 */
export const composeInviteMail = (to: InviteMailInput): MailMessage => {
  const t = mailTranslatorFor(to);
  return composeMail(to, t("invite.subject"), [
    composeGreeting(to),
    t("invite.text", { place: toSafePlaceName(to, to.place, "invite.somePlace") }),
    { link: to.url },
    t("invite.worksFor", { days: to.days }),
    t("invite.unexpected"),
  ]);
};

type NotifiedPerson = Addressee & { listUrl: string };

/** The kinds of the changes that a mail announces, without a title, a name or any text. */
type NotificationMailInput = NotifiedPerson & {
  kinds: NotificationKind[];
  place: string;
  /** The code name of the report, if the mail is about one. */
  codeName?: string | null;
  url: string;
};

/**
 * Composes a mail that names the kinds of changes and their place, but no people, who are shown only after signing in
 * (contract 11.1).
 */
export const composeNotificationMail = (to: NotificationMailInput): MailMessage =>
  composeNews(to, [
    composeGreeting(to),
    describeNews(to),
    { link: to.url },
    ...composeSettingsParagraphs(to),
  ]);

/** Like `composeNotificationMail`, for several reports of one event, with the number of changes of each kind. */
export const composeMultiReportNotificationMail = (to: NotificationMailInput): MailMessage => {
  const t = mailTranslatorFor(to);
  return composeNews(to, [
    composeGreeting(to),
    t("news.several", { place: toSafePlaceName(to, to.place), kinds: formatKindCounts(to, to.kinds) }),
    { link: to.url },
    ...composeSettingsParagraphs(to),
  ]);
};

/** The subject shows whether a mail is urgent, and nothing else about its content. */
function composeNews(to: NotificationMailInput, paragraphs: Paragraph[]): MailMessage {
  const isUrgent = to.kinds.includes("incident.urgent");
  const subject = mailTranslatorFor(to)(isUrgent ? "news.urgentSubject" : "news.subject");
  return { ...composeMail(to, subject, paragraphs), isNews: true };
}

/** The kinds that one mail about a report may mention, in order of importance. */
const REPORT_KINDS_IN_ORDER = [
  "incident.urgent",
  "incident.created",
  "incident.escalated",
  "incident.critical",
  "incident.assigned",
  "incident.state",
  "message.created",
  "message.afterClosing",
  "incident.withdrawn",
  "message.fromParty",
  "incident.expiring",
  "incident.holdReview",
  "incident.emergency",
  "note.created",
  "file.added",
] as const satisfies NotificationKind[];

const KINDS_IN_ORDER = [
  ...REPORT_KINDS_IN_ORDER,
  "incident.waiting",
  "event.withoutReader",
  "role.changed",
  "invite.changed",
] as const satisfies NotificationKind[];

/**
 * Describes what happened: in one sentence for a single kind; in an introduction and a sentence for each kind where
 * there are several, all about the same report.
 */
function describeNews(to: NotificationMailInput): string {
  const t = mailTranslatorFor(to);
  const place = [toSafePlaceName(to, to.place), to.codeName && `(${to.codeName})`].filter(Boolean).join(" ");
  const kinds = new Set(to.kinds);
  const [first] = kinds;
  if (first && kinds.size === 1) return t(`news.${first}`, { place });
  const sentences = REPORT_KINDS_IN_ORDER.filter((kind) => kinds.has(kind)).map((kind) =>
    t(`report.${kind}`),
  );
  return [t("report.news", { place }), ...sentences].join(" ");
}

/** Composes a digest of an hour or a day: for each event or organization, the kinds of changes there. */
export const composeDigestMail = (
  to: NotifiedPerson & { places: { place: string; kinds: NotificationKind[] }[] },
): MailMessage => {
  const t = mailTranslatorFor(to);
  return composeMail(to, t("news.subject"), [
    composeGreeting(to),
    t("digest.text"),
    ...to.places.map(({ place, kinds }) =>
      t("digest.line", {
        place: toSafePlaceName(to, place),
        count: kinds.length,
        kinds: formatKindCounts(to, kinds),
      }),
    ),
    ...composeSettingsParagraphs(to),
  ]);
};

/** Formats how many notifications there are of each kind, in the order of `KINDS_IN_ORDER`: about reports first. */
function formatKindCounts(to: NotifiedPerson, kinds: NotificationKind[]): string {
  const t = mailTranslatorFor(to);
  const kindCounts = KINDS_IN_ORDER.map((kind) => ({
    kind,
    count: kinds.filter((one) => one === kind).length,
  }));
  const phrases = kindCounts
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => t(`digest.${kind}`, { count }));
  return new Intl.ListFormat(chooseLocale(to), { type: "conjunction" }).format(phrases);
}

const composeSettingsParagraphs = (to: NotifiedPerson): Paragraph[] => [
  mailTranslatorFor(to)("howToChange"),
  { link: to.listUrl },
];

/**
 * Composes the mail about a webhook that was disabled because its deliveries failed for days. Goes to every org_admin.
 */
export const composeWebhookDisabledMail = (
  to: Addressee & { place: string; days: number; url: string },
): MailMessage => {
  const t = mailTranslatorFor(to);
  return composeMail(to, t("webhook.subject"), [
    composeGreeting(to),
    t("webhook.text", { place: toSafePlaceName(to, to.place), days: to.days }),
    t("webhook.todo"),
    { link: to.url },
  ]);
};

/** Composes the mail with which a SystemAdmin checks mail delivery. */
export const composeTestMail = (to: { url: string; locale?: string | null }): MailMessage => {
  const t = mailTranslatorFor(to);
  return composeMail(to, t("test.subject"), [t("test.text"), { link: to.url }]);
};

type AuditHeadsMailInput = {
  at: string;
  chains: number;
  /** How many chains lost their head. */
  lost: number;
  isRestored: boolean;
  isAnchored: boolean;
};

/** Composes the mail with the heads of the audit log, for the operator's address. It says what the attachment is for. */
export const composeAuditHeadsMail = (heads: AuditHeadsMailInput): MailMessage => {
  const t = mailTranslatorFor({});
  return composeMail({}, t("auditHeads.subject", { time: heads.at }), [
    t("auditHeads.text", { time: heads.at, chains: heads.chains }),
    ...(heads.isRestored ? [t("auditHeads.restore")] : []),
    ...(heads.isAnchored ? [t("auditHeads.anchor")] : []),
    ...(heads.lost > 0 ? [t("auditHeads.lost", { count: heads.lost })] : []),
    t("auditHeads.keep"),
  ]);
};

type LocaleChoice = Pick<Addressee, "locale">;

const chooseLocale = ({ locale }: LocaleChoice): Locale => (isLocale(locale) ? locale : DEFAULT_LOCALE);

const mailTranslatorFor = (to: LocaleChoice) => createTranslatorForLocale(chooseLocale(to), "mails");

type Paragraph = string | { link: string };

function composeMail(to: LocaleChoice, subject: string, paragraphs: Paragraph[]): MailMessage {
  const text = paragraphs.map((paragraph) => (typeof paragraph === "string" ? paragraph : paragraph.link));
  const body = paragraphs.map((paragraph) =>
    typeof paragraph === "string" ? renderHtml`<p>${paragraph}</p>` : renderLink(paragraph),
  );
  const locale = chooseLocale(to);
  return {
    subject,
    text: `${text.join("\n\n")}\n`,
    html: `<!doctype html>\n<html lang="${locale}" dir="${getTextDirection(locale)}"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head><body>\n${body.join("\n")}\n</body></html>\n`,
    locale,
  };
}

const renderLink = ({ link }: { link: string }): string =>
  renderHtml`<p dir="ltr"><a href="${link}">${link}</a></p>`;

/** Inserts values into markup as text, never as markup. */
const renderHtml = (markup: TemplateStringsArray, ...values: string[]): string =>
  markup.reduce((out, part, at) => out + escapeHtml(values[at - 1] ?? "") + part);

const HTML_ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
/** Escapes text for use in markup. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => HTML_ESCAPES[character] ?? "");

/**
 * Anyone can register a foreign address under any name and have mails sent there, so a name that could carry a message
 * or a link of its own isn't repeated.
 */
function composeGreeting({ name, locale }: Addressee): string {
  const t = mailTranslatorFor({ locale });
  const isPlain = /^[\p{L}\p{M}\p{N} .,'’-]{1,60}$/u.test(name) && !LINK_PATTERN.test(name);
  return isPlain ? t("hello", { name: name.trim() }) : t("helloNobody");
}

/** Returns the name of an event or organization, or a neutral word if it could carry a message or a link. */
function toSafePlaceName(
  to: LocaleChoice,
  name: string,
  neutral: "somePlace" | "invite.somePlace" = "somePlace",
): string {
  const isPlain = /^[\p{L}\p{M}\p{N} .,:;'’"“”&()!?#+/–—-]{1,120}$/u.test(name) && !LINK_PATTERN.test(name);
  return isPlain ? name.trim() : mailTranslatorFor(to)(neutral);
}

const LINK_PATTERN = /\p{L}\.\p{L}{2,}|www\.|\/\//iu;

function formatMailDuration({ minutes, locale }: AddresseeWithLink): string {
  const t = mailTranslatorFor({ locale });
  if (minutes >= 120 && minutes % 60 === 0) return t("hours", { count: minutes / 60 });
  return t("minutes", { count: minutes });
}
