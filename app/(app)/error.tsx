"use client";

import { RotateCw } from "lucide-react";
import { ErrorMessage } from "#components/shell/messages.tsx";
import { Button, LinkButton } from "#components/ui/button.tsx";

type Props = { error: Error & { digest?: string }; retry: () => void };

/** A failure inside the frame: the way to the other pages stays. */
export default function ErrorPage({ error, retry }: Props) {
  return (
    <ErrorMessage
      reference={error.digest}
      actions={
        <>
          <Button variant="primary" icon={RotateCw} onClick={() => retry()}>
            Try again
          </Button>
          <LinkButton href="/">Go to the start page</LinkButton>
        </>
      }
    />
  );
}
