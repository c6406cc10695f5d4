"use client";

import { MessagesProvider } from "#components/i18n/client-translator.tsx";
import { DEFAULT_LOCALE, isLocale } from "#lib/i18n/locales.ts";
import ar from "#lib/i18n/messages/ar/failure.json" with { type: "json" };
import de from "#lib/i18n/messages/de/failure.json" with { type: "json" };
import en from "#lib/i18n/messages/en/failure.json" with { type: "json" };
import es from "#lib/i18n/messages/es/failure.json" with { type: "json" };
import fr from "#lib/i18n/messages/fr/failure.json" with { type: "json" };
import { LogoWithName } from "./logo.tsx";
import { ErrorBoundaryMessage } from "./error-boundary-message.tsx";

const FAILURE_MESSAGES = { en, de, es, fr, ar };

type Props = { error: Error & { digest?: string }; retry: () => void };

/** The error page outside any layout. No layout has provided messages here, so it imports them in every language. */
export default function RootFailure(props: Props) {
  const { lang } = document.documentElement;
  const locale = isLocale(lang) ? lang : DEFAULT_LOCALE;
  return (
    <MessagesProvider locale={locale} timeZone="UTC" messages={{ failure: FAILURE_MESSAGES[locale] }}>
      <main className="mx-auto w-full max-w-3xl px-4 pt-5 pb-16 sm:px-6 sm:pt-8">
        <LogoWithName />
        <ErrorBoundaryMessage {...props} />
      </main>
    </MessagesProvider>
  );
}
