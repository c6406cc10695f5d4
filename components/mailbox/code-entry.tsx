import type { ComponentProps, ReactNode } from "react";
import { TextArea } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { UserText } from "#components/ui/user-text.tsx";
import { MAX_RECEIPT_LENGTH } from "#lib/mailbox/schema.ts";
import { ProofOfWorkFields } from "./proof-fields.tsx";
import { MailboxCodeNotFoundNotice } from "./code-not-found-notice.tsx";

type Texts = {
  title: string;
  lead: string;
  label: string;
  hint: string;
  open: string;
  opening: string;
  /** Advice for people who don't have the words. */
  forgotten: string;
  /** Links to the other page that words can open. It is always shown, so it reveals nothing about the words entered. */
  elsewhere: ReactNode;
  /** Introduces a text that couldn't be sent. */
  unsent: string;
};

type Props = {
  action: ComponentProps<typeof Form>["action"];
  /** Name of the field. */
  name: string;
  texts: Texts;
  /** A text that arrived too late for its mailbox or letterbox, to be copied. */
  unsentText: string | undefined;
};

/** The content of the page on which seven words open a mailbox or a letterbox: title, form and advice. */
export function MailboxOrLetterboxCodeForm({ action, name, texts, unsentText }: Props) {
  return (
    <>
      {unsentText && (
        <Notice kind="warning" title={texts.unsent} live>
          <UserText>{unsentText}</UserText>
        </Notice>
      )}
      <header className="grid max-w-[60ch] gap-3">
        <h1 className="text-2xl sm:text-3xl">{texts.title}</h1>
        <p className="text-lg">{texts.lead}</p>
      </header>
      <Form action={action} label={texts.title} className="max-w-[60ch]">
        <MailboxCodeNotFoundNotice>{texts.elsewhere}</MailboxCodeNotFoundNotice>
        <ProofOfWorkFields />
        <TextArea
          name={name}
          label={texts.label}
          hint={texts.hint}
          rows={3}
          maxLength={MAX_RECEIPT_LENGTH}
          autoComplete="off"
          spellCheck={false}
          required
        />
        <FormActions>
          <SubmitButton pendingLabel={texts.opening}>{texts.open}</SubmitButton>
        </FormActions>
      </Form>
      <div className="grid max-w-[60ch] gap-2 text-muted">
        <p>{texts.elsewhere}</p>
        <p>{texts.forgotten}</p>
      </div>
    </>
  );
}
