import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { FormWithDraft } from "#components/intake/form-with-draft.tsx";
import { IntakeSupportStepFields } from "#components/intake/support-step-fields.tsx";
import {
  CheckboxGroup,
  DateTimeField,
  RadioGroup,
  SelectField,
  TextArea,
  TextField,
} from "#components/ui/field.tsx";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon, type IconName } from "#components/ui/icon.tsx";
import type { FormState } from "#lib/design/form-state.ts";
import { formatZoneName } from "#lib/design/time.ts";
import { MAX_COMMENT_LENGTH } from "#lib/conversations/comment-schema.ts";
import {
  MAX_INCIDENT_DESCRIPTION_LENGTH,
  MAX_LOCATION_LENGTH,
  MAX_PARTIES_LENGTH,
  MAX_REPORTED_PERSON_NAME_LENGTH,
  MAX_INCIDENT_TITLE_LENGTH,
  MIN_INCIDENT_TITLE_LENGTH,
} from "#lib/incidents/schema.ts";
import { INTAKE_CHANNELS } from "#lib/conversations/intake-schema.ts";
import { takeReportForPersonAction } from "./actions.ts";

type Props = {
  slug: string;
  /** Id of whoever takes the report. */
  writer: string;
  /** Name of the draft in the tab's storage. */
  draftName: string;
  /** Zone in which times are entered. */
  zone: string;
  ticket: string;
  returned: FormState | null;
  /** Whether it asks whom the report is about, for the conflict check. */
  asksReportedPerson: boolean;
  /** The team without the person who takes the report. */
  team: readonly { id: string; name: string }[];
};

/**
 * The form that takes a report. Its two parts are kept apart: the words of the person, and what only the team reads.
 */
export function IntakeForm({
  slug,
  writer,
  draftName,
  zone,
  ticket,
  returned,
  asksReportedPerson,
  team,
}: Props) {
  const t = useTranslator("intake");
  return (
    <FormWithDraft
      draftName={draftName}
      writer={writer}
      action={takeReportForPersonAction}
      autoComplete="off"
      hidden={{ slug, ticket }}
      returned={returned}
      label={t("title")}
      className="gap-8"
    >
      <RadioGroup
        name="channel"
        label={t("channel")}
        options={INTAKE_CHANNELS.map((value) => ({ value, label: t(`channel.${value}`) }))}
        defaultValue="in_person"
        markOptional={false}
      />
      <PersonPart zone={zone} asksReportedPerson={asksReportedPerson} team={team} />
      <TeamPart team={team} />
      <div className="grid gap-2">
        <FormActions>
          <SubmitButton pendingLabel={t("saving")}>{t("save")}</SubmitButton>
        </FormActions>
        <p className="max-w-[60ch] text-sm text-muted">{t("signsOut")}</p>
      </div>
    </FormWithDraft>
  );
}

type PartProps = { title: string; hint: string; icon: IconName; tone: string; children: ReactNode };

function FormPart({ title, hint, icon, tone, children }: PartProps) {
  return (
    <section aria-label={title} className={`grid gap-6 rounded-surface border-s-4 p-4 sm:p-6 ${tone}`}>
      <div className="grid gap-1">
        <h2 className="flex items-center gap-2 text-xl">
          <Icon as={icon} />
          {title}
        </h2>
        <p>{hint}</p>
      </div>
      {children}
    </section>
  );
}

function PersonPart({ zone, asksReportedPerson, team }: Pick<Props, "zone" | "asksReportedPerson" | "team">) {
  const t = useTranslator("intake");
  return (
    <FormPart
      title={t("person.title")}
      hint={t("person.hint")}
      icon="message-square-quote"
      tone="border-public bg-surface"
    >
      <DescriptionFields />
      <DateTimeField name="incidentAt" label={t("when")} zone={formatZoneName(zone)} />
      <TextField name="location" label={t("where")} maxLength={MAX_LOCATION_LENGTH} autoComplete="off" />
      <TextArea
        name="parties"
        label={t("who")}
        hint={t("whoHint")}
        rows={3}
        maxLength={MAX_PARTIES_LENGTH}
        count
      />
      {asksReportedPerson && <ReportedPersonField />}
      <SeverityField />
      {team.length > 0 && <ExclusionField team={team} />}
    </FormPart>
  );
}

function DescriptionFields() {
  const t = useTranslator("intake");
  return (
    <>
      <TextArea
        name="description"
        label={t("description")}
        hint={t("descriptionHint")}
        rows={8}
        maxLength={MAX_INCIDENT_DESCRIPTION_LENGTH}
        count
        required
      />
      <TextField
        name="title"
        label={t("subject")}
        hint={t("subjectHint", { min: MIN_INCIDENT_TITLE_LENGTH, max: MAX_INCIDENT_TITLE_LENGTH })}
        maxLength={MAX_INCIDENT_TITLE_LENGTH}
        autoComplete="off"
      />
    </>
  );
}

/** Asks whom the report is about, which the team sees before it answers the conflict check. */
function ReportedPersonField() {
  const t = useTranslator("intake");
  return (
    <TextField
      name="reportedPersonName"
      label={t("reportedPerson")}
      hint={t("reportedPersonHint")}
      maxLength={MAX_REPORTED_PERSON_NAME_LENGTH}
      autoComplete="off"
    />
  );
}

/** Asks from whom the report is hidden as soon as it is saved. */
function ExclusionField({ team }: Pick<Props, "team">) {
  const t = useTranslator("intake");
  return (
    <CheckboxGroup
      name="excludedUserIds"
      inputName="excludedUserIds[]"
      label={t("excluded")}
      hint={t("excludedHint")}
      options={team.map(({ id, name }) => ({ value: id, label: name }))}
    />
  );
}

function SeverityField() {
  const t = useTranslator("intake");
  return (
    <RadioGroup
      name="severity"
      label={t("severity")}
      options={(["none", "low", "medium", "high", "critical"] as const).map((value) => ({
        value: value === "none" ? "" : value,
        label: t(`severity.${value}`),
      }))}
      defaultValue=""
      markOptional={false}
    />
  );
}

function TeamPart({ team }: Pick<Props, "team">) {
  const t = useTranslator("intake");
  return (
    <FormPart
      title={t("team.title")}
      hint={t("team.hint")}
      icon="lock"
      tone="border-internal bg-internal-soft"
    >
      <TextArea
        name="observations"
        label={t("observations")}
        hint={t("observationsHint")}
        rows={4}
        maxLength={MAX_COMMENT_LENGTH}
        count
      />
      <SelectField
        name="witnessId"
        label={t("witness")}
        prompt={t("witnessNone")}
        options={team.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <IntakeSupportStepFields />
    </FormPart>
  );
}
