import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { EmergencyContactsNotice } from "#components/event/emergency-notice.tsx";
import { PublicEventHeader } from "#components/event/public-event-header.tsx";
import { useHoursOrDaysText } from "#components/event/handling-steps.tsx";
import { ReportReadersText } from "#components/event/readers-text.tsx";
import {
  acceptsReportsFromAnyAccount,
  loadPublicEventAndSetZone,
  type PublicEventRecord,
  loadEventReportSettingsOfPage,
  type EventReportSettingsRecord,
  loadResponseTeam,
  type EventPageProps,
} from "#components/event/event-data.ts";
import { QuickExit } from "#components/incident/quick-exit.tsx";
import { ReportForm, type ReportFormLimits } from "#components/incident/report-form.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { definePage } from "#components/shell/page.tsx";
import { RadioGroup, SelectField, TextArea, TextField } from "#components/ui/field.tsx";
import { IconWithoutScript } from "#components/ui/icon-without-script.tsx";
import { clockIcon, type IconShapes, eyeOffIcon, sirenIcon, usersIcon } from "#lib/design/icons.ts";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import {
  createUploadFormUrlToken,
  computeDeviceDraftName,
  WRITER_WITHOUT_ACCOUNT,
  sealWriterIdAsFormTicket,
  takeRefusedForm,
  readFormTicketWriterId,
} from "#lib/http/form-drafts.ts";
import { checkSetup } from "#lib/accounts/operations.ts";
import { loadPageData, getActorOrRedirectToSignIn, getCurrentActor } from "#lib/http/page.ts";
import { AnonymousFilesNote } from "./name-notes.tsx";
import { ReporterFields } from "./reporter-fields.tsx";
import { findTeamToNameInForm, type TeamMember, TeamQuestion } from "./team-question.tsx";
import { CannotReportPage } from "./cannot-report-page.tsx";
import { takeRefusedFormAndVisitorId } from "#lib/http/visitor-form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { FILE_DIALOG_ACCEPT } from "#lib/files/file-types.ts";
import { type IncidentKind, STORED_TYPE_BY_INCIDENT_KIND } from "#lib/incidents/kinds.ts";
import {
  MAX_INCIDENT_DESCRIPTION_LENGTH,
  MAX_FILE_DESCRIPTION_LENGTH,
  EVIDENCE_UPLOAD_LIMITS,
  MAX_LOCATION_LENGTH,
  MAX_PARTIES_LENGTH,
  MAX_REPORTED_PERSON_NAME_LENGTH,
  MAX_INCIDENT_TITLE_LENGTH,
  MIN_INCIDENT_TITLE_LENGTH,
} from "#lib/incidents/schema.ts";
import { can } from "#lib/operation/policy.ts";
import { ReportFrame } from "./report-frame.tsx";
import { SignedOutCoverText } from "./signed-out-cover-text.tsx";
import { UnreadNotice } from "./unread-notice.tsx";
import { RestoredOrLostReportTextNotice } from "./restored-or-lost-text-notice.tsx";

/**
 * The report form, for members of the event, for anyone with an account where the event is open to them, and for
 * people without one where it allows that. Opening it joins nothing and leaves no trace of who did
 * (docs/decisions/043). It has no title of its own, so that browser history doesn't show who reports, or where.
 */
export default definePage(async function ReportPage({ params, searchParams }: EventPageProps) {
  const { slug } = await params;
  const query = await searchParams;
  const event = await loadPublicEventAndSetZone(slug);
  const settings = await loadEventReportSettingsOfPage(slug);
  const isVisitor = settings.withoutAccount && (await getCurrentActor()) === null && !query.return;
  if (settings.withoutAccount && (isVisitor || query.without === "account"))
    return await renderReportWithoutAccount({ event, settings }, query.return);
  const actor = await getActorOrRedirectToSignIn();
  const isMember = can(actor, "incident.create", { eventId: event.id });
  if (!isMember && !acceptsReportsFromAnyAccount(event, settings))
    return <CannotReportPage event={event} settings={settings} />;
  const { return: returnKey } = query;
  const returned = typeof returnKey === "string" ? await takeRefusedForm(actor.id, returnKey) : null;
  // A refused form is shown all the same: its text must not be lost.
  if (!isMember && !settings.hasReader && !returned)
    return <CannotReportPage event={event} settings={settings} />;
  // Only members are shown a team that the public page doesn't name. Asking for it as anybody else would be refused,
  // and the refusal logged with the account, at the time at which the form was opened.
  const readers = isMember ? await loadResponseTeam(slug) : settings.team;
  const { supportContact } = await loadPageData(checkSetup);
  return (
    <FramedReport
      userId={actor.id}
      returned={returned}
      isReturn={returnKey !== undefined}
      intro={{ event, settings, readers, isMember, supportContact }}
    />
  );
}, NarrowFrame);

