import type { IncidentRow } from "#lib/incidents/record-queries.ts";
import { hasTeamAccessToEvent, type Actor } from "#lib/operation/policy.ts";

/**
 * Returns what the actor may see of a row (contract 7.1). For anybody outside the team it omits other people's email
 * addresses, the phone number, the team's own files, its record and the name of the reported person.
 */
export function redactIncidentForActor(actor: Actor, row: IncidentRow): IncidentRow {
  if (hasTeamAccessToEvent(actor, row.eventId)) return row;
  const relatedFiles = row.relatedFiles
    .filter(({ visibleToReporter, uploadedBy }) => visibleToReporter || uploadedBy?.id === actor.id)
    .map((file) => ({
      ...file,
      uploadedBy: undefined,
      fromUnnamedReporter: undefined,
      visibleToReporter: undefined,
    }));
  const hideEmail = <Person extends { id: string; email: string | null }>(person: Person | null) =>
    person && (person.id === actor.id ? person : { ...person, email: null });
  return {
    ...row,
    resolution: null,
    contactPhone: null,
    reportedPersonName: null,
    reporter: hideEmail(row.reporter),
    assignedResponder: hideEmail(row.assignedResponder),
    relatedFiles,
  };
}
