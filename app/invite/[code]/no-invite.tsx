import { MailQuestion } from "lucide-react";
import { MessagePage } from "#components/shell/messages.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { LinkButton } from "#components/ui/button.tsx";

/** Who was invited needs other words than who mistyped an address. */
export function NoInvite() {
  return (
    <NarrowFrame>
      <MessagePage
        icon={MailQuestion}
        title="There is no invite at this address"
        actions={<LinkButton href="/">Go to the start page</LinkButton>}
      >
        <p>
          The link may be cut short. Copy it whole from the message, or ask whoever sent it for a new one.
        </p>
      </MessagePage>
    </NarrowFrame>
  );
}
