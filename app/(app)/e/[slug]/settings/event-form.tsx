import { useWords } from "#words";
import type { EventOfPage } from "#components/event/this-event.ts";
import { Checkbox, DateTimeField, TextArea, TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { LeaveGuard } from "#components/ui/leave-guard.tsx";
import { MAX_DESCRIPTION, MAX_NAME } from "#lib/organizations/schema.ts";
import { saveEventAction } from "./actions.ts";
import { EVENT_FIELDS } from "./fields.ts";

const ANY_SITE = "https://";

/** Name, address, dates and contact. */
export function EventForm({ event }: { event: EventOfPage }) {
  const t = useWords("eventAdmin");
  const now = fieldsOf(event);
  return (
    <Form
      action={saveEventAction}
      hidden={{ slug: event.slug, ifMatch: event.updatedAt }}
      label={t("settings.event")}
      versions={{
        fields: EVENT_FIELDS.map((name) => ({ name, label: t(`settings.${name}`), theirs: now[name] })),
        boxes: [{ name: "isActive", label: t("settings.isActive"), theirs: event.isActive }],
      }}
    >
      <LeaveGuard />
      <TextField
        name="name"
        label={t("settings.name")}
        defaultValue={now.name}
        maxLength={MAX_NAME}
        required
      />
      <TextField
        name="newSlug"
        label={t("settings.newSlug")}
        hint={t("settings.newSlugHint")}
        defaultValue={now.newSlug}
        maxLength={63}
        spellCheck={false}
        autoComplete="off"
        required
      />
      <TextArea
        name="description"
        label={t("settings.description")}
        defaultValue={now.description}
        maxLength={MAX_DESCRIPTION}
        rows={3}
        count
      />
      <div className="grid gap-6 sm:grid-cols-2">
        <DateTimeField
          name="startDate"
          label={t("settings.startDate")}
          zone="UTC"
          defaultValue={now.startDate}
        />
        <DateTimeField name="endDate" label={t("settings.endDate")} zone="UTC" defaultValue={now.endDate} />
      </div>
      <TextField
        name="website"
        type="url"
        label={t("settings.website")}
        defaultValue={now.website}
        placeholder={ANY_SITE}
      />
      <TextField
        name="contactEmail"
        type="email"
        label={t("settings.contactEmail")}
        hint={t("settings.contactEmailHint")}
        defaultValue={now.contactEmail}
        autoComplete="off"
      />
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

/** The event in the spelling of the form's fields. */
const fieldsOf = (event: EventOfPage) => ({
  name: event.name,
  newSlug: event.slug,
  description: event.description ?? "",
  startDate: minute(event.startDate),
  endDate: minute(event.endDate),
  website: event.website ?? "",
  contactEmail: event.contactEmail ?? "",
});

/** As a field of day and time has it: to the minute, in UTC. */
const minute = (time: string | null): string => time?.slice(0, 16) ?? "";