/** Renders the report form for somebody who has no account, or doesn't use it: nothing asks or says who they are. */
async function renderReportWithoutAccount(
  { event, settings }: Pick<ReportIntroProps, "event" | "settings">,
  returnKey: string | string[] | undefined,
): Promise<ReactNode> {
  const { visitor, returned } = await takeRefusedFormAndVisitorId(returnKey);
  if (!settings.hasReader && !returned) return <CannotReportPage event={event} settings={settings} />;
  const { supportContact } = await loadPageData(checkSetup);
  return (
    <FramedReport
      userId={visitor}
      returned={returned}
      isReturn={returnKey !== undefined}
      intro={{
        event,
        settings,
        readers: settings.team,
        isMember: false,
        supportContact,
        withoutAccount: true,
      }}
    />
  );
}

/** `isReturn`: a form was refused, and the page is to show it again. */
function FramedReport({ isReturn, ...report }: EventReportProps & { isReturn: boolean }) {
  const t = useTranslator("report");
  const { event, settings } = report.intro;
  return (
    <ReportFrame slug={event.slug}>
      <ClientMessagesProvider of={["ui", "quickExit", "reportForm", "chosenFiles"]}>
        <QuickExit to={settings.exitUrl} event={event.slug} />
        <div className="grid gap-6">
          <PublicEventHeader event={event} title={t("title")} />
          {!settings.hasReader && <UnreadNotice {...report.intro} />}
          {isReturn && (
            <RestoredOrLostReportTextNotice
              found={report.returned !== null}
              withoutAccount={report.intro.withoutAccount ?? false}
            />
          )}
          <EventReportForm {...report} />
        </div>
      </ClientMessagesProvider>
    </ReportFrame>
  );
}

type EventReportProps = { userId: string; returned: FormState | null; intro: ReportIntroProps };

function EventReportForm({ userId, returned, intro }: EventReportProps) {
  const { event, settings } = intro;
  const ticket = findOrCreateTicket(userId, returned);
  const { withoutAccount = false } = intro;
  const team = findTeamToNameInForm(intro, userId);
  const danger = <EmergencyContactsNotice settings={settings} />;
  const dangerNow = <EmergencyContactsNotice settings={settings} now />;
  return (
    <ReportForm
      slug={event.slug}
      writer={withoutAccount ? null : userId}
      sendPath={`/api/events/slug/${event.slug}/${withoutAccount ? "anonymous-reports" : intro.isMember ? "incidents" : "reports"}`}
      ticket={ticket}
      sendTo={`/e/${event.slug}/report/send?upload=${createUploadFormUrlToken()}${withoutAccount ? "&without=account" : ""}`}
      returned={returned && { ...returned, values: { ...returned.values, ticket } }}
      limits={REPORT_LIMITS}
      choices={[...listIncidentTypeLabels(), ...(team.team ?? [])]}
      eventZone={event.timeZone}
      zoneField={<ZoneField />}
      draftName={computeDeviceDraftName(withoutAccount ? WRITER_WITHOUT_ACCOUNT : userId, event.id)}
      danger={<CollapsedEmergencyNotice>{danger}</CollapsedEmergencyNotice>}
      dangerNow={dangerNow}
      kind={<KindField />}
      more={<MoreDetailFields dangerNow={dangerNow} asksWhom={settings.conflictCheck} />}
      team={<TeamQuestion {...team} />}
      filesNote={withoutAccount && <AnonymousFilesText />}
      you={withoutAccount ? null : <ReporterFields />}
      plainly={<NoScriptSubmit />}
      covered={<SignedOutCoverText />}
      intro={
        <>
          <ReportIntro {...intro} />
          {danger}
        </>
      }
    />
  );
}

/**
 * Returns the ticket of a returned form, so that a report that may have arrived isn't submitted twice; else a new one.
 */
function findOrCreateTicket(userId: string, returned: FormState | null): string {
  const { ticket = null } = returned?.values ?? {};
  return ticket !== null && readFormTicketWriterId(ticket) === userId
    ? ticket
    : sealWriterIdAsFormTicket(userId);
}

function CollapsedEmergencyNotice({ children }: { children: ReactNode }) {
  const t = useTranslator("reportForm");
  return (
    <details className="border-t border-line pt-2">
      <summary className="inline-flex min-h-11 items-center gap-2 font-[550] text-accent">
        <IconWithoutScript of={sirenIcon} />
        {t("danger")}
      </summary>
      {children}
    </details>
  );
}

/** This and the components after it are the static parts of the form: the server renders them, without script. */
function KindField() {
  const t = useTranslator("reportForm");
  const tPage = useTranslator("report");
  return (
    <SelectField
      name="type"
      label={t("field.type")}
      prompt={tPage("kindNone")}
      options={listIncidentTypeLabels()}
    />
  );
}

