import { useTranslator } from "#i18n";
import { Checkbox, RadioGroup, TextField } from "#components/ui/field.tsx";
import { MAX_CONTACT_PHONE_LENGTH } from "#lib/incidents/schema.ts";
import { AnonymityNote } from "./name-notes.tsx";

/** Fields about the reporter, for a report with an account. */
export function ReporterFields() {
  const t = useTranslator("reportForm");
  const tPage = useTranslator("report");
  return (
    <>
      <Checkbox name="anonymous" value="true" label={t("field.anonymous")} hint={<AnonymityNote />} />
      <div className="if-named">
        <RadioGroup
          name="contactMethod"
          label={t("field.contactMethod")}
          defaultValue="email"
          markOptional={false}
          options={[
            { value: "email", label: t("contact.email"), hint: tPage("contactEmailHint") },
            { value: "phone", label: t("contact.phone"), hint: tPage("contactPhoneHint") },
            { value: "in_person", label: t("contact.in_person"), hint: tPage("contactPersonHint") },
            { value: "no_contact", label: t("contact.no_contact") },
          ]}
        />
        <div className="if-by-phone mt-6">
          <TextField
            name="contactPhone"
            type="tel"
            label={t("field.contactPhone")}
            hint={tPage("contactPhoneAbout")}
            maxLength={MAX_CONTACT_PHONE_LENGTH}
            autoComplete="off"
          />
        </div>
      </div>
    </>
  );
}
