import clsx from "clsx";
import { Pencil } from "lucide-react";
import type { Metadata } from "next";
import type { ComponentProps, ReactNode } from "react";
import { eventTitle, responseTeam } from "#components/event/this-event.ts";
import { SeverityBadge, StateBadge } from "#components/incident/badges.tsx";
import { HistoryFilter, historyKind } from "#components/incident/history-filter.tsx";
import { PinButton } from "#components/incident/pin-button.tsx";
import { ReadByInNumbers, ReadByTeam } from "#components/incident/read-by.tsx";
import { ReportFacts } from "#components/incident/report-facts.tsx";
import { Timeline } from "#components/incident/timeline.tsx";
import { FOR_THE_REPORTER } from "#components/incident/words.ts";
import { page } from "#components/shell/page.tsx";
import { buttonClass } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { Stepper } from "#components/ui/stepper.tsx";
import { Time } from "#components/ui/time.tsx";
import { takeFormReturn } from "#lib/api/form-return.ts";
import { mustBeSignedIn, show } from "#lib/api/page.ts";
import { listComments } from "#lib/comments/operations.ts";
import type { Query } from "#lib/design/query.ts";
import { showUsage } from "#lib/evidence/operations.ts";
import { listOwnFiles } from "#lib/evidence/own-files.ts";
import { showAccess } from "#lib/incidents/access-log.ts";
import { showHistory } from "#lib/incidents/history.ts";
import { STATE_WORDS } from "#lib/incidents/lifecycle.ts";
import { showIncident } from "#lib/incidents/operations.ts";
import { type Incident, STATES, TITLE_MAX, TITLE_MIN } from "#lib/incidents/schema.ts";
import { listMyPins } from "#lib/pins/operations.ts";
import { can, isTeam } from "#lib/policy.ts";
import { retitleAction } from "./actions.ts";
import { Conversation, type Looking } from "./conversation.tsx";
import { Files, type FileRights } from "./files.tsx";
import { Assignment, NextSteps, Resolution, SeverityForm } from "./moves.tsx";

type Props = { params: Promise<{ slug: string; id: string }>; searchParams: Promise<Query> };

/** The title names the event only: it stays in histories and on shared screens. */
export const generateMetadata = ({ params }: Pick<Props, "params">): Promise<Metadata> => eventTitle(params);

/** One report: its words, its files, what is said around it and, for the team, what to do next. */
export default page(async function IncidentPage({ params, searchParams }: Props) {
  const { slug, id } = await params;
  const { return: wantedReturn, ...query } = await searchParams;
  const actor = await mustBeSignedIn();
  const path = { slug, incidentId: id };
  const { incident } = await show(showIncident, path);
  const { eventId } = incident;
  const team = isTeam(actor, eventId);
  const [history, { incidentIds }, people, talk, around, own, access] = await Promise.all([
    show(showHistory, path, { kind: historyKind(query.kind, team), page: query.page }),
    show(listMyPins, {}, { eventId }),
    team ? responseTeam(slug) : [],
    conversation(path, query.comments),
    team ? show(showUsage, { slug }) : null,
    team ? null : show(listOwnFiles, path),
    show(showAccess, path, team ? accessQuery(query) : {}),
  ]);
  const returned = typeof wantedReturn === "string" ? await takeFormReturn(actor.id, wantedReturn) : null;
  const looking: Looking = {
    actorId: actor.id,
    team,
    mayDeleteAny: can(actor, "incident.deleteAnyComment", { eventId }),
  };
  const rights: FileRights = {
    team,
    mayOpenOriginals: can(actor, "incident.openOriginal", { eventId }),
    own: own?.fileIds ?? [],
  };
  const now = new Date();
  const here = { path: `/e/${slug}/i/${id}`, query };
  return (
    <div className="grid gap-6">
      <Head
        incident={incident}
        pinned={incidentIds.includes(incident.id)}
        mayRetitle={can(actor, "incident.retitleBySlug", incident)}
        now={now}
      />
      {team && (
        <a href="#actions" className={buttonClass("secondary", "lg:hidden")}>
          Go to the next step
        </a>
      )}
      <Stepper
        label="Progress"
        steps={STATES.map((state) => STATE_WORDS[state])}
        current={STATES.indexOf(incident.state)}
      />
      <div
        className={clsx("grid items-start gap-6", team ? "lg:grid-cols-[minmax(0,1fr)_21rem]" : "max-w-4xl")}
      >
        <div className="grid gap-6">
          {"readBy" in access && (
            <ForTheReporter incident={incident}>
              <ReadByInNumbers {...access} now={now} />
            </ForTheReporter>
          )}
          <Card title="The report">
            <p className="reading">{incident.description}</p>
          </Card>
          <Card title="Details">
            <ReportFacts incident={incident} now={now} />
          </Card>
          <Files
            incident={incident}
            rights={rights}
            usage={around?.usage ?? null}
            returned={returned}
            now={now}
          />
          {(team || incident.resolution) && <Resolution incident={incident} team={team} />}
          <Conversation incident={incident} talk={talk} looking={looking} query={query} now={now} />
          <History history={history} here={here} team={team} told={talk.comments} now={now} />
          {"readers" in access && (
            <Card title="Read by" id="access">
              <ReadByTeam log={access} {...here} whole={query.access !== undefined} now={now} />
            </Card>
          )}
        </div>
        {team && (
          <section id="actions" aria-label="Actions" className="no-print grid gap-6 lg:sticky lg:top-6">
            <NextSteps incident={incident} people={people} />
            <Assignment incident={incident} people={people} actorId={actor.id} />
            <SeverityForm incident={incident} />
          </section>
        )}
      </div>
    </div>
  );
});

