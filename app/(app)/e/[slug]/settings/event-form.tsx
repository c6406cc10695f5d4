import { useTranslator } from "#i18n";
import type { PublicEventRecord } from "#components/event/event-data.ts";
import { EventDetailFields } from "#components/event/event-fields.tsx";
import { Checkbox, TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { UnsavedChangesGuard } from "#components/ui/unsaved-changes-guard.tsx";
import { toEventFirstAndLastDay } from "#lib/events/event-days.ts";
import { MAX_ORG_OR_EVENT_NAME_LENGTH } from "#lib/organizations/schema.ts";
import { saveEventAction } from "./actions.ts";
import { EVENT_FORM_FIELD_NAMES } from "./fields.ts";

/** Form for name, address, dates and contact. */
export function EventForm({ event }: { event: PublicEventRecord }) {
  const t = useTranslator("eventAdmin");
  const labelOf = useEventFieldLabel();
  const values = toFormFields(event);
  return (
    <Form
      action={saveEventAction}
      hidden={{
        slug: event.slug,
        ifMatch: event.updatedAt,
        startedAt: event.startDate ?? "",
        endedAt: event.endDate ?? "",
        zoneBefore: event.timeZone ?? "",
      }}
      label={t("settings.event")}
      versions={{
        fields: EVENT_FORM_FIELD_NAMES.map((name) => ({
          name,
          label: labelOf(name),
          theirs: values[name],
        })),
        boxes: [{ name: "isActive", label: t("settings.isActive"), theirs: event.isActive }],
      }}
    >
      <UnsavedChangesGuard />
      <NameFields values={values} />
      <EventDetailFields values={values} />
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

function useEventFieldLabel(): (name: (typeof EVENT_FORM_FIELD_NAMES)[number]) => string {
  const t = useTranslator("organization");
  const tField = useTranslator("ui");
  return (name) => (name === "timeZone" ? tField(name) : t(name === "newSlug" ? "slug" : name));
}

type FieldsProps = { values: ReturnType<typeof toFormFields> };

function NameFields({ values }: FieldsProps) {
  const t = useTranslator("organization");
  const tSettings = useTranslator("eventAdmin");
  return (
    <>
      <TextField
        name="name"
        label={t("name")}
        defaultValue={values.name}
        maxLength={MAX_ORG_OR_EVENT_NAME_LENGTH}
        autoComplete="off"
        required
      />
      <TextField
        name="newSlug"
        label={t("slug")}
        hint={tSettings("settings.newSlugHint")}
        defaultValue={values.newSlug}
        maxLength={63}
        spellCheck={false}
        autoComplete="off"
        required
      />
    </>
  );
}

/** The event as the values of the form's fields. */
function toFormFields(event: PublicEventRecord) {
  const { first, last } = toEventFirstAndLastDay(event);
  return {
    name: event.name,
    newSlug: event.slug,
    description: event.description ?? "",
    startDate: first ?? "",
    endDate: last ?? "",
    timeZone: event.timeZone ?? "",
    website: event.website ?? "",
    contactEmail: event.contactEmail ?? "",
  };
}
