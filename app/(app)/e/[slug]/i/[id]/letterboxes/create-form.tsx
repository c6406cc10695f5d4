import { useTranslator } from "#i18n";
import { Card } from "#components/ui/card.tsx";
import { RadioGroup, TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { LETTERBOX_KINDS, MAX_LETTERBOX_LABEL_LENGTH } from "#lib/letterboxes/schema.ts";
import { createLetterboxAction } from "./actions.ts";
import { NewLetterboxCodeNotice } from "./new-letterbox-code.tsx";

type Props = { slug: string; incidentId: string; ticket: string };

/** The form that creates a letterbox, and shows its words once. */
export function CreateLetterboxForm({ slug, incidentId, ticket }: Props) {
  const t = useTranslator("letterboxes");
  return (
    <Card title={t("create")}>
      <Form
        action={createLetterboxAction}
        hidden={{ slug, incidentId, ticket }}
        label={t("create")}
        className="max-w-[60ch]"
        resetOnSuccess
      >
        <NewLetterboxCodeNotice />
        <RadioGroup
          name="kind"
          label={t("kind")}
          options={LETTERBOX_KINDS.map((value) => ({ value, label: t(`kind.${value}`) }))}
          defaultValue="reported_person"
          markOptional={false}
        />
        <TextField
          name="label"
          label={t("label")}
          hint={t("labelHint")}
          maxLength={MAX_LETTERBOX_LABEL_LENGTH}
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
