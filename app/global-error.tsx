"use client";

import "./globals.css";
import { ErrorMessage } from "#components/shell/messages.tsx";
import { buttonClass } from "#components/ui/button.tsx";

type Props = { error: Error & { digest?: string } };

/** The last resort, when the root layout itself failed: it needs no script to lead on. */
export default function GlobalError({ error }: Props) {
  return (
    <html lang="en" dir="ltr">
      <body>
        <title>Heed</title>
        <main className="mx-auto max-w-3xl px-4 py-16 sm:px-6">
          <ErrorMessage
            reference={error.digest}
            actions={
              <a href="/" className={buttonClass("primary")}>
                Go to the start page
              </a>
            }
          />
        </main>
      </body>
    </html>
  );
}
