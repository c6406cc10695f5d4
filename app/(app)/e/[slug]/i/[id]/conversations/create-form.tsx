import { useTranslator } from "#i18n";
import { Card } from "#components/ui/card.tsx";
import { RadioGroup, TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { OTHER_PARTIES, MAX_CONVERSATION_LABEL_LENGTH } from "#lib/conversations/schema.ts";
import { createConversationAction } from "./actions.ts";
import { NewWordsNotice } from "./new-words-notice.tsx";

type Props = { slug: string; incidentId: string; ticket: string };

/** The form that creates a conversation, and shows its words once. */
export function CreateConversationForm({ slug, incidentId, ticket }: Props) {
  const t = useTranslator("conversations");
  return (
    <Card title={t("create")}>
      <Form
        action={createConversationAction}
        hidden={{ slug, incidentId, ticket }}
        label={t("create")}
        className="max-w-[60ch]"
        resetOnSuccess
      >
        <NewWordsNotice />
        <RadioGroup
          name="party"
          label={t("party")}
          options={OTHER_PARTIES.map((value) => ({ value, label: t(`party.${value}`) }))}
          defaultValue="reported_person"
          markOptional={false}
        />
        <TextField
          name="label"
          label={t("label")}
          hint={t("labelHint")}
          maxLength={MAX_CONVERSATION_LABEL_LENGTH}
          autoComplete="off"
          required
        />
        <FormActions>
          <SubmitButton pendingLabel={t("creating")}>{t("create")}</SubmitButton>
        </FormActions>
      </Form>
    </Card>
  );
}
