import { useTranslator } from "#i18n";
import { CheckboxGroup } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { EVENT_ROLES } from "#lib/events/schema.ts";
import type { EventRole } from "#lib/operation/actor.ts";
import { changeEventRolesAction } from "../actions.ts";

type Props = { hidden: { slug: string; userId: string }; roles: readonly EventRole[] };

/** Checkboxes for a person's roles. */
export function RolesForm({ hidden, roles }: Props) {
  const t = useTranslator("eventAdmin");
  const name = useTranslator("incident");
  return (
    <Form
      action={changeEventRolesAction}
      hidden={{ ...hidden, held: roles.join(",") }}
      label={t("person.rolesCard")}
    >
      <CheckboxGroup
        name="roles"
        label={t("team.roles")}
        hint={t("person.rolesTakenAbout")}
        options={EVENT_ROLES.map((value) => ({
          value,
          label: name(`role.${value}`),
          hint: t(`person.about.${value}`),
        }))}
        defaultValue={roles}
        required
      />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("person.saveRoles")}</SubmitButton>
      </FormActions>
    </Form>
  );
}
