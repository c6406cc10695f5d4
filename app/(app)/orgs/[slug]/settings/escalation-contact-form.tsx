import { useTranslator } from "#i18n";
import { Card } from "#components/ui/card.tsx";
import { SelectField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { saveEscalationContactAction } from "./actions.ts";

type Props = {
  organization: { slug: string };
  contact: { id: string } | null;
  members: readonly { user: { id: string; name: string }; invited: boolean }[];
};

/** The form for the escalation contact, who reads the reports that are hidden from everybody on the response team. */
export function EscalationContactForm({ organization, contact, members }: Props) {
  const t = useTranslator("organization");
  const options = members
    .filter(({ invited }) => !invited)
    .map(({ user }) => ({ value: user.id, label: user.name }));
  return (
    <Card title={t("contact.title")} id="contact">
      <div className="grid grid-cols-1 gap-4">
        <p className="text-muted">{t("contact.about")}</p>
        <Form
          action={saveEscalationContactAction}
          hidden={{ organization: organization.slug }}
          label={t("contact.title")}
        >
          <SelectField
            name="userId"
            label={t("contact.person")}
            prompt={t("contact.nobody")}
            options={options}
            defaultValue={contact?.id}
            markOptional={false}
          />
          <FormActions>
            <SubmitButton pendingLabel={t("saving")}>{t("contact.save")}</SubmitButton>
          </FormActions>
        </Form>
      </div>
    </Card>
  );
}
