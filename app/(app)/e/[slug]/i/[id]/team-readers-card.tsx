import { listPeopleNamedInText } from "#lib/design/named-people.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { ReadersCard, toOrganizationCandidates, type ReadersData } from "./readers-card.tsx";
import type { AssignablePerson } from "./incident-fields.ts";
import type { FormAccountBinding } from "./form-binding.ts";

type Props = ReadersData & {
  actor: Actor;
  incident: Incident;
  writing: FormAccountBinding;
  now: Date;
  people: readonly AssignablePerson[];
  /** Members of the organization who aren't on the team. */
  organizationMembers: readonly { id: string; name: string }[];
  rights: { hide: boolean };
};

/** Who can read the incident, for its team. Suggests to Admins to hide it from the people whom the report names. */
export function TeamReadersCard(props: Props) {
  const { incident, people, rights, actor } = props;
  const known = [actor.id, incident.reporterId, ...props.hiddenFrom.map(({ person }) => person?.id)];
  const candidates = rights.hide ? people.filter(({ id }) => !known.includes(id)) : [];
  return (
    <ReadersCard
      {...props}
      candidates={[...candidates, ...toOrganizationCandidates(rights.hide ? props.organizationMembers : [])]}
      named={listPeopleNamedInText(
        [incident.title, incident.description, incident.parties].join("\n"),
        candidates,
        ({ name }) => name,
      )}
      onTeam
      mayStepOut={incident.reporterId !== actor.id && actor.outsideIncidentId === undefined}
    />
  );
}
