import type { ReactNode } from "react";
import { ServerErrorMessage } from "#components/shell/failure.tsx";
import {
  ServiceUnavailableMessage,
  ForbiddenMessage,
  NotFoundMessage,
  RequestRefusedMessage,
} from "#components/shell/messages.tsx";
import { Button } from "#components/ui/button.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { SampleSection } from "./section.tsx";

export function ErrorMessageSamples() {
  return (
    <SampleSection title="Messages">
      <p>
        Pages of their own: <TextLink href="/styleguide/nowhere">nothing at this address</TextLink>,{" "}
        <TextLink href="/styleguide?fail=1">a failure</TextLink>.
      </p>
      <Disclosure summary="Their words">
        <MessageStack>
          <NotFoundMessage />
          <ForbiddenMessage />
          <RequestRefusedMessage title="Too many requests">
            <p>Wait a moment, then try again.</p>
          </RequestRefusedMessage>
          <ServerErrorMessage reference="1a2b3c" actions={<Button>Try again</Button>} />
          <ServiceUnavailableMessage reference="1a2b3c" actions={<Button>Try again</Button>} />
        </MessageStack>
      </Disclosure>
    </SampleSection>
  );
}

function MessageStack({ children }: { children: ReactNode }) {
  return <div className="grid gap-4 divide-y divide-line">{children}</div>;
}
