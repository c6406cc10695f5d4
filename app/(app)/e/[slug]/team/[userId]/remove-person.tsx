import { useTranslator } from "#i18n";
import { DismissDialogButton } from "#components/ui/dismiss-button.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { removeEventUserAction } from "../actions.ts";

type Props = {
  hidden: { slug: string; userId: string };
  name: string;
  /** Number of open incidents. */ holds: number;
};

/** Removes all roles of a person, after explaining the consequences. */
export function RemovePersonForm({ hidden, name, holds }: Props) {
  const t = useTranslator("eventAdmin");
  return (
    <Form
      action={removeEventUserAction}
      hidden={hidden}
      dialog={{ trigger: t("person.remove"), title: t("person.removeTitle", { name }), variant: "quiet" }}
    >
      <p>{t("person.removeAbout")}</p>
      {holds > 0 && (
        <Notice kind="warning">
          <p>{t("person.removeAssigned", { count: holds })}</p>
        </Notice>
      )}
      <FormActions>
        <SubmitButton variant="danger" pendingLabel={t("removing")}>
          {t("person.removeNow")}
        </SubmitButton>
        <DismissDialogButton outcome="leave" />
      </FormActions>
    </Form>
  );
}
