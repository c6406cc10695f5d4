import type { ReactNode } from "react";
import { useLocale, useTranslator } from "#i18n";
import { UnsentTextGuard } from "#components/incident/unsent-text-guard.tsx";
import type { AwaitedReplyParty, ResponseDeadlineJson } from "#components/incident/due-text.ts";
import { HiddenNewTimelineEntriesProvider } from "#components/incident/hidden-new-entries.tsx";
import { TimelineKindTabs, type TimelineEntryKind } from "#components/incident/history-filter.tsx";
import { IncidentPinToggle } from "#components/incident/pin-toggle.tsx";
import { type IncidentAccessLogData, AccessLogList } from "#components/incident/access-log.tsx";
import { markNameOfReporter } from "#components/incident/reporter-marks.ts";
import { ReportDetailsList } from "#components/incident/report-details.tsx";
import { type TimelineEntryData, IncidentTimeline } from "#components/incident/timeline.tsx";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { Card } from "#components/ui/card.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { buildHrefWithQueryChanges, readSingleSearchParam, type SearchParams } from "#lib/design/query.ts";
import { canReachReporter, isReopenableState } from "#lib/incidents/lifecycle.ts";
import { type Incident, type IncidentState } from "#lib/incidents/schema.ts";
import { pickEditedFields } from "#lib/incidents/workflow-fields.ts";
import type { IntakeDetails } from "#lib/conversations/intake-schema.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { DetailsForm } from "./details-form.tsx";
import { EmergencyNotices, EmergencyReaderNotice } from "./emergency-notices.tsx";
import { IncidentFiles } from "./files.tsx";
import { IntakeCard } from "./intake-card.tsx";
import { type AssignablePerson, buildIncidentDialogId, type FormIncident } from "./incident-fields.ts";
import { IncidentFormsProvider } from "./incident-forms.tsx";
import { ReopenButton, IncidentActionBar, StatusChangeForms } from "./status-forms.tsx";
import { TitleForm } from "./title-form.tsx";
import { IncidentTitleAndBadges, StatusStepper } from "./incident-title.tsx";
import { IncidentKeyboardShortcuts } from "./incident-keys.tsx";
import {
  type ListUrlAndAdjacentIncidents,
  AdjacentIncidentLinks,
  buildListAndAdjacentIncidentHrefs,
} from "./list-position.tsx";
import { NewEntriesBar } from "./new-entries-bar.tsx";
import { TimelinePagination } from "./timeline-pagination.tsx";
import type { OutcomeMessageDefaults } from "./outcome-fields.tsx";
import { buildPlaceFields, type FormAccountBinding } from "./form-binding.ts";
import { PeopleCard, type DisplayedPerson } from "./people-card.tsx";
import { TeamPresenceAnnouncerAndList } from "./presence.tsx";
import type { ReadersData } from "./readers-card.tsx";
import { IncidentBreadcrumbs, OutsidePersonNotice } from "./outside-person.tsx";
import { TeamReadersCard } from "./team-readers-card.tsx";
import { MarkUnreadForm } from "./mark-unread.tsx";
import { PrintConfidentialityNotice } from "./print-notice.tsx";
import { AssignToMeButton, IncidentPropertyControls } from "./properties.tsx";
import { RetentionPanel, type DisplayedIncidentRetention } from "./retention-panel.tsx";
import { IncidentViewersCard } from "./side-panel.tsx";
import { CommentActions, MessageToReporterAndNoteComposers } from "./composers.tsx";
import { OutcomeSection, TeamRecordSection } from "./record-and-outcome.tsx";
import { ReportText } from "./report-text.tsx";
import { IncidentToastProvider } from "./toasts.tsx";

export type TeamIncidentPageData = {
  actor: Actor;
  incident: Incident;
  kind: TimelineEntryKind;
  history: {
    entries: readonly TimelineEntryData[];
    pagination: { page: number; total: number; totalPages: number };
  };
  pinned: boolean;
  /** Path and query of the page. */
  path: string;
  query: SearchParams;
  writing: FormAccountBinding;
  now: Date;
};

