"use client";

import { useState } from "react";
import { useTranslator } from "#i18n";
import { Button, LinkButton } from "#components/ui/button.tsx";
import { ServerErrorMessage } from "./failure.tsx";

type Props = { error: Error & { digest?: string }; retry: () => void };

/** The content of an error boundary: what happened, and links to continue. */
export function ErrorBoundaryMessage({ error, retry }: Props) {
  const t = useTranslator("failure");
  const [isUnreachable, setIsUnreachable] = useState(false);

  /**
   * Checks that the server responds before reloading; otherwise the browser would replace this page with its
   * own error page.
   */
  async function retryWhenReachable() {
    setIsUnreachable(false);
    const isServiceReachable = await fetch("/api/health/live", { cache: "no-store" }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isServiceReachable) retry();
    else setIsUnreachable(true);
  }

  return (
    <ServerErrorMessage
      reference={error.digest}
      actions={
        <>
          <Button variant="primary" icon="rotate-cw" onClick={() => void retryWhenReachable()}>
            {t("tryAgain")}
          </Button>
          <LinkButton href="/">{t("toStart")}</LinkButton>
          <p role="status" className="w-full">
            {isUnreachable && t("stillAway")}
          </p>
        </>
      }
    />
  );
}
