"use client";

import { RotateCw } from "lucide-react";
import { ErrorMessage } from "#components/shell/messages.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { Button, LinkButton } from "#components/ui/button.tsx";

type Props = { error: Error & { digest?: string }; retry: () => void };

export default function ErrorPage({ error, retry }: Props) {
  return (
    <NarrowFrame width="reading">
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
    </NarrowFrame>
  );
}
