import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { UnsentTextGuard } from "#components/incident/unsent-text-guard.tsx";
import { StatusBadge } from "#components/incident/badges.tsx";
import { TimelineKindTabs } from "#components/incident/history-filter.tsx";
import { IncidentPinToggle } from "#components/incident/pin-toggle.tsx";
import { QuickExit } from "#components/incident/quick-exit.tsx";
import { ReaderCountText } from "#components/incident/access-log.tsx";
import { ReporterRetentionNotice } from "#components/incident/retention-text.tsx";
import { SubmittedReportDetailsList } from "#components/incident/report-details.tsx";
import { type TimelineEntryData, IncidentTimeline } from "#components/incident/timeline.tsx";
import { Card } from "#components/ui/card.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { UserText } from "#components/ui/user-text.tsx";
import { StepProgress } from "#components/ui/step-progress.tsx";
import { Time } from "#components/ui/time.tsx";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { buildHrefWithQueryChanges } from "#lib/design/query.ts";
import { isReopenableState } from "#lib/incidents/lifecycle.ts";
import { type Incident, type IncidentState, INCIDENT_STATES } from "#lib/incidents/schema.ts";
import type { RetentionDate } from "#lib/retention/schema.ts";
import { IncidentFiles } from "./files.tsx";
import { type HidingCandidate, ReadersCard, type ReadersData } from "./readers-card.tsx";
import { TitleForm } from "./title-form.tsx";
import { NewEntriesBar } from "./new-entries-bar.tsx";
import { TimelinePagination } from "./timeline-pagination.tsx";
import { buildPlaceFields } from "./form-binding.ts";
import { CommentActions, type CommentViewerPermissions, MessageToTeamComposer } from "./composers.tsx";
import type { TeamIncidentPageData } from "./team-view.tsx";

type Props = TeamIncidentPageData &
  ReadersData & {
    ownFiles: readonly string[];
    access: { readBy: number; lastReadOn: string | null };
    reached: readonly IncidentState[];
    outcome: { body: string; createdAt: string } | null;
    teamHasWritten: boolean;
    exitUrl: string;
    mayRetitle: boolean;
    /** People on the team and in the organization from whom the reporter can hide the report. */
    candidates: readonly HidingCandidate[];
    retention: RetentionDate;
  };

/** An incident as its reporter sees it: status, conversation, and what they submitted. */
export function ReporterIncidentView(props: Props): ReactNode {
  const { incident, access, now, writing } = props;
  return (
    <ClientMessagesProvider of={[]}>
      <QuickExit to={props.exitUrl} event={incident.event.slug} belowBar />
      <UnsentTextGuard />
      <div className="mx-auto grid w-full max-w-3xl gap-5">
        <ReporterHeader {...props} />
        <StatusProgress {...props}>
          <ReaderCountText {...access} now={now} />
          <ReporterRetentionNotice retention={props.retention} now={now} />
        </StatusProgress>
        {props.outcome && <OutcomeCard {...props.outcome} state={incident.state} now={now} />}
        <ReporterConversation {...props} />
        <MessageToTeamComposer incident={incident} writing={writing} isHidden={props.hiddenFrom.length > 0} />
        <ReporterFiles {...props} />
        <SubmittedReportCard incident={incident} />
        <ReadersCard {...props} onTeam={false} mayStepOut={false} />
      </div>
    </ClientMessagesProvider>
  );
}

function ReporterHeader({ incident, pinned, mayRetitle, writing, now }: Props) {
  const t = useTranslator("ownReport");
  const tIncident = useTranslator("incident");
  return (
    <PageHeader
      title={incident.title}
      breadcrumbs={[
        { label: t("yourReports"), href: "/inbox" },
        { label: incident.event.name, href: `/e/${incident.event.slug}/incidents` },
      ]}
      meta={
        <>
          <span role="status">
            <StatusBadge state={incident.state} />
          </span>
          <span>
            {tIncident("field.reported")} <Time value={incident.createdAt} now={now} />
          </span>
        </>
      }
      actions={
        <>
          {mayRetitle && <TitleForm incident={incident} writing={writing} trigger={t("titleTrigger")} />}
          <IncidentPinToggle incident={incident} pinned={pinned} />
        </>
      }
    />
  );
}

