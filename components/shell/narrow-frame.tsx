import clsx from "clsx";
import type { ReactNode } from "react";
import { useTranslator, useLocale } from "#i18n";
import { usePagePathWithQuery } from "#components/i18n/server-translator.ts";
import { LOCALE_NAMES, LOCALES } from "#lib/i18n/locales.ts";
import { Footer } from "./footer.tsx";
import { LogoWithName } from "./logo.tsx";
import { SkipLink } from "./skip-link.tsx";

type Props = {
  /**
   * "form" for sign-in and similar forms, "reading" for pages where reporters read and write, "wide" for
   * overviews.
   */
  width?: keyof typeof COLUMN_CLASSES;
  home?: string;
  /** On the right of the header: a link to sign in, or the quick exit. */
  aside?: ReactNode;
  /** Above everything: a state of the whole page, such as a lost connection. */
  notice?: ReactNode;
  children: ReactNode;
};

/** The frame of pages with a single task: one column, few links, and no script of its own. */
export function NarrowFrame({ width = "form", home = "/", aside, notice, children }: Props) {
  const t = useTranslator("frame");
  const column = COLUMN_CLASSES[width];
  return (
    <div className="flex min-h-dvh flex-col">
      <SkipLink />
      {notice}
      <header className="no-print">
        <div
          className={clsx(
            "mx-auto flex w-full flex-wrap items-center justify-between gap-4 px-4 pt-5 sm:px-6 sm:pt-8",
            column,
          )}
        >
          <a href={home} aria-label={t("home")} className="inline-flex min-h-11 items-center rounded-control">
            <LogoWithName />
          </a>
          {aside}
        </div>
      </header>
      <main
        id="content"
        tabIndex={-1}
        className={clsx("mx-auto w-full grow px-4 pt-8 pb-16 outline-none sm:px-6", column)}
      >
        {children}
      </main>
      <Footer column={column} start={<LanguageForm />} />
    </div>
  );
}

const COLUMN_CLASSES = { form: "max-w-lg", reading: "max-w-3xl", wide: "max-w-6xl" };

/** The languages, each in its own name. A plain form that works without script and returns to the page. */
function LanguageForm() {
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
