import { useTranslator } from "#i18n";
import { Checkbox, CheckboxGroup, RadioGroup, TextField } from "#components/ui/field.tsx";
import { isolateBidi } from "#lib/design/bidi.ts";
import { MAX_CONTACT_PHONE_LENGTH } from "#lib/incidents/schema.ts";
import { AnonymityNote, WithoutAccountNote } from "./name-notes.tsx";

function ReporterFields() {
  const t = useTranslator("reportForm");
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
            { value: "email", label: t("contact.email"), hint: t("contactEmailHint") },
            { value: "phone", label: t("contact.phone"), hint: t("contactPhoneHint") },
            { value: "in_person", label: t("contact.in_person"), hint: t("contactPersonHint") },
            { value: "no_contact", label: t("contact.no_contact") },
          ]}
        />
        <div className="if-by-phone mt-6">
          <TextField
            name="contactPhone"
            type="tel"
            label={t("field.contactPhone")}
            hint={t("contactPhoneAbout")}
            maxLength={MAX_CONTACT_PHONE_LENGTH}
            autoComplete="off"
          />
        </div>
      </div>
    </>
  );
}

type ExclusionProps = {
  /** From whom the report can be hidden. */
  readers: readonly { value: string; label: string }[];
  /** The name of who reads a report that is hidden from all of them, if anybody does. */
  contact: string | null;
  /** How to reach the people who run the service. */
  supportContact: string | null;
};

type YouProps = ExclusionProps & { withoutAccount: boolean };

/** Fields about the reporter, and about the people who must not read the report. */
export function ReporterAndExclusionFields({ withoutAccount, ...exclusion }: YouProps) {
  return (
    <>
      {withoutAccount ? <WithoutAccountNote /> : <ReporterFields />}
      {exclusion.readers.length > 0 && <ExclusionField {...exclusion} />}
    </>
  );
}

/** Members of the team who must not see the report. */
function ExclusionField({ readers, contact, supportContact }: ExclusionProps) {
  const t = useTranslator("reportForm");
  const tReport = useTranslator("report");
  return (
    <div className="grid gap-3">
      <CheckboxGroup
        name="excludedUserIds"
        inputName="excludedUserIds[]"
        label={t("field.excludedUserIds")}
        hint={contact === null ? t("excludedHint") : t("excludedContactHint", { name: isolateBidi(contact) })}
        options={readers}
      />
      {supportContact && (
        <p className="max-w-[60ch] text-sm wrap-anywhere text-muted">
          {tReport("excludedElse", { contact: supportContact })}
        </p>
      )}
    </div>
  );
}
