import { useTranslator } from "#i18n";
import { Checkbox, RadioGroup } from "#components/ui/field.tsx";
import { TimeOfDayField } from "./time-of-day-field.tsx";
import { INTAKE_SUPPORT_STEPS, POLICE_WISHES } from "#lib/conversations/support-steps.ts";

const DONE_OR_NOT = INTAKE_SUPPORT_STEPS.filter((kind) => !POLICE_WISHES.some((wish) => wish === kind));

/** The steps that the team took for the person, each with its time of day. */
export function IntakeSupportStepFields() {
  const t = useTranslator("intake");
  return (
    <fieldset className="grid gap-1.5" aria-describedby="first-responses-hint">
      <legend className="mb-1.5 font-[550]">{t("first.title")}</legend>
      <p id="first-responses-hint" className="max-w-[60ch] text-sm text-muted">
        {t("first.hint")}
      </p>
      <ul className="grid gap-1">
        {DONE_OR_NOT.map((kind) => {
          const label = t(`first.${kind}`);
          return (
            <li key={kind} className="flex flex-wrap items-start justify-between gap-x-4">
              <div className="min-w-0 grow basis-36">
                <Checkbox name={`done.${kind}`} label={label} />
              </div>
              <TimeOfDayField name={`at.${kind}`} label={t("first.time", { what: label })} />
            </li>
          );
        })}
      </ul>
      <div className="mt-3 grid gap-3">
        <RadioGroup
          name="police"
          label={t("first.police")}
          options={[
            { value: "", label: t("first.police_unasked") },
            ...POLICE_WISHES.map((value) => ({ value, label: t(`first.${value}`) })),
          ]}
          defaultValue=""
          markOptional={false}
        />
        <label className="grid justify-items-start gap-1.5 font-[550]">
          <span>{t("first.policeTime")}</span>
          <TimeOfDayField name="at.police" />
        </label>
      </div>
    </fieldset>
  );
}
