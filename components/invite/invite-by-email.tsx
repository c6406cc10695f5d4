import { useTranslator } from "#i18n";
import { useOrganizationRoleOptions } from "#components/organization/role-options.ts";
import { SelectField, TextArea } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { EVENT_ROLES } from "#lib/events/schema.ts";
import { sealWriterIdAsFormTicket } from "#lib/http/form-drafts.ts";
import { INVITE_MAIL_DAYS, MAX_INVITED_ADDRESSES } from "#lib/invites/schema.ts";
import { mailInvitesAction } from "./actions.ts";

type Props = {
  /** The event or organization, by its slug. */
  to: { event: string } | { organization: string };
  /** Who invites. */
  userId: string;
};

/** A form that invites people by email; which of the addresses have an account shows nowhere. */
export function InviteByEmailForm({ to, userId }: Props) {
  const t = useTranslator("invite");
  const isEvent = "event" in to;
  const organizationRoles = useOrganizationRoleOptions().map(({ value, label }) => ({ value, label }));
  const eventRoles = EVENT_ROLES.map((value) => ({ value, label: t(`role.${value}`) }));
  return (
    <Form
      action={mailInvitesAction}
      hidden={{ ...to, ticket: sealWriterIdAsFormTicket(userId), sendOnce: "true" }}
      label={t("byEmail")}
      resetOnSuccess
    >
      <EmailAddressesField
        name="emails"
        label={t("byEmail.emails")}
        hint={t("byEmail.about", { days: INVITE_MAIL_DAYS, max: MAX_INVITED_ADDRESSES })}
        required
      />
      <SelectField
        name="role"
        label={t("byEmail.role")}
        options={isEvent ? eventRoles : organizationRoles}
        defaultValue={isEvent ? "Responder" : "org_viewer"}
        required
      />
      <FormActions>
        <SubmitButton pendingLabel={t("byEmail.sending")}>{t("byEmail.send")}</SubmitButton>
      </FormActions>
    </Form>
  );
}

type FieldProps = { name: string; label: string; hint: string; required?: boolean };

/** Several email addresses, one a line or with commas between. */
export function EmailAddressesField(props: FieldProps) {
  return <TextArea {...props} rows={3} autoComplete="off" spellCheck={false} />;
}
