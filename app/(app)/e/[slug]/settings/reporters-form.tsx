import { useTranslator } from "#i18n";
import { Checkbox, RadioGroup, TextArea, TextField } from "#components/ui/field.tsx";
import type { Translator } from "#components/i18n/translator.ts";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { UnsavedChangesGuard } from "#components/ui/unsaved-changes-guard.tsx";
import {
  FIRST_RESPONSE_PROMISE_LIMITS_HOURS,
  DEFAULT_QUICK_EXIT_URL,
  MAX_EMERGENCY_CONTACT_LENGTH,
  NEXT_UPDATE_PROMISE_LIMITS_DAYS,
  WHO_CAN_REPORT,
  type ReportSettings,
} from "#lib/events/report-settings.ts";
import { MAX_PHONE_LENGTH } from "#lib/operation/fields.ts";
import { saveReportSettingsAction } from "./actions.ts";
import { REPORT_SETTINGS_FORM_FIELD_NAMES } from "./fields.ts";

const BOXES = ["withoutAccount", "showTeam", "searchEngines"] as const;

const listReportAccessLabels = (t: Translator<"eventAdmin">) => ({
  account: t("settings.whoCanReport.account"),
  invite: t("settings.whoCanReport.invite"),
});

/** Settings of who may report, and of what people see before they report. */
export function ReportSettingsForm({ slug, settings }: { slug: string; settings: ReportSettings }) {
  const t = useTranslator("eventAdmin");
  const values = toFormFields(settings);
  return (
    <Form
      action={saveReportSettingsAction}
      hidden={{ slug, ifMatch: settings.updatedAt }}
      label={t("settings.reporters")}
      versions={{
        fields: REPORT_SETTINGS_FORM_FIELD_NAMES.map((name) => ({
          name,
          label: t(`settings.${name}`),
          theirs: values[name],
          ...(name === "whoCanReport" && { valueLabels: listReportAccessLabels(t) }),
        })),
        boxes: BOXES.map((name) => ({ name, label: t(`settings.${name}`), theirs: settings[name] })),
      }}
    >
      <UnsavedChangesGuard />
      <ReportersFormFields settings={settings} />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("save")}</SubmitButton>
      </FormActions>
    </Form>
  );
}

function ReportersFormFields({ settings }: { settings: ReportSettings }) {
  const t = useTranslator("eventAdmin");
  const values = toFormFields(settings);
  return (
    <>
      <ReportAccessField value={settings.whoCanReport} />
      <EmergencyFields values={values} />
      <DeadlineFields values={values} />
      <TextField
        name="exitUrl"
        type="url"
        label={t("settings.exitUrl")}
        hint={t("settings.exitUrlHint")}
        defaultValue={values.exitUrl}
        placeholder={DEFAULT_QUICK_EXIT_URL}
      />
      {BOXES.map((name) => (
        <Checkbox
          key={name}
          name={name}
          value="true"
          label={t(`settings.${name}`)}
          hint={t(`settings.${name}Hint`)}
          defaultChecked={settings[name]}
        />
      ))}
    </>
  );
}

function ReportAccessField({ value: current }: { value: ReportSettings["whoCanReport"] }) {
  const t = useTranslator("eventAdmin");
  const labels = listReportAccessLabels(t);
  return (
    <RadioGroup
      name="whoCanReport"
      label={t("settings.whoCanReport")}
      options={WHO_CAN_REPORT.map((value) => ({
        value,
        label: labels[value],
        hint: t(`settings.whoCanReport.${value}Hint`),
      }))}
      defaultValue={current}
      markOptional={false}
    />
  );
}

type FieldsProps = { values: ReturnType<typeof toFormFields> };

function EmergencyFields({ values }: FieldsProps) {
  const t = useTranslator("eventAdmin");
  return (
    <>
      <PhoneField name="emergencyNumber" values={values} />
      <TextArea
        name="emergencyContact"
        label={t("settings.emergencyContact")}
        hint={t("settings.emergencyContactHint")}
        defaultValue={values.emergencyContact}
        maxLength={MAX_EMERGENCY_CONTACT_LENGTH}
        rows={2}
        count
      />
      <PhoneField name="emergencyPhone" values={values} />
    </>
  );
}

function PhoneField({ name, values }: FieldsProps & { name: "emergencyNumber" | "emergencyPhone" }) {
  const t = useTranslator("eventAdmin");
  return (
    <TextField
      name={name}
      type="tel"
      label={t(`settings.${name}`)}
      hint={t(`settings.${name}Hint`)}
      defaultValue={values[name]}
      maxLength={MAX_PHONE_LENGTH}
      autoComplete="off"
    />
  );
}

function DeadlineFields({ values }: FieldsProps) {
  const t = useTranslator("eventAdmin");
  return (
    <>
      <TextField
        name="answerWithinHours"
        type="number"
        label={t("settings.answerWithinHours")}
        hint={t("settings.answerWithinHoursHint")}
        defaultValue={values.answerWithinHours}
        min={FIRST_RESPONSE_PROMISE_LIMITS_HOURS.min}
        max={FIRST_RESPONSE_PROMISE_LIMITS_HOURS.max}
        inputMode="numeric"
      />
      <TextField
        name="nextUpdateWithinDays"
        type="number"
        label={t("settings.nextUpdateWithinDays")}
        hint={t("settings.nextUpdateWithinDaysHint", { usual: NEXT_UPDATE_PROMISE_LIMITS_DAYS.usual })}
        defaultValue={values.nextUpdateWithinDays}
        min={NEXT_UPDATE_PROMISE_LIMITS_DAYS.min}
        max={NEXT_UPDATE_PROMISE_LIMITS_DAYS.max}
        inputMode="numeric"
      />
    </>
  );
}

/** The settings as the values of the form's fields. */
const toFormFields = (settings: ReportSettings) => ({
  whoCanReport: settings.whoCanReport,
  emergencyNumber: settings.emergencyNumber ?? "",
  emergencyContact: settings.emergencyContact ?? "",
  emergencyPhone: settings.emergencyPhone ?? "",
  answerWithinHours: String(settings.answerWithinHours ?? ""),
  nextUpdateWithinDays: String(settings.nextUpdateWithinDays),
  exitUrl: settings.exitUrl === DEFAULT_QUICK_EXIT_URL ? "" : settings.exitUrl,
});
