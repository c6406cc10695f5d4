import { Link2 } from "lucide-react";
import { useLocale, useTranslator } from "#i18n";
import { Badge } from "#components/ui/badge.tsx";
import { Card } from "#components/ui/card.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { TextField } from "#components/ui/field.tsx";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Time } from "#components/ui/time.tsx";
import { isolateBidi } from "#lib/design/bidi.ts";
import type { ConflictCheckStatus, Incident } from "#lib/incidents/schema.ts";
import { answerConflictCheckAction, saveReportedPersonNameAction } from "./conflict-actions.ts";
import { AccountBoundForm, type FormAccountBinding } from "./ticketed-form.tsx";
import { FormToast } from "./toasts.tsx";

export type ConflictCheckWithAnswers = {
  status: ConflictCheckStatus | null;
  answers: readonly { person: Person; answer: "none" | "soft"; answeredAt: string }[];
  bypasses: readonly ShownBypass[];
};
type Person = { id: string; name: string };
type ShownBypass = {
  id: string;
  person: Person | null;
  reason: string | null;
  at: string;
};

type Props = {
  incident: Incident;
  check: ConflictCheckWithAnswers;
  writing: FormAccountBinding;
  now: Date;
};

/**
 * Shows who has opened an incident under the conflict check and with which answer, and the name of the reported person.
 */
export function ConflictCheckAnswersCard({ incident, check, writing, now }: Props) {
  const t = useTranslator("conflict");
  return (
    <Card title={t("title")} id="conflict-check">
      <div className="grid gap-4">
        {check.answers.length > 0 && <h3 className="text-sm text-muted">{t("answers")}</h3>}
        <ul className="grid gap-3">
          {check.answers.map(({ person, answer, answeredAt }) => (
            <li key={person.id} className="grid gap-1">
              <bdi className="min-w-0 wrap-anywhere">{person.name}</bdi>
              <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <Badge tone={answer === "none" ? "neutral" : "caution"}>{t(`answer.${answer}`)}</Badge>
                <span className="text-sm text-muted">
                  <Time value={answeredAt} now={now} />
                </span>
              </span>
            </li>
          ))}
        </ul>
        <div className="no-print grid gap-2">
          <NameForm incident={incident} writing={writing} />
          <ChangeAnswer incident={incident} writing={writing} status={check.status} />
        </div>
      </div>
    </Card>
  );
}

/** A badge with the names of people who answered the conflict check with a soft conflict. */
export function SoftConflictBadge({ check }: { check: ConflictCheckWithAnswers }) {
  const t = useTranslator("conflict");
  const locale = useLocale();
  const names = check.answers.filter(({ answer }) => answer === "soft").map(({ person }) => person.name);
  if (names.length === 0) return null;
  return (
    <a href="#conflict-check" className="-my-2.5 inline-flex min-h-11 items-center">
      <Badge tone="caution" icon={Link2}>
        {t("softMark", { names: formatNames(names, locale) })}
      </Badge>
    </a>
  );
}

/** Notices about bypasses of the conflict check. */
export const ConflictBypassNotices = ({ check, now }: Pick<Props, "check" | "now">) =>
  check.bypasses.map((bypass) => <BypassNotice key={bypass.id} bypass={bypass} now={now} />);

function BypassNotice({ bypass: { person, reason, at }, now }: { bypass: ShownBypass; now: Date }) {
  const t = useTranslator("conflict");
  const tIncident = useTranslator("incident");
  return (
    <Notice title={t("bypass.title")}>
      <p className="wrap-anywhere">
        {t("bypass.by", { name: isolateBidi(person?.name ?? tIncident("gone")) })}
      </p>
      <p className="text-sm text-muted">
        <Time value={at} now={now} show="both" />
      </p>
      {reason && <p className="wrap-anywhere">{t("bypass.reason", { reason: isolateBidi(reason) })}</p>}
    </Notice>
  );
}

const formatNames = (names: readonly string[], locale: string) =>
  new Intl.ListFormat(locale, { type: "conjunction" }).format(names.map(isolateBidi));

type FormProps = Pick<Props, "incident" | "writing">;

function NameForm({ incident, writing }: FormProps) {
  const t = useTranslator("conflict");
  return (
    <AccountBoundForm
      writing={writing}
      form="reported-person"
      action={saveReportedPersonNameAction}
      hidden={buildPlaceFields(incident)}
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

/** The two answers that the reader hasn't given. */
function ChangeAnswer({ incident, writing, status }: FormProps & Pick<ConflictCheckWithAnswers, "status">) {
  const t = useTranslator("conflict");
  const others = (["none", "soft", "hard"] as const).filter((answer) => answer !== status);
  return (
    <Disclosure summary={t("change")}>
      <div className="flex flex-wrap gap-3">
        {others.map((answer) => (
          <AccountBoundForm
            key={answer}
            writing={writing}
            form={`conflict-${answer}`}
            action={answerConflictCheckAction}
            hidden={{ ...buildPlaceFields(incident), answer }}
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

const buildPlaceFields = ({ id, event }: Incident) => ({ slug: event.slug, incidentId: id });
