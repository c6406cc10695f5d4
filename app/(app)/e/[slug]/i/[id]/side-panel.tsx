import { useTranslator } from "#i18n";
import { type IncidentAccessLogData, IncidentViewerList } from "#components/incident/access-log.tsx";
import { PhoneLink } from "#components/incident/phone-link.tsx";
import { listReporterMarks } from "#components/incident/reporter-marks.ts";
import { Avatar } from "#components/ui/avatar.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { Card } from "#components/ui/card.tsx";
import { Icon, type IconName } from "#components/ui/icon.tsx";
import type { Incident } from "#lib/incidents/schema.ts";

type IncidentProps = { incident: Incident };
type ReporterProps = IncidentProps & {
  /** Everybody on the response team. */
  team: readonly { id: string; name: string }[];
};

/** The sender of the report, and how to contact them. */
export function ReporterDetails({ incident, team }: ReporterProps) {
  const t = useTranslator("incidentPage");
  const { reporter } = incident;
  return (
    <div className="flex gap-3">
      {reporter ? <Avatar name={reporter.name} /> : <Icon as="user-round" className="mt-0.5" />}
      <div className="grid min-w-0 gap-0.5">
        <p className="text-sm text-muted">{t("reporter")}</p>
        {reporter ? (
          <ReporterContact incident={incident} team={team} reporter={reporter} />
        ) : (
          <p>{t(chooseUnnamedKey(incident))}</p>
        )}
      </div>
    </div>
  );
}

function chooseUnnamedKey({ hasMailbox, mailboxClosed }: Incident) {
  if (mailboxClosed) return "mailboxClosedLong";
  return hasMailbox ? "mailboxLong" : "anonymousLong";
}

function ReporterContact({
  incident,
  team,
  reporter,
}: ReporterProps & { reporter: NonNullable<Incident["reporter"]> }) {
  const t = useTranslator("incident");
  return (
    <>
      <p dir="auto" className="font-[650] wrap-anywhere">
        {reporter.name}
      </p>
      {listReporterMarks(t, reporter, team).map((mark) => (
        <Badge key={mark} tone="caution">
          <bdi className="wrap-anywhere">{mark}</bdi>
        </Badge>
      ))}
      {reporter.email && (
        <a
          className="text-link inline-flex min-h-11 items-center wrap-anywhere"
          href={`mailto:${reporter.email}`}
        >
          {reporter.email}
        </a>
      )}
      <p className="flex items-start gap-1.5 text-sm">
        <Icon as={CONTACT_METHOD_ICONS[incident.contactMethod]} size={16} className="mt-0.5 text-muted" />
        {t(`contact.${incident.contactMethod}`)}
      </p>
      {incident.contactPhone && <PhoneLink number={incident.contactPhone} />}
    </>
  );
}

const CONTACT_METHOD_ICONS: Record<Incident["contactMethod"], IconName> = {
  email: "mail",
  phone: "phone",
  in_person: "user-round",
  no_contact: "message-circle-off",
};

/** The viewers of the incident, each with the time of their last view; the timeline lists single views. */
export function IncidentViewersCard({
  log,
  href,
  now,
}: {
  log: IncidentAccessLogData;
  href: string;
  now: Date;
}) {
  const t = useTranslator("incidentPage");
  return (
    <Card title={t("readBy")} id="access">
      <IncidentViewerList readers={log.readers} href={href} now={now} />
    </Card>
  );
}
