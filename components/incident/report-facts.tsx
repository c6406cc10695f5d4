import { Download, FileText } from "lucide-react";
import { DefinitionList } from "#components/ui/definition-list.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Incident } from "#lib/incidents/schema.ts";
import { CONTACT_WORDS, fileSize } from "./words.ts";

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

/** The files of a report, to download. Nothing of them is shown before somebody asks. */
export function ReportFiles({ incident }: { incident: Incident }) {
  if (incident.relatedFiles.length === 0)
    return <p className="text-muted">No files came with this report.</p>;
  const base = `/api/events/slug/${incident.event.slug}/incidents/${incident.id}/related-files`;
  return (
    <ul className="divide-y divide-line">
      {incident.relatedFiles.map((file) => (
        <li key={file.id} className="flex items-center gap-3 py-1.5">
          <Icon as={FileText} className="text-muted" />
          <a
            href={`${base}/${file.id}/download`}
            download={file.filename}
            className="group flex min-h-11 min-w-0 grow flex-wrap items-center justify-between gap-x-4"
          >
            <span className="min-w-0 break-all text-accent underline underline-offset-3 group-hover:decoration-2">
              {file.filename}
            </span>
            <span className="inline-flex items-center gap-2 text-sm text-muted">
              {fileSize(file.size)} · {file.mimetype} <Icon as={Download} size={16} label="Download" />
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
