import type { IncidentRow } from "#lib/incidents/record-queries.ts";
import { hasTeamAccessToEvent, type Actor } from "#lib/operation/policy.ts";

/**
 * Returns what the actor may see of a row (contract 7.1). For anybody outside the team it omits other people's email
 * addresses, the phone number, the team's own files, an internal resolution and the name of the reported person. For an
 * actor who only reviews how the incident was opened, it omits that name and the assignee (contract 18.5).
 */
export function redactIncidentForActor(actor: Actor, row: IncidentRow): IncidentRow {
  if (actor.onlyReviews)
    return { ...row, reportedPersonName: null, assignedResponder: null, assignedResponderId: null };
  if (hasTeamAccessToEvent(actor, row.eventId)) return row;
  const relatedFiles = row.relatedFiles
    .filter(({ visibleToReporter, uploadedBy }) => visibleToReporter || uploadedBy?.id === actor.id)
    .map((file) => ({
      ...file,
      uploadedBy: undefined,
      fromUnnamedReporter: undefined,
      visibleToReporter: undefined,
    }));
  const hideEmail = (person: IncidentRow["reporter"]) =>
    person && (person.id === actor.id ? person : { ...person, email: null });
  return {
    ...row,
    resolution: row.resolutionInternal ? null : row.resolution,
    contactPhone: null,
    reportedPersonName: null,
    reporter: hideEmail(row.reporter),
    assignedResponder: hideEmail(row.assignedResponder),
    relatedFiles,
  };
}
