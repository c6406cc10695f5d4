"use client";

import { type ComponentProps, type MouseEvent, useId } from "react";
import { DismissDialogButton } from "#components/ui/dismiss-button.tsx";
import { openDialog } from "#components/ui/dialog.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";

type Props = {
  action: ComponentProps<typeof Form>["action"];
  label: string;
  /** Id of the form whose text and files would be lost. */
  sendForm: string;
  /** The question that is asked if something would be lost. */
  question: { title: string; text: string; confirm: string; keep: string };
};

/** Locks the mailbox on this device. Asks first if something is written and not sent. */
export function MailboxLockForm({ action, label, sendForm, question }: Props) {
  const dialog = useId();
  const askFirst = (event: MouseEvent) => {
    if (!hasUnsentContent(sendForm)) return;
    event.preventDefault();
    openDialog(dialog);
  };
  return (
    <>
      <Form action={action} label={label}>
        <FormActions>
          <SubmitButton variant="secondary" onClick={askFirst}>
            {label}
          </SubmitButton>
        </FormActions>
      </Form>
      <Form action={action} dialog={{ id: dialog, title: question.title }}>
        <p>{question.text}</p>
        <FormActions>
          <SubmitButton variant="danger">{question.confirm}</SubmitButton>
          <DismissDialogButton>{question.keep}</DismissDialogButton>
        </FormActions>
      </Form>
    </>
  );
}

/** Whether a text is written or a file is chosen, also in fields that belong to the form from elsewhere in the page. */
function hasUnsentContent(formId: string): boolean {
  const form = document.getElementById(formId);
  return (
    form instanceof HTMLFormElement &&
    [...form.elements].some((field) =>
      field instanceof HTMLTextAreaElement
        ? field.value.trim() !== ""
        : field instanceof HTMLInputElement && field.type === "file" && field.value !== "",
    )
  );
}
