import clsx from "clsx";
import { useLocale, useTranslator } from "#i18n";
import { usePagePathWithQuery } from "#components/i18n/server-translator.ts";
import { LOCALE_NAMES, LOCALES } from "#lib/i18n/locales.ts";

/** The languages, each in its own name. A plain form that works without script and returns to the page. */
export function LanguageForm() {
  const t = useTranslator("shell");
  const current = useLocale();
  return (
    <form method="post" action="/language" aria-label={t("language")} className="-mx-2 flex flex-wrap">
      <input type="hidden" name="next" value={usePagePathWithQuery()} />
      {LOCALES.map((locale) => (
        <button
          key={locale}
          type="submit"
          name="locale"
          value={locale}
          lang={locale}
          aria-current={locale === current ? "true" : undefined}
          className={clsx(
            "min-h-11 min-w-11 rounded-control px-2",
            locale === current ? "font-[650] text-ink" : "hover:bg-sunken hover:text-ink",
          )}
        >
          {LOCALE_NAMES[locale]}
        </button>
      ))}
    </form>
  );
}
