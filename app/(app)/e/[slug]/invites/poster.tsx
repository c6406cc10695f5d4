import clsx from "clsx";
import { useLocale, useTranslator } from "#i18n";
import { Link } from "#components/ui/link.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { chooseTimeZoneForEventTimes } from "#lib/design/reader-zone.ts";
import { formatDateTime } from "#lib/design/time.ts";
import { createTranslatorForLocale } from "#lib/i18n/catalogue.ts";
import { getTextDirection, isLocale, type Locale, LOCALE_NAMES, LOCALES } from "#lib/i18n/locales.ts";
import { PrintButton } from "./print-button.tsx";

/** The action that the poster asks people to take: report, or join with a role. */
export type EventPosterPurpose = "report" | "Reporter" | "Responder" | "Admin";

type Props = {
  purpose: EventPosterPurpose;
  event: { name: string; timeZone: string | null };
  /** Full URL encoded in the QR code. */
  address: string;
  /** Path of the QR code image. */
  qr: string;
  /** Path of this page, and the language that its address asks for. */
  path: string;
  language: string | undefined;
  expiresAt?: string | null;
  /** The link no longer works. */
  ended?: boolean;
};

/** A page to print on A4, black on white: event, one sentence, QR code, and the URL for typing. */
export function Poster({ language, ended = false, path, ...sheet }: Props) {
  const t = useTranslator("eventAdmin");
  const pageLocale = useLocale();
  const locale = isLocale(language) ? language : pageLocale;
  return (
    <div className="grid gap-6">
      <div className="no-print grid gap-4">
        {ended && (
          <Notice kind="warning" title={t("poster.ended")}>
            <p>{t("poster.endedAbout")}</p>
          </Notice>
        )}
        <PosterLanguages path={path} current={locale} />
        <div className="flex flex-wrap items-center gap-4">
          <PrintButton label={t("poster.print")} byHand={t("poster.printByHand")} />
          <p className="text-muted">{t("poster.printAbout")}</p>
        </div>
      </div>
      <PosterSheet {...sheet} locale={locale} label={t("poster.sheet")} />
    </div>
  );
}

function PosterLanguages({ path, current }: { path: string; current: Locale }) {
  const t = useTranslator("eventAdmin");
  return (
    <nav aria-label={t("poster.language")} className="-mx-2 flex flex-wrap">
      {LOCALES.map((locale) => (
        <Link
          key={locale}
          href={`${path}?lang=${locale}`}
          lang={locale}
          aria-current={locale === current ? "true" : undefined}
          className={clsx(
            "inline-flex min-h-11 items-center rounded-control px-2",
            locale === current ? "bg-accent-soft font-[650] text-accent-hover" : "text-link hover:bg-sunken",
          )}
        >
          {LOCALE_NAMES[locale]}
        </Link>
      ))}
    </nav>
  );
}

type SheetProps = Pick<Props, "purpose" | "event" | "address" | "qr" | "expiresAt"> & {
  locale: Locale;
  label: string;
};

/** The sheet itself, in the language of its readers; the same in both themes. */
function PosterSheet({ purpose, event, address, qr, expiresAt, locale, label }: SheetProps) {
  const t = createTranslatorForLocale(locale, "invite");
  const name = { event: event.name };
  return (
    <article
      aria-label={label}
      lang={locale}
      dir={getTextDirection(locale)}
      className="grid w-full max-w-3xl content-between justify-items-center gap-8 rounded-surface border border-edge bg-[white] p-6 text-center text-[black] sm:p-12 print:h-[232mm] print:max-w-none print:border-0 print:p-0"
    >
      <p dir="auto" className="max-w-full text-2xl font-[650] wrap-anywhere print:text-[22pt]">
        {event.name}
      </p>
      <div className="grid justify-items-center gap-4">
        <h2 className="text-3xl wrap-anywhere sm:text-4xl print:text-[38pt] print:leading-tight">
          {t(`poster.${purpose}`, name)}
        </h2>
        <p className="max-w-[36ch] text-lg wrap-anywhere print:text-[17pt]">
          {t(`poster.${purpose}About`, name)}
        </p>
      </div>
      <img
        src={qr}
        alt={t("poster.qr")}
        width={400}
        height={400}
        className="h-auto w-full max-w-80 print:w-[105mm] print:max-w-none"
      />
      <PosterAddress event={event} address={address} expiresAt={expiresAt} locale={locale} />
    </article>
  );
}

type AddressProps = Pick<SheetProps, "event" | "address" | "expiresAt" | "locale">;

/** The URL for typing, and the end of its validity in the event's time zone. */
function PosterAddress({ event, address, expiresAt, locale }: AddressProps) {
  const timeZone = chooseTimeZoneForEventTimes(null, event.timeZone);
  const t = createTranslatorForLocale(locale, "invite");
  return (
    <div className="grid max-w-full gap-1">
      <p className="print:text-[12pt]">{t("poster.address")}</p>
      <p dir="ltr" className="font-mono text-lg wrap-anywhere print:text-[15pt]">
        {address.replace(/^https?:\/\//, "")}
      </p>
      {expiresAt && (
        <p className="text-sm print:text-[10pt]">
          {t("poster.until", { date: formatDateTime(new Date(expiresAt), { locale, timeZone }) })}
        </p>
      )}
    </div>
  );
}
