import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { Badge } from "#components/ui/badge.tsx";
import { Card } from "#components/ui/card.tsx";
import { TextArea } from "#components/ui/field.tsx";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Time } from "#components/ui/time.tsx";
import { UserText } from "#components/ui/user-text.tsx";
import { canReachReporter } from "#lib/incidents/lifecycle.ts";
import { type Incident, MAX_STATUS_NOTES_LENGTH, type IncidentState } from "#lib/incidents/schema.ts";
import type { IncidentStateWithOutcome } from "#lib/organizations/outcome-templates.ts";
import { sendOutcomeAction, updateIncidentAction } from "./actions.ts";
import { OutcomeTextArea, type OutcomeMessageDefaults } from "./outcome-fields.tsx";
import { buildIncidentHiddenFormFields } from "./status-forms.tsx";
import type { FormAccountBinding } from "./form-binding.ts";
import { AccountBoundForm } from "./ticketed-form.tsx";
import { FormToast } from "./toasts.tsx";

type Props = { incident: Incident; writing: FormAccountBinding };

/** Statuses in which the team's record can be written. */
const RECORD_STATUSES = new Set<IncidentState>(["investigating", "resolved", "closed"]);

/** The team's record, which the reporter never sees. */
export function TeamRecordSection({ incident, writing }: Props) {
  const t = useTranslator("incidentPage");
  const tIncident = useTranslator("incident");
  const { resolution, state } = incident;
  if (!resolution && !RECORD_STATUSES.has(state)) return null;
  return (
    <Card title={tIncident("field.resolution")} actions={<TeamRecordForm {...{ incident, writing }} />}>
      <TextWithReaders tone="internal" readers={t("recordReaders")} missing={t("recordNone")}>
        {resolution}
      </TextWithReaders>
    </Card>
  );
}

type TextProps = {
  tone: "internal" | "public";
  readers: string;
  missing: string;
  children: string | null;
};

function TextWithReaders({ tone, readers, missing, children }: TextProps): ReactNode {
  return (
    <div className="grid justify-items-start gap-2">
      <Badge tone={tone}>{readers}</Badge>
      {children ? <UserText>{children}</UserText> : <p className="text-muted">{missing}</p>}
    </div>
  );
}

function TeamRecordForm({ incident, writing }: Props) {
  const t = useTranslator("incidentPage");
  const tIncident = useTranslator("incident");
  const { resolution } = incident;
  return (
    <AccountBoundForm
      writing={writing}
      form="resolution"
      action={updateIncidentAction}
      of={buildIncidentHiddenFormFields(incident)}
      hidden={{ wasResolution: resolution ?? "" }}
      versions={{
        theirs: resolution ? <UserText>{resolution}</UserText> : t("nothingYet"),
        field: "resolution",
      }}
      dialog={{
        trigger: resolution ? t("edit") : t("write"),
        title: resolution ? t("recordEdit") : t("recordWrite"),
      }}
    >
      <FormToast />
      <TextArea
        name="resolution"
        label={tIncident("field.resolution")}
        hint={t("recordHint")}
        defaultValue={resolution ?? ""}
        maxLength={MAX_STATUS_NOTES_LENGTH}
        count
      />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("recordSave")}</SubmitButton>
      </FormActions>
    </AccountBoundForm>
  );
}

type OutcomeProps = Props & {
  outcome: { body: string; createdAt: string } | null;
  templates: OutcomeMessageDefaults["templates"];
  now: Date;
};

/** What the reporter was told as the outcome. The reporter always sees the latest one. */
export function OutcomeSection({ incident, writing, outcome, templates, now }: OutcomeProps) {
  const t = useTranslator("incidentPage");
  const { state } = incident;
  const ending = (state === "resolved" || state === "closed") && canReachReporter(incident) ? state : null;
  if (!outcome && !ending) return null;
  return (
    <Card
      title={t("outcomeChoice")}
      actions={ending && <OutcomeForm state={ending} {...{ incident, writing, outcome, templates }} />}
    >
      <div className="grid gap-2">
        <TextWithReaders tone="public" readers={t("outcomeReaders")} missing={t("outcomeNone")}>
          {outcome?.body ?? null}
        </TextWithReaders>
        {outcome && (
          <p className="text-sm text-muted">
            <Time value={outcome.createdAt} now={now} />
          </p>
        )}
      </div>
    </Card>
  );
}

type OutcomeFormProps = Omit<OutcomeProps, "now"> & { state: IncidentStateWithOutcome };

/** Sends another outcome, which starts from the one that the reporter has. */
function OutcomeForm({ incident, writing, outcome, templates, state }: OutcomeFormProps) {
  const t = useTranslator("incidentPage");
  return (
    <AccountBoundForm
      writing={writing}
      form="outcome"
      action={sendOutcomeAction}
      of={buildIncidentHiddenFormFields(incident)}
      hidden={{ state, outcomeChoice: "send" }}
      versions={{ theirs: outcome ? <UserText>{outcome.body}</UserText> : t("nothingYet"), field: "outcome" }}
      dialog={{
        trigger: t(outcome ? "edit" : "write"),
        title: t(outcome ? "outcomeEdit" : "outcomeWrite"),
      }}
    >
      <FormToast />
      <OutcomeTextArea state={state} templates={templates} present={outcome?.body ?? null} />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("outcomeSend")}</SubmitButton>
      </FormActions>
    </AccountBoundForm>
  );
}
