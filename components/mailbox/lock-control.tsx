import type { ComponentProps } from "react";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { MailboxLockForm } from "./lock-form.tsx";
import { ScriptOrFallback } from "./script-switch.tsx";

type Props = ComponentProps<typeof MailboxLockForm> & {
  /** Whether to ask: the lock button was pressed without script while the message form had a text. */
  isConfirming: boolean;
};

/** The button that locks a mailbox on this device, and asks before an unsent text is lost. */
export function MailboxLockControl({ isConfirming, ...lock }: Props) {
  if (isConfirming) return <LockQuestion {...lock} />;
  return (
    <ScriptOrFallback
      withScript={<MailboxLockForm {...lock} />}
      withoutScript={
        <button type="submit" form={lock.sendForm} name="sends" value="lock" className={buildButtonClass()}>
          {lock.label}
        </button>
      }
    />
  );
}

function LockQuestion({ action, question, sendForm }: Omit<Props, "label" | "isConfirming">) {
  return (
    <Form action={action} label={question.title} className="w-full max-w-[68ch] gap-3">
      <Notice kind="warning" title={question.title} live>
        <p>{question.text}</p>
      </Notice>
      <FormActions>
        <SubmitButton variant="danger">{question.confirm}</SubmitButton>
        <a href={`#${sendForm}`} className={buildButtonClass()}>
          {question.keep}
        </a>
      </FormActions>
    </Form>
  );
}