function ZoneField() {
  const t = useTranslator("ui");
  return (
    <TextField
      name="zone"
      label={t("timeZone")}
      hint={t("timeZoneHint")}
      autoComplete="off"
      markOptional={false}
    />
  );
}

function MoreDetailFields({ dangerNow, asksWhom }: { dangerNow: ReactNode; asksWhom: boolean }) {
  const t = useTranslator("reportForm");
  const tPage = useTranslator("report");
  return (
    <>
      <TextField
        name="location"
        label={t("field.location")}
        hint={tPage("locationHint")}
        maxLength={MAX_LOCATION_LENGTH}
      />
      <TextArea
        name="parties"
        label={t("field.parties")}
        hint={tPage("partiesHint")}
        rows={3}
        maxLength={MAX_PARTIES_LENGTH}
        count
      />
      {asksWhom && <ReportedPersonField />}
      <RadioGroup
        name="severity"
        label={t("field.severity")}
        options={(["none", "low", "medium", "high", "critical"] as const).map((value) => ({
          value: value === "none" ? "" : value,
          label: t(`severity.${value}`),
        }))}
        defaultValue=""
        markOptional={false}
      />
      <div className="if-in-danger">{dangerNow}</div>
    </>
  );
}

/** Asks whom the report is about, which the team sees before it answers the conflict check. */
function ReportedPersonField() {
  const t = useTranslator("reportForm");
  const tPage = useTranslator("report");
  return (
    <TextField
      name="reportedPersonName"
      label={t("field.reportedPersonName")}
      hint={tPage("reportedPersonHint")}
      maxLength={MAX_REPORTED_PERSON_NAME_LENGTH}
      autoComplete="off"
    />
  );
}

function AnonymousFilesText() {
  return (
    <div className="grid max-w-[60ch] gap-2 text-muted">
      <AnonymousFilesNote />
    </div>
  );
}

function NoScriptSubmit() {
  const t = useTranslator("report");
  return <p className="max-w-[60ch] text-sm text-muted">{t("unscripted")}</p>;
}

const REPORT_LIMITS: ReportFormLimits = {
  title: { min: MIN_INCIDENT_TITLE_LENGTH, max: MAX_INCIDENT_TITLE_LENGTH },
  description: MAX_INCIDENT_DESCRIPTION_LENGTH,
  files: EVIDENCE_UPLOAD_LIMITS,
  accept: FILE_DIALOG_ACCEPT,
  fileLine: MAX_FILE_DESCRIPTION_LENGTH,
};

/** The incident types as stored, each with its label in the reader's language. */
function listIncidentTypeLabels() {
  const t = useTranslator("incident");
  return Object.entries(STORED_TYPE_BY_INCIDENT_KIND).map(([kind, value]) => ({
    value,
    label: t(`kind.${kind as IncidentKind}`),
  }));
}

type ReportIntroProps = {
  event: PublicEventRecord;
  /** The response team, as far as it is shown. */
  readers: readonly TeamMember[];
  settings: EventReportSettingsRecord;
  isMember: boolean;
  /** How to reach the people who run the service. */
  supportContact: string | null;
  /** The report has no reporter's name, and its sender is not looked up. */
  withoutAccount?: boolean;
};

/** An introduction for the reporter: who reads reports, how soon the team responds, and what reporting involves. */
function ReportIntro({ event, readers, settings, isMember, withoutAccount = false }: ReportIntroProps) {
  const t = useTranslator("report");
  const time = useHoursOrDaysText(settings.answerWithinHours);
  return (
    <ul className="grid gap-4">
      {settings.hasReader && (
        <IntroFact icon={usersIcon} title={t("who")}>
          <ReportReadersText
            event={event}
            names={readers.map(({ name }) => name)}
            isTeamKnown={isMember || settings.showTeam}
          />
        </IntroFact>
      )}
      <IntroFact icon={clockIcon} title={t("how")}>
        {time && <p>{t("howSoon", { time })}</p>}
        <p>{t("howLong")}</p>
      </IntroFact>
      <IntroFact icon={eyeOffIcon} title={t("yourName")}>
        <p>{t(withoutAccount ? "howNoName" : "howName")}</p>
        {withoutAccount && (
          <p>
            <a
              href={`/login?next=${encodeURIComponent(`/e/${event.slug}/report`)}`}
              className="text-link inline-flex min-h-11 items-center"
            >
              {t("withAccount")}
            </a>
          </p>
        )}
        {!isMember && !withoutAccount && <p>{t("howNameJoin")}</p>}
      </IntroFact>
    </ul>
  );
}

type FactProps = { icon: IconShapes; title: string; children: ReactNode };

function IntroFact({ icon, title, children }: FactProps) {
  return (
    <li className="flex gap-3">
      <IconWithoutScript of={icon} size={24} className="text-accent" />
      <div className="grid max-w-[60ch] min-w-0 gap-1">
        <p className="font-[650]">{title}</p>
        {children}
      </div>
    </li>
  );
}
