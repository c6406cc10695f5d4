import type { IncidentRow } from "#lib/incidents/record-queries.ts";
import { hasTeamAccessToEvent, type Actor } from "#lib/operation/policy.ts";

type Redactions = {
  [Field in keyof IncidentRow]: "shown" | ((value: IncidentRow[Field], actor: Actor) => IncidentRow[Field]);
};

const onlyForTeam = (): null => null;

const hideEmailOfOthers = <Person extends { id: string; email: string | null }>(
  person: Person | null,
  actor: Actor,
): Person | null => person && (person.id === actor.id ? person : { ...person, email: null });

/** What anybody outside the team sees of each field (contract 7.1). */
const OUTSIDE_THE_TEAM: Redactions = {
  id: "shown",
  number: "shown",
  codeName: "shown",
  title: "shown",
  description: "shown",
  state: "shown",
  severity: "shown",
  urgent: "shown",
  hasMailbox: "shown",
  unconfirmed: "shown",
  mailboxClosed: "shown",
  withdrawn: "shown",
  incidentAt: "shown",
  incidentOn: "shown",
  incidentDayPart: "shown",
  location: "shown",
  parties: "shown",
  eventId: "shown",
  reporterId: "shown",
  assignedResponderId: "shown",
  summary: onlyForTeam,
  resolution: onlyForTeam,
  firstResponseAt: "shown",
  resolvedAt: "shown",
  escalatedAt: "shown",
  reopenedAt: "shown",
  createdAt: "shown",
  updatedAt: "shown",
  type: "shown",
  contactMethod: "shown",
  contactPhone: onlyForTeam,
  event: "shown",
  reporter: hideEmailOfOthers,
  assignedResponder: hideEmailOfOthers,
  relatedFiles: (files, actor) =>
    files
      .filter(({ visibleToReporter, uploadedBy }) => visibleToReporter || uploadedBy?.id === actor.id)
      .map((file) => ({
        ...file,
        uploadedBy: undefined,
        fromUnnamedReporter: undefined,
        visibleToReporter: undefined,
      })),
  reportedPersonName: onlyForTeam,
  conflictCheck: "shown",
};

/** Returns whether the reporter sees a field as it is. */
export const isShownToReporter = (field: keyof IncidentRow): boolean => OUTSIDE_THE_TEAM[field] === "shown";

/**
 * Returns what the actor may see of a row (contract 7.1): the team all of it, anybody else what `OUTSIDE_THE_TEAM` says of
 * each field, and nothing that isn't named there.
 */
export function redactIncidentForActor(actor: Actor, row: IncidentRow): IncidentRow {
  if (hasTeamAccessToEvent(actor, row.eventId)) return row;
  const shown = Object.entries(OUTSIDE_THE_TEAM).map(([field, redact]) => {
    const value = row[field as keyof IncidentRow];
    return [field, redact === "shown" ? value : redact(value as never, actor)];
  });
  return Object.fromEntries(shown) as IncidentRow;
}