type StatusProps = Pick<Props, "incident" | "reached" | "teamHasWritten"> & { children: ReactNode };

function StatusProgress({ incident, reached, teamHasWritten, children }: StatusProps) {
  const key = incident.state === "submitted" && teamHasWritten ? "submittedAndWritten" : incident.state;
  const t = useTranslator("ownReport");
  const tIncident = useTranslator("incident");
  return (
    <Card title={t("whereItStands")}>
      <div className="grid gap-4">
        <StepProgress
          label={t("progress")}
          steps={INCIDENT_STATES.map((state) => tIncident(`state.${state}`))}
          current={INCIDENT_STATES.indexOf(incident.state)}
          skipped={INCIDENT_STATES.map((state) => !reached.includes(state))}
        />
        <div className="grid max-w-[68ch] gap-2">
          <p className="text-lg">{tIncident(`now.${key}`)}</p>
          <p className="text-muted">{t("comesNext", { next: tIncident(`next.${incident.state}`) })}</p>
          {children}
        </div>
      </div>
    </Card>
  );
}

type OutcomeProps = { body: string; createdAt: string; state: IncidentState; now: Date };

/** What the team told as the outcome; marked as the earlier one while the report is open again. */
function OutcomeCard({ body, createdAt, state, now }: OutcomeProps) {
  const t = useTranslator("ownReport");
  return (
    <Card title={t(isReopenableState(state) ? "outcome" : "outcomeEarlier")} id="outcome">
      <div className="grid gap-2">
        <p className="text-sm text-muted">
          {t("outcomeFrom")} · <Time value={createdAt} now={now} />
        </p>
        <UserText>{body}</UserText>
      </div>
    </Card>
  );
}

/** The conversation with the team and the events in between. */
function ReporterConversation({ incident, kind, history, actor, path, query, writing, now }: Props) {
  const t = useTranslator("ownReport");
  const { entries, pagination } = history;
  const viewer: CommentViewerPermissions = {
    writing,
    place: buildPlaceFields(incident),
    mayDeleteAny: false,
  };
  return (
    <Card title={t("talk")} id="timeline">
      <div className="grid gap-4">
        <div className="no-print">
          <TimelineKindTabs path={path} query={query} kind={kind} team={false} />
        </div>
        {entries.length === 0 && <p className="text-muted">{t("nothingOfKind")}</p>}
        <IncidentTimeline
          entries={entries}
          now={now}
          names={false}
          href={buildHrefWithQueryChanges(path, query, {
            page: pagination.page > 1 ? pagination.page : null,
          })}
          label={(entry) => getEntryLabelKey(entry, actor.id)}
          actions={(entry) => <CommentActions entry={entry} viewer={viewer} />}
        />
        <NewEntriesBar incidentId={incident.id} known={pagination.total} />
        <TimelinePagination path={path} query={query} pagination={pagination} />
      </div>
    </Card>
  );
}

function getEntryLabelKey({ actor, comment }: TimelineEntryData, self: string): string {
  const t = useTranslator("ownReport");
  if (comment?.outcome) return t("outcome");
  return t(actor?.id === self ? "fromYou" : "fromTeam");
}

function ReporterFiles({ incident, ownFiles, query, writing, now }: Props) {
  return (
    <IncidentFiles
      incident={incident}
      writing={writing}
      rights={{ team: false, mayChange: true, mayOpenOriginals: false, own: ownFiles }}
      usage={null}
      query={query}
      now={now}
    />
  );
}

/** The report as it was sent, collapsed at first, because somebody else may be looking at the screen. */
function SubmittedReportCard({ incident }: { incident: Incident }) {
  const t = useTranslator("ownReport");
  return (
    <Card title={t("whatYouSent")}>
      <Disclosure summary={t("showWhatYouSent")}>
        <div className="grid gap-5">
          <p dir="auto" className="reading wrap-anywhere">
            {incident.description}
          </p>
          <SubmittedReportDetailsList incident={incident} />
        </div>
      </Disclosure>
    </Card>
  );
}
