"use client";

import { RotateCw } from "lucide-react";
import { useState } from "react";
import { useTranslator } from "#words";
import { Button, LinkButton } from "#components/ui/button.tsx";
import { ErrorMessage } from "./failure.tsx";

type Props = { error: Error & { digest?: string }; retry: () => void };

/** What an error boundary shows: what happened, and the ways on. */
export function RetryMessage({ error, retry }: Props) {
  const t = useTranslator("failure");
  const [isUnreachable, setIsUnreachable] = useState(false);

  /** Asked of a service that can't be reached, the browser would put a page of its own in the place of this one. */
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
    <ErrorMessage
      reference={error.digest}
      actions={
        <>
          <Button variant="primary" icon={RotateCw} onClick={() => void retryWhenReachable()}>
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
