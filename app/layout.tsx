import "@fontsource-variable/atkinson-hyperlegible-next/wght-italic.css";
import "@fontsource-variable/atkinson-hyperlegible-next/wght.css";
import "./globals.css";
import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import { connection } from "next/server";
import type { ReactNode } from "react";
import { setPageLanguagePathAndReader } from "#components/i18n/server-translator.ts";
import { ScriptRetry } from "#components/shell/script-retry.tsx";
import { getCurrentPageContext } from "#lib/http/page.ts";
import { COLORS } from "#lib/design/tokens.ts";
import { getTextDirection } from "#lib/i18n/locales.ts";

/**
 * Titles stay neutral because they appear in browser history and on shared screens. Only the landing page is
 * indexed.
 */
export const metadata: Metadata = {
  title: { default: "Heed", template: "%s · Heed" },
  robots: { index: false, follow: false },
  referrer: "no-referrer",
  formatDetection: { telephone: false, email: false, address: false, date: false },
};

export const viewport: Viewport = {
  width: "device-width",
  initialScale: 1,
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: COLORS.surface.light },
    { media: "(prefers-color-scheme: dark)", color: COLORS.surface.dark },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  // Renders every page per request: a prerendered page could carry no nonce, and the content security policy
  // would block its scripts.
  await connection();
  const context = await getCurrentPageContext();
  setPageLanguagePathAndReader(context);
  const { locale } = context;
  return (
    <html lang={locale} dir={getTextDirection(locale)}>
      <head>
        <ScriptRetry policy={(await headers()).get("content-security-policy")} />
        {/*
          These tags aren't in `viewport` and `metadata`, because Next inserts the tags of those again at each
          navigation. The browser would then recalculate all styles for `color-scheme` (docs/decisions/016), and fetch
          and draw the icons again.
        */}
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <link rel="icon" href="/favicon.ico" sizes="32x32" />
        <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
      </head>
      <body>{children}</body>
    </html>
  );
}
