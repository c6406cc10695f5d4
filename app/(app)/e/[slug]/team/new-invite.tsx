import { useTranslator } from "#i18n";
import { InviteUseLimitAndNoteFields } from "#components/invite/invite-limits.tsx";
import { DateTimeField, SelectField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { chooseTimeZoneForEventTimes } from "#lib/design/reader-zone.ts";
import { EVENT_ROLES } from "#lib/events/schema.ts";
import { formatZoneName } from "#lib/design/time.ts";
import { createEventInviteAction } from "./invite-actions.ts";

type Props = { slug: string; timeZone: string | null };

/** Form for a new invite, for another helper if nothing else is chosen. */
export function NewEventInviteForm({ slug, timeZone }: Props) {
  const t = useTranslator("eventAdmin");
  const roleNames = useTranslator("incident");
  const zone = chooseTimeZoneForEventTimes(null, timeZone);
  return (
    <Form
      action={createEventInviteAction}
      hidden={{ slug, zone }}
      label={t("invites.newForm")}
      resetOnSuccess
    >
      <SelectField
        name="role"
        label={t("invites.role")}
        options={EVENT_ROLES.map((value) => ({ value, label: roleNames(`role.${value}`) }))}
        defaultValue="Responder"
        required
      />
      <DateTimeField
        name="expiresAt"
        label={t("invites.expiresAt")}
        zone={formatZoneName(zone)}
        hint={t("invites.expiresAtHint")}
      />
      <InviteUseLimitAndNoteFields
        labels={{
          uses: t("invites.maxUses"),
          usesHint: t("invites.maxUsesHint"),
          note: t("invites.note"),
          noteHint: t("invites.noteHint"),
        }}
      />
      <FormActions>
        <SubmitButton pendingLabel={t("invites.creating")}>
          <Icon as="user-plus" /> {t("invites.create")}
        </SubmitButton>
      </FormActions>
    </Form>
  );
}
