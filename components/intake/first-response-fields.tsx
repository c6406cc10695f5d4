import { useTranslator } from "#i18n";
import { Checkbox } from "#components/ui/field.tsx";
import { TimeOfDayInput } from "./time-of-day-input.tsx";
import { FIRST_RESPONSES } from "#lib/intake/first-responses.ts";

/** What was done for the person, each with its time of day. */
export function FirstResponseFields() {
  const t = useTranslator("intake");
  return (
    <fieldset className="grid gap-1.5" aria-describedby="first-responses-hint">
      <legend className="mb-1.5 font-[550]">{t("first.title")}</legend>
      <p id="first-responses-hint" className="max-w-[60ch] text-sm text-muted">
        {t("first.hint")}
      </p>
      <ul className="grid gap-1">
        {FIRST_RESPONSES.map((kind) => {
          const label = t(`first.${kind}`);
          return (
            <li key={kind} className="flex flex-wrap items-start justify-between gap-x-4">
              <div className="min-w-0 grow basis-36">
                <Checkbox name={`done.${kind}`} label={label} />
              </div>
              <TimeOfDayInput name={`at.${kind}`} label={t("first.time", { what: label })} />
            </li>
          );
        })}
      </ul>
    </fieldset>
  );
}
