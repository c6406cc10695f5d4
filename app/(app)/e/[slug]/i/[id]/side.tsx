import { Mail, MessageCircleOff, Phone, UserRound } from "lucide-react";
import { useWords } from "#words";
import { type AccessLog, ReadByTeam } from "#components/incident/read-by.tsx";
import { Avatar } from "#components/ui/avatar.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { Card } from "#components/ui/card.tsx";
import { SelectField, TextArea } from "#components/ui/field.tsx";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon, type LucideIcon } from "#components/ui/icon.tsx";
import { type Incident, NOTES_MAX, SEVERITIES } from "#lib/incidents/schema.ts";
import { updateAction } from "./actions.ts";
import { optionsOf, pathTo, type Person } from "./moves.tsx";
import { OwnForm, type Writing } from "./own-form.tsx";
import { TellDone } from "./toasts.tsx";

type OnReport = { incident: Incident };
type Changing = OnReport & { writing: Writing };

/** Who is responsible; one press when it should be oneself. */
export function Assignment({ incident, writing, people }: Changing & { people: readonly Person[] }) {
  const t = useWords("case");
  const words = useWords("incident");
  const hidden = { ...pathTo(incident), wasAssignee: incident.assignedResponderId ?? "" };
  const { writer } = writing;
  const mayTake = people.some(({ id }) => id === writer) && incident.assignedResponderId !== writer;
  return (
    <Card title={words("field.assignee")} className="no-print">
      <div className="grid gap-2">
        <OwnForm
          writing={writing}
          form="assignee"
          action={updateAction}
          hidden={hidden}
          label={words("field.assignee")}
          versions={{
            theirs: incident.assignedResponder?.name ?? words("unassigned"),
            field: "assignedResponderId",
            words: {
              "": words("unassigned"),
              ...Object.fromEntries(people.map(({ id, name }) => [id, name])),
            },
          }}
          className="gap-3"
        >
          <TellDone />
          <SelectField
            name="assignedResponderId"
            label={t("person")}
            prompt={t("nobody")}
            options={optionsOf(people)}
            defaultValue={incident.assignedResponderId ?? ""}
            markOptional={false}
          />
          <SubmitButton variant="secondary" pendingLabel={t("saving")}>
            {t("assign")}
          </SubmitButton>
        </OwnForm>
        <OwnForm
          writing={writing}
          form="take"
          id="take"
          action={updateAction}
          hidden={{ ...hidden, assignedResponderId: writer }}
          label={t("assignToMe")}
          className={mayTake ? "gap-3" : "hidden"}
        >
          <TellDone />
          {mayTake && (
            <SubmitButton variant="quiet" className="w-full" pendingLabel={t("saving")}>
              {t("assignToMe")}
            </SubmitButton>
          )}
        </OwnForm>
      </div>
    </Card>
  );
}

export function SeverityForm({ incident, writing }: Changing) {
  const t = useWords("case");
  const words = useWords("incident");
  const options = SEVERITIES.toReversed().map((value) => ({ value, label: words(`severity.${value}`) }));
  return (
    <Card title={words("field.severity")} className="no-print">
      <OwnForm
        writing={writing}
        form="severity"
        action={updateAction}
        hidden={{ ...pathTo(incident), wasSeverity: incident.severity ?? "" }}
        label={words("field.severity")}
        versions={{
          theirs: words(`severity.${incident.severity ?? "none"}`),
          field: "severity",
          words: Object.fromEntries([
            ["", words("severity.none")],
            ...options.map((o) => [o.value, o.label]),
          ]),
        }}
        className="gap-3"
      >
        <TellDone />
        <SelectField
          name="severity"
          label={t("howSevere")}
          prompt={words("severity.none")}
          options={options}
          defaultValue={incident.severity ?? ""}
          markOptional={false}
        />
        <SubmitButton variant="secondary" pendingLabel={t("saving")}>
          {t("setSeverity")}
        </SubmitButton>
      </OwnForm>
    </Card>
  );
}

/** Who sent it, and how they can be reached. */
export function People({ incident }: OnReport) {
  const t = useWords("case");
  const { reporter } = incident;
  return (
    <Card title={t("people")}>
      <div className="flex gap-3">
        {reporter ? <Avatar name={reporter.name} decorative /> : <Icon as={UserRound} className="mt-0.5" />}
        <div className="grid min-w-0 gap-0.5">
          <p className="text-sm text-muted">{t("reporter")}</p>
          {reporter ? <Reachable incident={incident} reporter={reporter} /> : <p>{t("anonymousLong")}</p>}
        </div>
      </div>
    </Card>
  );
}

function Reachable({ incident, reporter }: OnReport & { reporter: NonNullable<Incident["reporter"]> }) {
  const words = useWords("incident");
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
        <Icon as={WAYS[incident.contactMethod]} size={16} className="mt-0.5 text-muted" />
        {words(`contact.${incident.contactMethod}`)}
      </p>
    </>
  );
}

const WAYS: Record<Incident["contactMethod"], LucideIcon> = {
  email: Mail,
  phone: Phone,
  in_person: UserRound,
  no_contact: MessageCircleOff,
};

/** Who has opened it, and when last; the single looks are in the timeline. */
export function Access({ log, href, now }: { log: AccessLog; href: string; now: Date }) {
  const t = useWords("case");
  return (
    <Card title={t("readBy")} id="access">
      <ReadByTeam readers={log.readers} href={href} now={now} />
    </Card>
  );
}

/** How it ended. The reporter reads what was written for them, and no note of the team. */
export function Resolution({ isNote, ...given }: OnResolution) {
  const t = useWords("case");
  const words = useWords("incident");
  const { resolution } = given.incident;
  return (
    <Card title={words("field.resolution")} actions={<ResolutionForm isNote={isNote} {...given} />}>
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
        <NotWritten />
      )}
    </Card>
  );
}

/** `isNote`: it is the note of a move, which the reporter can't read. */
type OnResolution = Changing & { isNote: boolean };

function NotWritten() {
  const t = useWords("case");
  return <p className="text-muted">{t("resolutionNone")}</p>;
}

/** A note of the team never stands in it: who changes a word of theirs would show all of it to the reporter. */
function ResolutionForm({ incident, writing, isNote }: OnResolution) {
  const t = useWords("case");
  const words = useWords("incident");
  const shared = isNote ? null : incident.resolution;
  return (
    <OwnForm
      writing={writing}
      form="resolution"
      action={updateAction}
      hidden={pathTo(incident)}
      versions={{ theirs: incident.resolution ?? t("nothingYet"), field: "resolution" }}
      dialog={{
        trigger: shared ? t("edit") : t("write"),
        title: shared ? t("resolutionEdit") : t("resolutionWrite"),
      }}
    >
      <TellDone />
      <TextArea
        name="resolution"
        label={words("field.resolution")}
        hint={t("resolutionHint")}
        required={isNote}
        defaultValue={shared ?? ""}
        maxLength={NOTES_MAX}
        count
      />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("resolutionSave")}</SubmitButton>
      </FormActions>
    </OwnForm>
  );
}
