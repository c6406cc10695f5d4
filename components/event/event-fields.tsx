import { EXAMPLE_WEBSITE } from "#lib/events/schema.ts";
import { useTranslator } from "#i18n";
import { TextArea, TextField } from "#components/ui/field.tsx";
import { TimeZoneField } from "#components/ui/time-zone-field.tsx";
import { MAX_ORG_OR_EVENT_DESCRIPTION_LENGTH } from "#lib/organizations/schema.ts";

/** Fields that the form for a new event and the event's settings share, after name and short name. */

export const EVENT_DETAIL_FIELD_NAMES = [
  "description",
  "startDate",
  "endDate",
  "timeZone",
  "website",
  "contactEmail",
] as const;
type EventDetailFieldName = (typeof EVENT_DETAIL_FIELD_NAMES)[number];

type Props = {
  values?: Partial<Record<EventDetailFieldName, string>>;
  /** Whether an empty zone becomes that of the browser. */
  guessZone?: boolean;
};

export function EventDetailFields({ values = {}, guessZone = false }: Props) {
  const t = useTranslator("organization");
  return (
    <>
      <TextArea
        name="description"
        label={t("description")}
        hint={t("event.description.about")}
        defaultValue={values.description}
        maxLength={MAX_ORG_OR_EVENT_DESCRIPTION_LENGTH}
        rows={3}
        count
      />
      <EventDayFields values={values} guessZone={guessZone} />
      <TextField
        name="website"
        type="url"
        label={t("website")}
        defaultValue={values.website}
        placeholder={EXAMPLE_WEBSITE}
        maxLength={500}
        autoComplete="off"
      />
      <TextField
        name="contactEmail"
        type="email"
        label={t("contactEmail")}
        hint={t("contactEmail.about")}
        defaultValue={values.contactEmail}
        maxLength={254}
        autoComplete="off"
      />
    </>
  );
}

/** First and last day, and the zone in which they begin and end. */
function EventDayFields({ values = {}, guessZone = false }: Props) {
  const t = useTranslator("organization");
  const day = { type: "date", min: "1900-01-01", max: "2100-12-31" } as const;
  return (
    <>
      <div className="grid gap-6 sm:grid-cols-2">
        <TextField {...day} name="startDate" label={t("startDate")} defaultValue={values.startDate} />
        <TextField {...day} name="endDate" label={t("endDate")} defaultValue={values.endDate} />
      </div>
      <TimeZoneField hint={t("event.timeZone.about")} defaultValue={values.timeZone} guess={guessZone} />
    </>
  );
}
