"use client";

import "./globals.css";

type Props = { error: Error & { digest?: string } };

/**
 * Last resort when the root layout itself failed: has no messages and works without script. It ships with
 * every page, including those that send no script of their own, so it imports nothing else.
 */
export default function GlobalError({ error }: Props) {
  return (
    <html lang="en" dir="ltr">
      <body>
        <title>Heed</title>
        <main className="mx-auto grid max-w-3xl gap-4 px-4 py-16 text-lg sm:px-6">
          <h1 className="text-2xl sm:text-3xl">This page can’t be shown right now</h1>
          <p className="max-w-[60ch] text-muted">
            Something went wrong on our side. Anything saved earlier is still there. What you just sent may
            not have arrived, so check before you send it again.
          </p>
          {error.digest && <code className="text-sm break-all">{error.digest}</code>}
          <a href="/" className="text-link">
            Go to the home page
          </a>
        </main>
      </body>
    </html>
  );
}
