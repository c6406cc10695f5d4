import { useTranslator } from "#i18n";
import { UserText } from "#components/ui/user-text.tsx";
import type { FormConflictVersionsData } from "#components/ui/versions.tsx";
import type { FormIncident } from "./incident-fields.ts";

/**
 * Builds the versions that a status change shows after a conflict: the current status, record and outcome next to the
 * requested status with its texts.
 * @param presentOutcome what the reporter was sent as the outcome, where the change may send another one
 */
export const buildStatusConflictVersions = (
  incident: FormIncident,
  yours: string,
  presentOutcome: string | null = null,
): FormConflictVersionsData => ({
  theirs: <IncidentStatus incident={incident} presentOutcome={presentOutcome} />,
  yours: <strong>{yours}</strong>,
  field: "notes",
  alsoField: { name: "outcome", ifChosen: { field: "outcomeChoice", value: "send" } },
});

/** The current status, assignee, severity and record of an incident, and the outcome that its reporter was told. */
export function IncidentStatus({
  incident,
  presentOutcome = null,
}: {
  incident: FormIncident;
  presentOutcome?: string | null;
}) {
  const t = useTranslator("incident");
  const tPage = useTranslator("incidentPage");
  const { state, severity, assignedResponder, resolution } = incident;
  return (
    <>
      <strong>{t(`state.${state}`)}</strong>
      <span className="block">
        {t("field.assignee")}: {assignedResponder?.name ?? t("unassigned")}
      </span>
      <span className="block">
        {t("field.severity")}: {t(`severity.${severity ?? "none"}`)}
      </span>
      {resolution && <LabeledText label={t("field.resolution")}>{resolution}</LabeledText>}
      {presentOutcome && <LabeledText label={tPage("outcomeChoice")}>{presentOutcome}</LabeledText>}
    </>
  );
}

const LabeledText = ({ label, children }: { label: string; children: string }) => (
  <div className="mt-2">
    <span className="text-sm font-[650]">{label}</span>
    <UserText>{children}</UserText>
  </div>
);
