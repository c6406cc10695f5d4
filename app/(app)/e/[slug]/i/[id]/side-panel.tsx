import { Mail, MessageCircleOff, Phone, UserRound } from "lucide-react";
import { useTranslator } from "#i18n";
import { type IncidentAccessLogData, IncidentViewerList } from "#components/incident/access-log.tsx";
import { Avatar } from "#components/ui/avatar.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { Card } from "#components/ui/card.tsx";
import { TextArea } from "#components/ui/field.tsx";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon, type LucideIcon } from "#components/ui/icon.tsx";
import { toDialString } from "#lib/design/dial.ts";
import { type Incident, MAX_STATUS_NOTES_LENGTH } from "#lib/incidents/schema.ts";
import { updateIncidentAction } from "./actions.ts";
import { buildIncidentHiddenFormFields } from "./status-forms.tsx";
import { AccountBoundForm, type FormAccountBinding } from "./ticketed-form.tsx";
import { FormToast } from "./toasts.tsx";

type IncidentProps = { incident: Incident };
type EditableIncidentProps = IncidentProps & { writing: FormAccountBinding };

/** The sender of the report, and how to contact them. */
export function ReporterDetails({ incident }: IncidentProps) {
  const t = useTranslator("incidentPage");
  const { reporter } = incident;
  return (
    <Card title={t("people")}>
      <div className="flex gap-3">
        {reporter ? <Avatar name={reporter.name} decorative /> : <Icon as={UserRound} className="mt-0.5" />}
        <div className="grid min-w-0 gap-0.5">
          <p className="text-sm text-muted">{t("reporter")}</p>
          {reporter ? (
            <ReporterContact incident={incident} reporter={reporter} />
          ) : (
            <p>{t(chooseUnnamedKey(incident))}</p>
          )}
        </div>
      </div>
    </Card>
  );
}

function chooseUnnamedKey({ hasMailbox, mailboxClosed }: Incident) {
  if (mailboxClosed) return "mailboxClosedLong";
  return hasMailbox ? "mailboxLong" : "anonymousLong";
}

function ReporterContact({
  incident,
  reporter,
}: IncidentProps & { reporter: NonNullable<Incident["reporter"]> }) {
  const t = useTranslator("incident");
  return (
    <>
      <p dir="auto" className="font-[650] wrap-anywhere">
        {reporter.name}
      </p>
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
      {incident.contactPhone && (
        <a
          className="text-link inline-flex min-h-11 items-center wrap-anywhere"
          href={`tel:${toDialString(incident.contactPhone)}`}
        >
          <bdi>{incident.contactPhone}</bdi>
        </a>
      )}
    </>
  );
}

const CONTACT_METHOD_ICONS: Record<Incident["contactMethod"], LucideIcon> = {
  email: Mail,
  phone: Phone,
  in_person: UserRound,
  no_contact: MessageCircleOff,
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

/** The resolution. The reporter reads the text written for them, and never a note of the team. */
export function ResolutionSection({ isNote, ...given }: ResolutionProps) {
  const t = useTranslator("incidentPage");
  const tIncident = useTranslator("incident");
  const { resolution } = given.incident;
  return (
    <Card title={tIncident("field.resolution")} actions={<ResolutionForm isNote={isNote} {...given} />}>
      {resolution ? (
        <div className="grid justify-items-start gap-2">
          <Badge tone={isNote ? "internal" : "public"}>
            {t(isNote ? "resolutionIsNote" : "resolutionIsShared")}
          </Badge>
          <p dir="auto" className="reading wrap-anywhere">
            {resolution}
          </p>
        </div>
      ) : (
        <ResolutionMissing />
      )}
    </Card>
  );
}

/** `isNote`: the text is the note of a status change, which the reporter can't read. */
type ResolutionProps = EditableIncidentProps & { isNote: boolean };

function ResolutionMissing() {
  const t = useTranslator("incidentPage");
  return <p className="text-muted">{t("resolutionNone")}</p>;
}

/** Never prefilled with a team note: editing it would disclose all of it to the reporter. */
function ResolutionForm({ incident, writing, isNote }: ResolutionProps) {
  const t = useTranslator("incidentPage");
  const tIncident = useTranslator("incident");
  const shared = isNote ? null : incident.resolution;
  return (
    <AccountBoundForm
      writing={writing}
      form="resolution"
      action={updateIncidentAction}
      hidden={buildIncidentHiddenFormFields(incident)}
      versions={{ theirs: incident.resolution ?? t("nothingYet"), field: "resolution" }}
      dialog={{
        trigger: shared ? t("edit") : t("write"),
        title: shared ? t("resolutionEdit") : t("resolutionWrite"),
      }}
    >
      <FormToast />
      <TextArea
        name="resolution"
        label={tIncident("field.resolution")}
        hint={t("resolutionHint")}
        required={isNote}
        defaultValue={shared ?? ""}
        maxLength={MAX_STATUS_NOTES_LENGTH}
        count
      />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("resolutionSave")}</SubmitButton>
      </FormActions>
    </AccountBoundForm>
  );
}