type Props = TeamIncidentPageData &
  ReadersData & {
    /** The response team. */
    people: readonly AssignablePerson[];
    /** Those of them who can be assigned the incident and mentioned in its notes. */
    assignable: readonly AssignablePerson[];
    /** Whom the team named in the incident. */
    named: readonly DisplayedPerson[];
    usage: { bytes: number; quota: number } | null;
    access: IncidentAccessLogData;
    /** `change`: anything at all; whoever opened it in an emergency only reads it. */
    rights: { change: boolean; retitle: boolean; deleteAny: boolean; originals: boolean; hide: boolean };
    organizationMembers: readonly { id: string; name: string }[];
    progress: {
      reached: readonly IncidentState[];
      outcome: { body: string; createdAt: string } | null;
    };
    /** The organization's own texts for outcome messages. */
    templates: OutcomeMessageDefaults["templates"];
    /** How the report was taken, if a team member wrote it down for somebody. */
    intake: IntakeDetails | null;
    clock: { due: ResponseDeadlineJson | null; awaiting: AwaitedReplyParty | null };
    /** Position in the list that the incident was opened from, if any. */
    among: ListUrlAndAdjacentIncidents | null;
    /** Whether single-key shortcuts are on. */
    keys: boolean;
    /** Path and query of this page, to return to. */
    here: string;
    retention: DisplayedIncidentRetention;
  };

/** An incident as the response team works on it. */
export function TeamIncidentView(props: Props): ReactNode {
  const { incident, now } = props;
  return (
    <ClientMessagesProvider of={[]}>
      <IncidentFormsProvider forms={useSharedFormData(props)}>
        <IncidentToastProvider>
          <UnsentTextGuard />
          <IncidentKeyboardShortcuts
            on={props.keys}
            here={props.here}
            incidentId={incident.id}
            {...buildListAndAdjacentIncidentHrefs(props.among)}
          />
          <div className="grid gap-5 pb-16 min-[50rem]:pb-0">
            <PrintConfidentialityNotice of={props.actor.name} now={now} />
            <TeamHeader {...props} />
            <div className="grid items-start gap-5 min-[50rem]:grid-cols-[minmax(0,1fr)_17rem] min-[50rem]:grid-rows-[auto_minmax(0,1fr)] min-[75rem]:grid-cols-[minmax(0,1fr)_21.25rem]">
              <ReportedContent {...props} />
              <Conversation {...props} />
              <IncidentSidebar {...props} />
            </div>
          </div>
        </IncidentToastProvider>
      </IncidentFormsProvider>
    </ClientMessagesProvider>
  );
}

function useSharedFormData({ incident, writing, assignable, templates, progress }: Props) {
  const locale = useLocale();
  return {
    incident: pickFormValues(incident),
    isReporterReachable: canReachReporter(incident),
    writing,
    people: assignable,
    outcome: {
      templates: templates.filter((template) => template.locale === locale),
      presentOutcome: progress.outcome?.body ?? null,
    },
  };
}

/** Returns only what the forms need, since all of it is sent to the browser. */
const pickFormValues = (incident: Incident): FormIncident => ({
  id: incident.id,
  event: { slug: incident.event.slug },
  updatedAt: incident.updatedAt,
  state: incident.state,
  ...pickEditedFields(incident),
  assignedResponder: incident.assignedResponder && { name: incident.assignedResponder.name },
});

