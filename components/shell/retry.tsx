"use client";

import { RotateCw } from "lucide-react";
import { useState } from "react";
import { useWords } from "#words";
import { Button, LinkButton } from "#components/ui/button.tsx";
import { ErrorMessage } from "./failure.tsx";

type Props = { error: Error & { digest?: string }; retry: () => void };

/** What an error boundary shows: what happened, and the ways on. */
export function Retry({ error, retry }: Props) {
  const t = useWords("failure");
  const [away, setAway] = useState(false);

  /** Asked of a service that can't be reached, the browser would put a page of its own in the place of this one. */
  async function again() {
    setAway(false);
    const there = await fetch("/api/health/live", { cache: "no-store" }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (there) retry();
    else setAway(true);
  }

  return (
    <ErrorMessage
      reference={error.digest}
      actions={
        <>
          <Button variant="primary" icon={RotateCw} onClick={() => void again()}>
            {t("tryAgain")}
          </Button>
          <LinkButton href="/">{t("toStart")}</LinkButton>
          <p role="status" className="w-full">
            {away && t("stillAway")}
          </p>
        </>
      }
    />
  );
}
