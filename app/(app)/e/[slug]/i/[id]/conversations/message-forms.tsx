import type { ComponentProps, ReactNode } from "react";
import { useTranslator } from "#i18n";
import { TextArea, TextField } from "#components/ui/field.tsx";
import { FormFieldsDisclosure } from "#components/ui/form-fields-disclosure.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { MAX_COMMENT_LENGTH } from "#lib/conversations/comment-schema.ts";
import { MAX_DECISION_PART_LENGTH } from "#lib/conversations/schema.ts";
import { sendDecisionAction, sendMessageToPartyAction } from "./actions.ts";

type Props = { hidden: Record<string, string> };

export function MessageToPartyForm({ hidden }: Props) {
  const t = useTranslator("conversations");
  return (
    <SendingForm action={sendMessageToPartyAction} hidden={hidden} label={t("write")} submit={t("send")}>
      <TextArea
        name="body"
        label={t("body")}
        hint={t("bodyHint")}
        rows={6}
        maxLength={MAX_COMMENT_LENGTH}
        count
        required
      />
    </SendingForm>
  );
}

/** The form for a decision with its four parts. */
export function DecisionForm({ hidden }: Props) {
  const t = useTranslator("conversations");
  return (
    <SendingForm action={sendDecisionAction} hidden={hidden} label={t("decide")} submit={t("sendDecision")}>
      <DecisionPart name="reported" label={t("reported")} hint={t("reportedHint")} />
      <DecisionPart name="finding" label={t("finding")} />
      <DecisionPart name="measure" label={t("measure")} hint={t("measureHint")} />
      <TextField name="measureEndsOn" type="date" label={t("measureEndsOn")} />
      <DecisionPart name="appeal" label={t("appealHow")} hint={t("appealHint")} />
    </SendingForm>
  );
}

type SendingFormProps = Pick<ComponentProps<typeof Form>, "action" | "hidden" | "label"> & {
  submit: string;
  children: ReactNode;
};

function SendingForm({ submit, children, ...form }: SendingFormProps) {
  const t = useTranslator("conversations");
  return (
    <Form {...form} className="max-w-[68ch]" resetOnSuccess>
      <FormFieldsDisclosure summary={form.label}>
        <div className="grid gap-6 py-2">
          {children}
          <FormActions>
            <SubmitButton pendingLabel={t("sending")}>{submit}</SubmitButton>
          </FormActions>
        </div>
      </FormFieldsDisclosure>
    </Form>
  );
}

function DecisionPart({ name, label, hint }: { name: string; label: string; hint?: string }) {
  return (
    <TextArea
      name={name}
      label={label}
      hint={hint}
      rows={3}
      maxLength={MAX_DECISION_PART_LENGTH}
      count
      required
    />
  );
}
