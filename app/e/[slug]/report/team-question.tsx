import { useTranslator } from "#i18n";
import { CheckboxGroup, type FieldOption, RadioGroup, TextField } from "#components/ui/field.tsx";
import type { EventReportSettingsRecord } from "#components/event/event-data.ts";
import type { ReportSummaryChoice } from "#components/incident/report-check.tsx";
import { listDistinctiveNameTerms } from "#lib/design/named-people.ts";
import { isolateBidi } from "#lib/design/bidi.ts";
import { ABOUT_TEAM_ANSWERS, MAX_REPORTED_PERSON_NAME_LENGTH } from "#lib/incidents/schema.ts";

type TeamQuestionProps = {
  /** The team, without the sender; null where the event doesn't show it. */
  team: readonly FieldOption[] | null;
  /** The name of the person outside the team who reads what the whole team mustn't, if there is one. */
  contact: string | null;
  /** How to reach the people who run the service. */
  supportContact: string | null;
};

/** A person on the team, with one role or several. */
export type TeamMember = {
  id: string;
  name: string;
  role?: "Responder" | "Admin";
  roles?: readonly string[];
};

type ShownTeam = {
  settings: EventReportSettingsRecord;
  /** The response team, as far as it is shown. */
  readers: readonly TeamMember[];
  isMember: boolean;
  supportContact: string | null;
};

/**
 * Finds whom the form names when it asks whether the report is about somebody on the team: its people with their roles,
 * where they are shown, and the escalation contact, unless the contact is on the team or sends the report.
 */
export function findTeamToNameInForm(
  { settings, readers, isMember, supportContact }: ShownTeam,
  userId: string,
): Omit<TeamQuestionProps, "team"> & { team: ReportSummaryChoice[] | null } {
  const t = useTranslator("incident");
  const others = readers.filter(({ id }) => id !== userId);
  const { escalationContact } = settings;
  const isOutside = escalationContact !== null && !readers.some(({ id }) => id === escalationContact.id);
  const contact = isOutside && escalationContact.id !== userId ? escalationContact.name : null;
  const terms = listDistinctiveNameTerms(others.map(({ name }) => name));
  const choices = others.map(({ id, name, role, roles }, at) => ({
    value: id,
    label: name,
    hint: t(role === "Admin" || roles?.includes("Admin") ? "role.Admin" : "role.Responder"),
    terms: terms[at] ?? [],
  }));
  return { team: isMember || settings.showTeam ? choices : null, contact, supportContact };
}

/** Asks whether the report is about somebody on the team, who then doesn't see it. */
export function TeamQuestion(props: TeamQuestionProps) {
  const t = useTranslator("reportForm");
  const tPage = useTranslator("report");
  return (
    <>
      <RadioGroup
        name="aboutTeam"
        label={t("field.aboutTeam")}
        hint={tPage("aboutTeamHint")}
        options={ABOUT_TEAM_ANSWERS.map((value) => ({ value, label: t(`aboutTeam.${value}`) }))}
        markOptional={false}
      />
      <div className="if-team-named">
        <PersonOnTeamField {...props} />
      </div>
      <div className="if-team-whole">
        <WholeTeamText {...props} />
      </div>
    </>
  );
}

/** The people of a team that the event shows; otherwise a name, of which nobody says whether anybody has it. */
function PersonOnTeamField({ team, contact }: TeamQuestionProps) {
  const t = useTranslator("reportForm");
  const tPage = useTranslator("report");
  if (team && team.length > 0)
    return (
      <CheckboxGroup
        name="excludedUserIds"
        inputName="excludedUserIds[]"
        label={t("field.excludedUserIds")}
        hint={tPage("excludedHint")}
        options={team}
        markOptional={false}
      />
    );
  return (
    <TextField
      name="excludedName"
      label={t("field.excludedName")}
      hint={
        contact === null
          ? tPage("excludedNameAlone")
          : tPage("excludedNameContact", { name: isolateBidi(contact) })
      }
      maxLength={MAX_REPORTED_PERSON_NAME_LENGTH}
      autoComplete="off"
      markOptional={false}
    />
  );
}

/** Says who reads what the whole team mustn't, or what can't be promised. */
function WholeTeamText({ contact, supportContact }: TeamQuestionProps) {
  const t = useTranslator("report");
  return (
    <div className="grid max-w-[60ch] gap-2">
      <p>{contact === null ? t("wholeTeamAlone") : t("wholeTeamContact", { name: isolateBidi(contact) })}</p>
      {contact === null && supportContact && (
        <p className="wrap-anywhere">{t("wholeTeamSupport", { contact: supportContact })}</p>
      )}
    </div>
  );
}