/** The content of the report: its text, details and files. */
function ReportedContent(props: Props) {
  const { incident, people, rights, usage, query, writing, now } = props;
  const t = useTranslator("incident");
  const relatedFiles = incident.relatedFiles.map((file) => ({
    ...file,
    uploadedBy: markNameOfReporter(t, file.uploadedBy, { reporter: incident.reporter, team: people }),
  }));
  return (
    <div className="grid min-w-0 gap-5">
      <OutsidePersonNotice {...props} />
      {rights.change ? <AfterClosingNotice {...props} /> : <EmergencyReaderNotice />}
      <EmergencyNotices emergencies={props.emergencies} now={now} />
      <ReportText incident={incident} />
      <ReportFactsSection {...props} />
      <IncidentFiles
        incident={{ ...incident, relatedFiles }}
        writing={writing}
        rights={{ team: true, mayChange: rights.change, mayOpenOriginals: rights.originals, own: [] }}
        usage={usage}
        query={query}
        now={now}
      />
    </div>
  );
}

/** The fields to write in, the timeline, the record, the outcome, and who viewed the incident. */
function Conversation(props: Props) {
  const { incident, assignable, access, path, query, writing, now } = props;
  return (
    <div className="grid min-w-0 gap-5">
      {props.rights.change && (
        <MessageToReporterAndNoteComposers
          incident={incident}
          people={assignable}
          isHidden={props.hiddenFrom.length > 0}
          writing={writing}
        />
      )}
      <TeamTimeline {...props} />
      <TeamRecordSection incident={incident} mayChange={props.rights.change} />
      <OutcomeSection
        incident={incident}
        mayChange={props.rights.change}
        outcome={props.progress.outcome}
        now={now}
      />
      <IncidentViewersCard
        log={access}
        href={`${buildHrefWithQueryChanges(path, query, { kind: "access", page: null })}#timeline`}
        now={now}
      />
      <TeamReadersCard {...props} />
    </div>
  );
}

/** Shown when the reporter wrote after the incident was resolved or closed: suggests replying or reopening it. */
function AfterClosingNotice({ incident: { state }, clock }: Props) {
  const t = useTranslator("incidentPage");
  if (clock.awaiting !== "team" || !isReopenableState(state)) return null;
  return (
    <Notice kind="warning" title={t("afterClosing", { state })}>
      <div className="grid gap-3">
        <p>{t("afterClosingWhy")}</p>
        <div className="no-print flex flex-wrap gap-2">
          <a href="#talk" className={buildButtonClass("primary")}>
            {t("reply")}
          </a>
          <ReopenButton />
        </div>
      </div>
    </Notice>
  );
}

/**
 * The incident's sidebar (below the conversation on a phone): the controls that change a property in one press, the reporter,
 * the intake, the status forms, and the retention.
 */
function IncidentSidebar(props: Props) {
  const { incident, intake, assignable, rights, writing, retention, query, now } = props;
  return (
    <aside
      id="side"
      className="grid min-w-0 scroll-mt-40 gap-5 min-[50rem]:col-start-2 min-[50rem]:row-span-2 min-[50rem]:row-start-1"
    >
      {rights.change && <IncidentPropertyControls unlistedCount={props.people.length - assignable.length} />}
      <PeopleCard
        incident={incident}
        team={props.people}
        named={props.named}
        mayChange={rights.change}
        writing={writing}
      />
      {intake && (
        <IntakeCard
          incident={incident}
          intake={intake}
          now={now}
          corrections={readSingleSearchParam(query, "readBack")}
        />
      )}
      {rights.change && <StatusChangeForms />}
      {rights.retitle && (
        <TitleForm incident={incident} writing={writing} id={buildIncidentDialogId("title")} />
      )}
      <RetentionPanel
        incident={incident}
        retention={retention}
        writing={writing}
        mayChange={rights.change}
        now={now}
      />
    </aside>
  );
}

/**
 * The incident's title and status, with the actions on it. The header stays visible while the page scrolls, except in a
 * small window, where it would leave little room.
 */
