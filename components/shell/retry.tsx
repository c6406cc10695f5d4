"use client";

import { RotateCw } from "lucide-react";
import { useWords } from "#words";
import { Button, LinkButton } from "#components/ui/button.tsx";
import { ErrorMessage } from "./failure.tsx";

type Props = { error: Error & { digest?: string }; retry: () => void };

/** What an error boundary shows: what happened, and the ways on. */
export function Retry({ error, retry }: Props) {
  const t = useWords("failure");
  return (
    <ErrorMessage
      reference={error.digest}
      actions={
        <>
          <Button variant="primary" icon={RotateCw} onClick={() => retry()}>
            {t("tryAgain")}
          </Button>
          <LinkButton href="/">{t("toStart")}</LinkButton>
        </>
      }
    />
  );
}
