import { useLocale, useTranslator } from "#i18n";
import { Badge } from "#components/ui/badge.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { TextField } from "#components/ui/field.tsx";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import { isolateBidi } from "#lib/design/bidi.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import { answerConflictCheckAction, saveReportedPersonNameAction } from "./conflict-actions.ts";
import type { ReadersData } from "./readers-card.tsx";
import { buildPlaceFields, type FormAccountBinding } from "./form-binding.ts";
import { AccountBoundForm } from "./ticketed-form.tsx";
import { FormToast } from "./toasts.tsx";

type FormProps = { incident: Incident; writing: FormAccountBinding };

/** A badge with the names of people who answered the conflict check with a soft conflict. */
export function SoftConflictBadge({ readers }: Pick<ReadersData, "readers">) {
  const t = useTranslator("conflict");
  const locale = useLocale();
  const names = readers.flatMap(({ person, answer }) => (answer === "soft" && person ? [person.name] : []));
  if (names.length === 0) return null;
  return (
    <a href="#readers" className="-my-2.5 inline-flex min-h-11 items-center">
      <Badge tone="caution" icon="link-2">
        {t("softMark", { names: formatNames(names, locale) })}
      </Badge>
    </a>
  );
}

const formatNames = (names: readonly string[], locale: string) =>
  new Intl.ListFormat(locale, { type: "conjunction" }).format(names.map(isolateBidi));

/** What somebody who has opened an incident under the conflict check may change of it. */
export const ConflictCheckForms = ({ mayChange, ...props }: FormProps & { mayChange: boolean }) => (
  <div className="no-print grid gap-2 border-t border-line pt-3">
    {mayChange && <NameForm {...props} />}
    <ChangeAnswer {...props} />
  </div>
);

function NameForm({ incident, writing }: FormProps) {
  const t = useTranslator("conflict");
  return (
    <AccountBoundForm
      writing={writing}
      form="reported-person"
      action={saveReportedPersonNameAction}
      of={buildPlaceFields(incident)}
    >
      <FormToast />
      <div className="grid gap-3">
        <TextField
          name="name"
          label={t("name")}
          hint={t("name.hint")}
          defaultValue={incident.reportedPersonName ?? ""}
          maxLength={200}
          autoComplete="off"
        />
        <FormActions>
          <SubmitButton variant="secondary" pendingLabel={t("saving")}>
            {t("name.save")}
          </SubmitButton>
        </FormActions>
      </div>
    </AccountBoundForm>
  );
}

/** The answers that the reader hasn't given. */
function ChangeAnswer({ incident, writing }: FormProps) {
  const t = useTranslator("conflict");
  const others = (["none", "soft", "hard"] as const).filter((answer) => answer !== incident.conflictCheck);
  return (
    <Disclosure summary={t("change")}>
      <div className="flex flex-wrap gap-3">
        {others.map((answer) => (
          <AccountBoundForm
            key={answer}
            writing={writing}
            form={`conflict-${answer}`}
            action={answerConflictCheckAction}
            of={buildPlaceFields(incident)}
            hidden={{ answer }}
          >
            <FormToast />
            <SubmitButton variant="secondary" pendingLabel={t("saving")}>
              {t(answer)}
            </SubmitButton>
          </AccountBoundForm>
        ))}
      </div>
    </Disclosure>
  );
}
