import { DefinitionList } from "#components/ui/definition-list.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Incident } from "#lib/incidents/schema.ts";
import { CONTACT_WORDS } from "./words.ts";

/** What the report says besides its words; what wasn't given is said to be missing. */
export function ReportFacts({ incident, now }: { incident: Incident; now: Date }) {
  const { event, reporter } = incident;
  const at = (value: string | null) => value && <Time value={value} now={now} show="both" />;
  const milestones = [
    { term: "First answer", value: at(incident.firstResponseAt) },
    { term: "Escalated", value: at(incident.escalatedAt) },
    { term: "Reopened", value: at(incident.reopenedAt) },
    { term: "Resolved", value: at(incident.resolvedAt) },
  ].filter(({ value }) => value);
  return (
    <DefinitionList
      items={[
        {
          term: "When it happened",
          value: incident.incidentAt && <Time value={incident.incidentAt} show="exact" />,
        },
        { term: "Where", value: incident.location },
        {
          term: "Who was involved",
          value: incident.parties && <span className="whitespace-pre-wrap">{incident.parties}</span>,
        },
        { term: "Kind", value: incident.type },
        {
          term: "Reported by",
          value: reporter ? <Person {...reporter} /> : "Anonymous: no account is kept with this report",
        },
        {
          term: "How to reach them",
          value: reporter ? CONTACT_WORDS[incident.contactMethod] : "Not possible",
        },
        { term: "Event", value: <TextLink href={`/e/${event.slug}`}>{event.name}</TextLink> },
        { term: "Assigned to", value: incident.assignedResponder?.name ?? "Nobody yet" },
        { term: "Reported", value: at(incident.createdAt) },
        ...milestones,
      ]}
    />
  );
}

function Person({ name, email }: { name: string; email: string | null }) {
  return (
    <>
      {name}
      {email && (
        <>
          {" · "}
          <a className="text-link break-all" href={`mailto:${email}`}>
            {email}
          </a>
        </>
      )}
    </>
  );
}
