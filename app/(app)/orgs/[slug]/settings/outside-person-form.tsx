import { useTranslator } from "#i18n";
import { Card } from "#components/ui/card.tsx";
import { SelectField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { saveOutsidePersonAction } from "./actions.ts";

type Props = {
  organization: { slug: string };
  outsidePerson: { id: string } | null;
  members: readonly { user: { id: string; name: string }; invited: boolean }[];
};

/** The form for the outside person, who reads the reports that are hidden from everybody on the response team. */
export function OutsidePersonForm({ organization, outsidePerson, members }: Props) {
  const t = useTranslator("organization");
  const options = members
    .filter(({ invited }) => !invited)
    .map(({ user }) => ({ value: user.id, label: user.name }));
  return (
    <Card title={t("outsidePerson.title")} id="outside-person">
      <div className="grid grid-cols-1 gap-4">
        <p className="text-muted">{t("outsidePerson.about")}</p>
        <Form
          action={saveOutsidePersonAction}
          hidden={{ organization: organization.slug }}
          label={t("outsidePerson.title")}
        >
          <SelectField
            name="userId"
            label={t("outsidePerson.person")}
            prompt={t("outsidePerson.nobody")}
            options={options}
            defaultValue={outsidePerson?.id}
            markOptional={false}
          />
          <FormActions>
            <SubmitButton pendingLabel={t("saving")}>{t("outsidePerson.save")}</SubmitButton>
          </FormActions>
        </Form>
      </div>
    </Card>
  );
}