const COMMENTS_A_PAGE = "20";

/** The page of the conversation that the address names; without, the last one. */
async function conversation(path: { slug: string; incidentId: string }, wanted: Query[string]) {
  const first = await show(listComments, path, { limit: COMMENTS_A_PAGE, page: wanted });
  const { totalPages } = first.pagination;
  if (wanted !== undefined || totalPages <= 1) return first;
  return show(listComments, path, { limit: COMMENTS_A_PAGE, page: String(totalPages) });
}

/** Each look where the address asks for it; the people alone come with every answer. */
const accessQuery = ({ access }: Query): Query =>
  access === undefined ? { only: "readers" } : { limit: "25", page: access };

type HistoryProps = {
  history: {
    history: ComponentProps<typeof Timeline>["entries"];
    pagination: { page: number; totalPages: number };
  };
  here: { path: string; query: Query };
  team: boolean;
  /** What stands in the conversation above. */
  told: readonly { id: string }[];
  now: Date;
};

function History({ history: { history, pagination }, here, team, told, now }: HistoryProps) {
  const kind = historyKind(here.query.kind, team);
  return (
    <Card title="History" id="history">
      <div className="grid gap-5">
        <HistoryFilter {...here} kind={kind} team={team} />
        {history.length === 0 && <p className="text-muted">Nothing of this kind yet.</p>}
        <Timeline
          entries={history}
          now={now}
          names={team}
          toldAbove={kind === "all" ? told.map(({ id }) => id) : []}
        />
        <Pagination
          {...here}
          page={pagination.page}
          pages={pagination.totalPages}
          label="Pages of the history"
        />
      </div>
    </Card>
  );
}

type HeadProps = { incident: Incident; pinned: boolean; mayRetitle: boolean; now: Date };

function Head({ incident, pinned, mayRetitle, now }: HeadProps) {
  const { event } = incident;
  return (
    <PageHeader
      title={incident.title}
      breadcrumbs={[
        { label: "Incidents", href: "/inbox" },
        { label: event.name, href: `/e/${event.slug}/incidents` },
      ]}
      meta={
        <>
          <span role="status">
            <StateBadge state={incident.state} />
          </span>
          <SeverityBadge severity={incident.severity} />
          <span>
            Reported <Time value={incident.createdAt} now={now} />
          </span>
        </>
      }
      actions={
        <>
          {mayRetitle && <TitleForm incident={incident} />}
          <PinButton incident={incident} pinned={pinned} />
        </>
      }
    />
  );
}

function TitleForm({ incident }: { incident: Incident }) {
  return (
    <Form
      action={retitleAction}
      hidden={{ slug: incident.event.slug, incidentId: incident.id, ifMatch: incident.updatedAt }}
      dialog={{
        title: "Edit the title",
        trigger: (
          <>
            <Icon as={Pencil} /> Edit title
          </>
        ),
      }}
    >
      <TextField
        name="title"
        label="Title"
        hint={`${TITLE_MIN} to ${TITLE_MAX} characters. The old title stays in the history.`}
        defaultValue={incident.title}
        minLength={TITLE_MIN}
        maxLength={TITLE_MAX}
        count
        autoComplete="off"
        required
      />
      <FormActions>
        <SubmitButton pendingLabel="Saving…">Save title</SubmitButton>
      </FormActions>
    </Form>
  );
}

function ForTheReporter({ incident, children }: { incident: Incident; children: ReactNode }) {
  const { now, next } = FOR_THE_REPORTER[incident.state];
  return (
    <Card title="Where it stands">
      <div className="grid max-w-[68ch] gap-2">
        <p className="text-lg">{now}</p>
        <p className="text-muted">What comes next: {next}</p>
        {children}
      </div>
    </Card>
  );
}