function TeamHeader(props: Props) {
  const { actor, incident, people, progress, among } = props;
  const { event, state } = incident;
  return (
    <>
      <div className="-mb-4 flex items-center justify-between gap-x-4">
        <IncidentBreadcrumbs actor={actor} event={event} />
        <TeamPresenceAnnouncerAndList slug={event.slug} incidentId={incident.id} people={people} />
        {among && <AdjacentIncidentLinks {...among} />}
      </div>
      <header className="top-[var(--offline-notice,0px)] z-20 -mx-4 grid gap-2 border-b border-line bg-paper px-4 py-3 sm:-mx-6 sm:px-6 min-[50rem]:[@media(min-height:34rem)]:sticky print:static!">
        <div className="flex items-start justify-between gap-x-6 gap-y-2">
          <IncidentTitleAndBadges {...props} hiddenCount={props.hiddenFrom.length} />
          <HeaderActions {...props} />
        </div>
        <div className="print:hidden">
          <StatusStepper state={state} reached={progress.reached} />
        </div>
      </header>
    </>
  );
}

function HeaderActions({ incident, pinned, rights, among }: Props) {
  return (
    <div className="flex items-center gap-2">
      <IncidentPinToggle incident={incident} pinned={pinned} />
      {rights.change && (
        <IncidentActionBar
          mayRetitle={rights.retitle}
          others={<MarkUnreadForm incident={incident} list={among?.href ?? null} />}
        >
          <AssignToMeButton />
        </IncidentActionBar>
      )}
    </div>
  );
}

function ReportFactsSection({ incident, people, rights, writing, now }: Props) {
  const t = useTranslator("incidentPage");
  return (
    <Card
      title={t("details")}
      actions={rights.change && <DetailsForm incident={incident} writing={writing} />}
    >
      <ReportDetailsList incident={incident} team={people} now={now} />
    </Card>
  );
}

/** Messages, notes and changes in one stream; views of the incident only on request. */
function TeamTimeline({ incident, people, kind, history, access, rights, path, query, writing, now }: Props) {
  const t = useTranslator("ownReport");
  const { entries, pagination } =
    kind === "access" ? { entries: [], pagination: access.pagination } : history;
  const viewer = { writing, place: buildPlaceFields(incident), mayDeleteAny: rights.deleteAny };
  const empty = kind === "access" ? access.access.length === 0 : entries.length === 0;
  return (
    <Card title={t("timeline")} id="timeline">
      <div className="grid gap-4">
        <div className="no-print">
          <TimelineKindTabs path={path} query={query} kind={kind} team />
        </div>
        {empty && <p className="text-muted">{t("nothingOfKind")}</p>}
        {kind === "access" && <AccessLogList views={access.access} now={now} />}
        <HiddenNewTimelineEntriesProvider
          key={`${kind} ${pagination.page}`}
          entries={entries.map(({ id, actor }) => ({ id, own: actor?.id === writing.writer }))}
        >
          <IncidentTimeline
            entries={useMarkedEntries(entries, incident, people)}
            now={now}
            names
            href={buildHrefWithQueryChanges(path, query, {
              page: pagination.page > 1 ? pagination.page : null,
            })}
            label={(entry) => getEntryLabelKey(entry, incident)}
            actions={(entry) => rights.change && <CommentActions entry={entry} viewer={viewer} />}
          />
          {kind !== "access" && <NewEntriesBar incidentId={incident.id} known={pagination.total} floating />}
        </HiddenNewTimelineEntriesProvider>
        <TimelinePagination path={path} query={query} pagination={pagination} />
      </div>
    </Card>
  );
}

function useMarkedEntries(
  entries: readonly TimelineEntryData[],
  { reporter }: Incident,
  team: Props["people"],
): TimelineEntryData[] {
  const t = useTranslator("incident");
  return entries.map((entry) => ({
    ...entry,
    actor: markNameOfReporter(t, entry.actor, { reporter, team }),
  }));
}

function getEntryLabelKey({ comment, actor }: TimelineEntryData, { reporterId }: Incident): string {
  const t = useTranslator("incidentPage");
  if (comment?.outcome) return t("outcomeTitle");
  if (comment?.visibility === "internal") return t("noteTitle");
  const isFromReporter = comment?.fromMailbox || (reporterId !== null && actor?.id === reporterId);
  return t(isFromReporter ? "fromReporter" : "messageTitle");
}
