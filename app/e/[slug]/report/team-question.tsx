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
  outsidePerson: string | null;
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
 * where they are shown, and the outside person, unless they are on the team or send the report.
 */
export function findTeamToNameInForm(
  { settings, readers, isMember, supportContact }: ShownTeam,
  userId: string,
): Omit<TeamQuestionProps, "team"> & { team: ReportSummaryChoice[] | null } {
  const t = useTranslator("incident");
  const others = readers.filter(({ id }) => id !== userId);
  const { id: outsideId, name: outsideName } = settings.outsidePerson ?? {};
  const isOutside = outsideId !== userId && !readers.some(({ id }) => id === outsideId);
  const terms = listDistinctiveNameTerms(others.map(({ name }) => name));
  const choices = others.map(({ id, name, role, roles }, at) => ({
    value: id,
    label: name,
    hint: t(role === "Admin" || roles?.includes("Admin") ? "role.Admin" : "role.Responder"),
    terms: terms[at] ?? [],
  }));
  return {
    team: isMember || settings.showTeam ? choices : null,
    outsidePerson: isOutside ? (outsideName ?? null) : null,
    supportContact,
  };
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
function PersonOnTeamField({ team, outsidePerson }: TeamQuestionProps) {
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
        outsidePerson === null
          ? tPage("excludedNameAlone")
          : tPage("excludedNameOutsidePerson", { name: isolateBidi(outsidePerson) })
      }
      maxLength={MAX_REPORTED_PERSON_NAME_LENGTH}
      autoComplete="off"
      markOptional={false}
    />
  );
}

/** Says who reads what the whole team mustn't, or what can't be promised. */
function WholeTeamText({ outsidePerson, supportContact }: TeamQuestionProps) {
  const t = useTranslator("report");
  return (
    <div className="grid max-w-[60ch] gap-2">
      <p>
        {outsidePerson === null
          ? t("wholeTeamAlone")
          : t("wholeTeamOutsidePerson", { name: isolateBidi(outsidePerson) })}
      </p>
      {outsidePerson === null && supportContact && (
        <p className="wrap-anywhere">{t("wholeTeamSupport", { contact: supportContact })}</p>
      )}
    </div>
  );
}
