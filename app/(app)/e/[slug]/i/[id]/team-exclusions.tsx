import { listPeopleNamedInText } from "#lib/design/named-people.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import type { Actor } from "#lib/operation/policy.ts";
import {
  ExclusionSection,
  toOrganizationExclusionCandidates,
  type IncidentExclusionData,
} from "./exclusions.tsx";
import type { AssignablePerson } from "./status-forms.tsx";
import type { FormAccountBinding } from "./ticketed-form.tsx";

type Props = {
  actor: Actor;
  incident: Incident;
  writing: FormAccountBinding;
  exclusions: readonly IncidentExclusionData[];
  referredTo: { name: string } | null;
  hasReader: boolean;
  people: readonly AssignablePerson[];
  /** Members of the organization who aren't on the team. */
  organizationMembers: readonly { id: string; name: string }[];
  rights: { exclude: boolean };
};

/**
 * The people who must not see the incident, for its team. Suggests to Admins to exclude the people whom the report
 * names.
 */
export function TeamExclusionSection(props: Props) {
  const { incident, writing, exclusions, referredTo, hasReader, people, rights, actor } = props;
  const known = [actor.id, incident.reporterId, ...exclusions.map(({ person }) => person?.id)];
  const candidates = rights.exclude ? people.filter(({ id }) => !known.includes(id)) : [];
  return (
    <ExclusionSection
      incident={incident}
      writing={writing}
      exclusions={exclusions}
      referredTo={referredTo}
      hasReader={hasReader}
      candidates={[
        ...candidates,
        ...toOrganizationExclusionCandidates(rights.exclude ? props.organizationMembers : []),
      ]}
      named={listPeopleNamedInText(incident.parties ?? "", candidates, ({ name }) => name)}
      onTeam
      mayRecuse={incident.reporterId !== actor.id && actor.referredIncidentId === undefined}
    />
  );
}
