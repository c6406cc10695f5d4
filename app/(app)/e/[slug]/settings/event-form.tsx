import { useTranslator } from "#i18n";
import type { PublicEventRecord } from "#components/event/this-event.ts";
import { Checkbox, DateTimeField, TextArea, TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { UnsavedChangesGuard } from "#components/ui/leave-guard.tsx";
import { MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH } from "#lib/organizations/schema.ts";
import { saveEventAction } from "./actions.ts";
import { EVENT_FORM_FIELDS } from "./fields.ts";

const WEBSITE_PLACEHOLDER = "https://";

/** Form for name, address, dates and contact. */
export function EventForm({ event }: { event: PublicEventRecord }) {
  const t = useTranslator("eventAdmin");
  const values = toFormFields(event);
  return (
    <Form
      action={saveEventAction}
      hidden={{ slug: event.slug, ifMatch: event.updatedAt }}
      label={t("settings.event")}
      versions={{
        fields: EVENT_FORM_FIELDS.map((name) => ({
          name,
          label: t(`settings.${name}`),
          theirs: values[name],
        })),
        boxes: [{ name: "isActive", label: t("settings.isActive"), theirs: event.isActive }],
      }}
    >
      <UnsavedChangesGuard />
      <NameFields values={values} />
      <DateAndContactFields values={values} />
      <Checkbox
        name="isActive"
        value="true"
        label={t("settings.isActive")}
        hint={t("settings.isActiveHint")}
        defaultChecked={event.isActive}
      />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("save")}</SubmitButton>
      </FormActions>
    </Form>
  );
}

type FieldsProps = { values: ReturnType<typeof toFormFields> };

function NameFields({ values }: FieldsProps) {
  const t = useTranslator("eventAdmin");
  return (
    <>
      <TextField
        name="name"
        label={t("settings.name")}
        defaultValue={values.name}
        maxLength={MAX_NAME_LENGTH}
        required
      />
      <TextField
        name="newSlug"
        label={t("settings.newSlug")}
        hint={t("settings.newSlugHint")}
        defaultValue={values.newSlug}
        maxLength={63}
        spellCheck={false}
        autoComplete="off"
        required
      />
      <TextArea
        name="description"
        label={t("settings.description")}
        defaultValue={values.description}
        maxLength={MAX_DESCRIPTION_LENGTH}
        rows={3}
        count
      />
    </>
  );
}

function DateAndContactFields({ values }: FieldsProps) {
  const t = useTranslator("eventAdmin");
  return (
    <>
      <div className="grid gap-6 sm:grid-cols-2">
        <DateTimeField
          name="startDate"
          label={t("settings.startDate")}
          zone="UTC"
          defaultValue={values.startDate}
        />
        <DateTimeField
          name="endDate"
          label={t("settings.endDate")}
          zone="UTC"
          defaultValue={values.endDate}
        />
      </div>
      <TextField
        name="website"
        type="url"
        label={t("settings.website")}
        defaultValue={values.website}
        placeholder={WEBSITE_PLACEHOLDER}
      />
      <TextField
        name="contactEmail"
        type="email"
        label={t("settings.contactEmail")}
        hint={t("settings.contactEmailHint")}
        defaultValue={values.contactEmail}
        autoComplete="off"
      />
    </>
  );
}

/** The event as the values of the form's fields. */
const toFormFields = (event: PublicEventRecord) => ({
  name: event.name,
  newSlug: event.slug,
  description: event.description ?? "",
  startDate: formatUtcMinute(event.startDate),
  endDate: formatUtcMinute(event.endDate),
  website: event.website ?? "",
  contactEmail: event.contactEmail ?? "",
});

/** Formats a time for a datetime field: to the minute, in UTC. */
const formatUtcMinute = (time: string | null): string => time?.slice(0, 16) ?? "";
