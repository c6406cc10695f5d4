import { useTranslator } from "#i18n";
import { PhoneLink } from "#components/incident/phone-link.tsx";
import { renderIncidentTime } from "#components/incident/incident-time.tsx";
import { formatMarkedReporterName } from "#components/incident/reporter-marks.ts";
import { DefinitionList } from "#components/ui/definition-list.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { Time } from "#components/ui/time.tsx";
import { isQuarterHour } from "#lib/design/time.ts";
import { formatIncidentName } from "#lib/incidents/incident-name.ts";
import type { Incident } from "#lib/incidents/schema.ts";

type TeamProps = {
  incident: Incident;
  /** Everybody on the response team. */
  team: readonly { id: string; name: string }[];
};

/** The report's details and what has happened since; missing details are named in one line. */
export function ReportDetailsList({ incident, team, now }: TeamProps & { now: Date }) {
  const t = useTranslator("incident");
  const own = useTranslator("ownReport");
  const sentFacts = useSentFacts(incident, team);
  const at = (value: string | null) =>
    value && <Time value={value} now={now} show="both" isRounded={isQuarterHour(value)} />;
  return (
    <DefinitionList
      collapseBlank={(terms) => own("notGivenOf", { terms })}
      items={[
        ...sentFacts,
        {
          term: t("field.assignee"),
          value: incident.assignedResponder ? <bdi>{incident.assignedResponder.name}</bdi> : own("nobodyYet"),
        },
        { term: t("field.reported"), value: at(incident.createdAt) },
        ...[
          { term: t("field.firstAnswer"), value: at(incident.firstResponseAt) },
          { term: t("field.escalated"), value: at(incident.escalatedAt) },
          { term: t("field.reopened"), value: at(incident.reopenedAt) },
          { term: t("field.resolved"), value: at(incident.resolvedAt) },
        ].filter(({ value }) => value),
      ]}
    />
  );
}

/** The details as the reporter sent them; later changes are in the history. */
export function SubmittedReportDetailsList({ incident }: { incident: Incident }) {
  const own = useTranslator("ownReport");
  return (
    <DefinitionList
      collapseBlank={(terms) => own("notGivenOf", { terms })}
      items={useSentFacts(incident, null)}
    />
  );
}

function useSentFacts(incident: Incident, team: TeamProps["team"] | null) {
  const t = useTranslator("incident");
  const own = useTranslator("ownReport");
  const { event, reporter } = incident;
  return [
    { term: t("field.name"), value: <bdi>{formatIncidentName(incident)}</bdi> },
    {
      term: t("field.when"),
      value: renderIncidentTime(incident),
    },
    { term: t("field.where"), value: incident.location && <bdi>{incident.location}</bdi> },
    { term: t("field.parties"), value: incident.parties && <PartiesText parties={incident.parties} /> },
    { term: t("field.kind"), value: incident.type && <bdi>{incident.type}</bdi> },
    {
      term: t("field.reporter"),
      value: reporter ? (
        <bdi>{team ? formatMarkedReporterName(t, reporter, team) : reporter.name}</bdi>
      ) : (
        own("anonymousReport")
      ),
    },
    {
      term: t("field.contact"),
      value: reporter ? (
        <>
          {t(`contact.${incident.contactMethod}`)}
          {incident.contactPhone && (
            <>
              {" "}
              <PhoneLink number={incident.contactPhone} />
            </>
          )}
        </>
      ) : (
        own(incident.hasMailbox ? "inMailbox" : incident.mailboxClosed ? "mailboxEnded" : "notPossible")
      ),
    },
    { term: t("field.event"), value: <EventLink event={event} /> },
  ];
}

function PartiesText({ parties }: { parties: string }) {
  return (
    <span dir="auto" className="block whitespace-pre-wrap">
      {parties}
    </span>
  );
}

function EventLink({ event }: Pick<Incident, "event">) {
  return (
    <TextLink href={`/e/${event.slug}`} className="-my-2.5 inline-flex min-h-11 items-center wrap-anywhere">
      <bdi>{event.name}</bdi>
    </TextLink>
  );
}
