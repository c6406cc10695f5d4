import { useTranslator } from "#i18n";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { SeverityBadge, StatusBadge, UrgentBadge } from "#components/incident/badges.tsx";
import { Breadcrumbs } from "#components/ui/breadcrumbs.tsx";
import { Card } from "#components/ui/card.tsx";
import { DefinitionList } from "#components/ui/definition-list.tsx";
import { TextArea } from "#components/ui/field.tsx";
import { FormFieldsDisclosure } from "#components/ui/form-fields-disclosure.tsx";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Time } from "#components/ui/time.tsx";
import { isQuarterHour } from "#lib/design/time.ts";
import type { UnansweredIncident } from "#lib/readers/schema.ts";
import { answerConflictCheckAction, openInEmergencyAction } from "./conflict-actions.ts";
import { buildPlaceFields, type FormAccountBinding } from "./form-binding.ts";
import { AccountBoundForm } from "./ticketed-form.tsx";

type Props = { incident: UnansweredIncident; writing: FormAccountBinding; now: Date };

/**
 * The page of an incident whose conflict check the reader hasn't answered yet: the few details that they may know, and
 * the question.
 */
export function PendingConflictCheckView({ incident, writing, now }: Props) {
  const t = useTranslator("conflict");
  const tIncidentPage = useTranslator("incidentPage");
  const { event } = incident;
  return (
    <ClientMessagesProvider of={[]}>
      <div className="grid max-w-[44rem] gap-5">
        <Breadcrumbs
          items={[
            { label: tIncidentPage("incidents"), href: "/inbox" },
            { label: event.name, href: `/e/${event.slug}/incidents` },
          ]}
        />
        <header className="grid gap-2">
          <h1 className="text-xl wrap-anywhere min-[50rem]:text-2xl">{t("heading")}</h1>
          <p className="max-w-[68ch] text-muted">{t("lead")}</p>
        </header>
        <KnownFacts incident={incident} now={now} />
        <Question incident={incident} writing={writing} />
      </div>
    </ClientMessagesProvider>
  );
}

function Question({ incident, writing }: Omit<Props, "now">) {
  const t = useTranslator("conflict");
  return (
    <>
      <Card title={t("question")} id="answer">
        <div className="grid gap-5">
          {ANSWERS.map((answer) => (
            <AnswerForm key={answer} answer={answer} incident={incident} writing={writing} />
          ))}
        </div>
      </Card>
      <EmergencyForm incident={incident} writing={writing} />
    </>
  );
}

const ANSWERS = ["none", "soft", "hard"] as const;

function KnownFacts({ incident, now }: Omit<Props, "writing">) {
  const t = useTranslator("conflict");
  const { event, createdAt, state, severity, urgent, reportedPersonName } = incident;
  return (
    <Card title={t("know")}>
      <DefinitionList
        empty={t("notGiven")}
        items={[
          { term: t("event"), value: <bdi>{event.name}</bdi> },
          {
            term: t("reported"),
            value: <Time value={createdAt} now={now} show="both" isRounded={isQuarterHour(createdAt)} />,
          },
          { term: t("status"), value: <StatusBadge state={state} /> },
          {
            term: t("severity"),
            value: (
              <span className="flex flex-wrap gap-2">
                {urgent && <UrgentBadge />}
                <SeverityBadge severity={severity} />
              </span>
            ),
          },
          { term: t("about"), value: reportedPersonName && <bdi>{reportedPersonName}</bdi> },
        ]}
      />
    </Card>
  );
}

type AnswerProps = Omit<Props, "now"> & { answer: (typeof ANSWERS)[number] };

function AnswerForm({ incident, writing, answer }: AnswerProps) {
  const t = useTranslator("conflict");
  const aboutId = `about-${answer}`;
  return (
    <AccountBoundForm
      writing={writing}
      form={`conflict-${answer}`}
      action={answerConflictCheckAction}
      of={buildPlaceFields(incident)}
      hidden={{ answer }}
    >
      <div className="grid justify-items-start gap-1.5">
        <SubmitButton variant="secondary" pendingLabel={t("saving")} aria-describedby={aboutId}>
          {t(answer)}
        </SubmitButton>
        <p id={aboutId} className="max-w-[68ch] text-muted">
          {t(`${answer}.about`)}
        </p>
      </div>
    </AccountBoundForm>
  );
}

function EmergencyForm({ incident, writing }: Omit<Props, "now">) {
  const t = useTranslator("conflict");
  return (
    <AccountBoundForm
      writing={writing}
      form="emergency"
      action={openInEmergencyAction}
      of={buildPlaceFields(incident)}
    >
      <FormFieldsDisclosure summary={t("urgent")}>
        <div className="grid gap-4">
          <p className="max-w-[68ch]">{t("urgent.about")}</p>
          <TextArea
            name="reason"
            label={t("urgent.reason")}
            rows={3}
            required
            minLength={10}
            maxLength={500}
          />
          <FormActions>
            <SubmitButton variant="secondary" pendingLabel={t("saving")}>
              {t("urgent.submit")}
            </SubmitButton>
          </FormActions>
        </div>
      </FormFieldsDisclosure>
    </AccountBoundForm>
  );
}
