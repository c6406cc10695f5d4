import { useTranslator } from "#i18n";
import { SeverityBadge, StatusBadge, UrgentBadge } from "#components/incident/badges.tsx";
import { DueAndAwaitingChips } from "#components/incident/due-chip.tsx";
import type { AwaitedReplyParty, ResponseDeadlineJson } from "#components/incident/due-text.ts";
import { Badge } from "#components/ui/badge.tsx";
import { StepProgress } from "#components/ui/step-progress.tsx";
import { Time } from "#components/ui/time.tsx";
import { isQuarterHour } from "#lib/design/time.ts";
import { formatIncidentName } from "#lib/incidents/incident-name.ts";
import { type Incident, type IncidentState, INCIDENT_STATES } from "#lib/incidents/schema.ts";
import { SoftConflictBadge } from "./conflict-section.tsx";
import { UnconfirmedIntakeBadge } from "./intake-card.tsx";
import { LiveIncidentRefresher } from "./live-incident.tsx";
import type { ReadersData } from "./readers-card.tsx";

type Props = {
  incident: Incident;
  clock: { due: ResponseDeadlineJson | null; awaiting: AwaitedReplyParty | null };
  readers: ReadersData["readers"];
  /** Number of people from whom the incident is hidden. */
  hiddenCount: number;
  now: Date;
};

/** The incident's title, and badges for what its team needs to know first. */
export function IncidentTitleAndBadges({ incident, clock, readers, hiddenCount, now }: Props) {
  const t = useTranslator("incident");
  return (
    <div className="grid min-w-0 gap-1.5">
      <h1
        id="report-title"
        tabIndex={-1}
        dir="auto"
        className="text-xl outline-none wrap-anywhere min-[50rem]:text-2xl"
      >
        {incident.title}
      </h1>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm text-muted">
        <bdi>{formatIncidentName(incident)}</bdi>
        <IncidentBadges incident={incident} hiddenCount={hiddenCount} />
        <SoftConflictBadge readers={readers} />
        <DueAndAwaitingChips {...clock} now={now} />
        <LiveIncidentRefresher
          incidentId={incident.id}
          updatedAt={incident.updatedAt}
          values={useLiveValues(incident)}
        />
        <span className="max-sm:hidden">
          {t("field.reported")}{" "}
          <Time value={incident.createdAt} now={now} isRounded={isQuarterHour(incident.createdAt)} />
        </span>
      </div>
    </div>
  );
}

function IncidentBadges({ incident, hiddenCount }: Pick<Props, "incident" | "hiddenCount">) {
  const { state, severity, urgent, unconfirmed, withdrawn } = incident;
  return (
    <>
      <span role="status">
        <StatusBadge state={state} />
      </span>
      {urgent && <UrgentBadge />}
      <SeverityBadge severity={severity} />
      {hiddenCount > 0 && <HiddenBadge count={hiddenCount} />}
      {withdrawn && <WithdrawnBadge />}
      {unconfirmed && <UnconfirmedIntakeBadge />}
    </>
  );
}

/**
 * The number of people from whom the incident is hidden, as a link to their names. The header doesn't show the names,
 * because other people may see the screen.
 */
function HiddenBadge({ count }: { count: number }) {
  const t = useTranslator("inbox");
  return (
    <a href="#readers" className="-my-2.5 inline-flex min-h-11 items-center">
      <Badge tone="internal" icon="eye-off">
        {t("hiddenFrom", { count })}
      </Badge>
    </a>
  );
}

/** The reporter of an anonymous report doesn't want it pursued; the team decides. */
function WithdrawnBadge() {
  const t = useTranslator("inbox");
  return (
    <Badge tone="caution" icon="undo-2">
      {t("withdrawn")}
    </Badge>
  );
}

/** Returns the values that other people may change, in the reader's language. */
function useLiveValues({ title, state, severity, assignedResponder }: Incident): string[] {
  const t = useTranslator("incident");
  const assignee = assignedResponder?.name ?? t("unassigned");
  return [title, t(`state.${state}`), t(`severity.${severity ?? "none"}`), assignee];
}

export function StatusStepper({
  state,
  reached,
}: {
  state: IncidentState;
  reached: readonly IncidentState[];
}) {
  const t = useTranslator("incidentPage");
  const tIncident = useTranslator("incident");
  return (
    <StepProgress
      label={t("progress")}
      steps={INCIDENT_STATES.map((one) => tIncident(`state.${one}`))}
      current={INCIDENT_STATES.indexOf(state)}
      skipped={INCIDENT_STATES.map((one) => !reached.includes(one))}
    />
  );
}
