import type { ReactNode } from "react";
import { useWords } from "#words";
import { AsksBeforeLeaving } from "#components/incident/asks-before-leaving.tsx";
import { StateBadge } from "#components/incident/badges.tsx";
import { HistoryFilter } from "#components/incident/history-filter.tsx";
import { PinButton } from "#components/incident/pin-button.tsx";
import { QuickExit } from "#components/incident/quick-exit.tsx";
import { ReadByInNumbers } from "#components/incident/read-by.tsx";
import { ReportFacts } from "#components/incident/report-facts.tsx";
import { type Entry, Timeline } from "#components/incident/timeline.tsx";
import { Card } from "#components/ui/card.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { Stepper } from "#components/ui/stepper.tsx";
import { Time } from "#components/ui/time.tsx";
import { ClientWords } from "#components/words/client-words.tsx";
import { hrefWith } from "#lib/design/query.ts";
import { type Incident, type State, STATES } from "#lib/incidents/schema.ts";
import { Files } from "./files.tsx";
import { TitleForm } from "./moves.tsx";
import { NewsBar } from "./news-bar.tsx";
import { CommentActions, type Looking, ReporterComposer } from "./talk.tsx";
import type { OfPage } from "./team-view.tsx";

type Props = OfPage & {
  ownFiles: readonly string[];
  access: { readBy: number; lastReadOn: string | null };
  reached: readonly State[];
  exitUrl: string;
  mayRetitle: boolean;
};

/** A report as whoever sent it sees it: where it stands, what was said, what they gave. */
export function ReporterView(props: Props): ReactNode {
  const { incident, access, now, query, writing } = props;
  return (
    <ClientWords of={["caseClient", "chosenFiles", "quickExit"]}>
      <QuickExit to={props.exitUrl} event={incident.event.slug} belowBar />
      <AsksBeforeLeaving />
      <div className="mx-auto grid w-full max-w-3xl gap-5">
        <Head {...props} />
        <WhereItStands incident={incident} reached={props.reached}>
          <ReadByInNumbers {...access} now={now} />
        </WhereItStands>
        {incident.resolution && <Outcome resolution={incident.resolution} />}
        <Talk {...props} />
        <ReporterComposer incident={incident} writing={writing} />
        <Files
          incident={incident}
          writing={writing}
          rights={{ team: false, mayOpenOriginals: false, own: props.ownFiles }}
          usage={null}
          query={query}
          now={now}
        />
        <WhatWasSent incident={incident} now={now} />
      </div>
    </ClientWords>
  );
}

function Head({ incident, pinned, mayRetitle, writing, now }: Props) {
  const t = useWords("ownReport");
  const words = useWords("incident");
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
            <StateBadge state={incident.state} />
          </span>
          <span>
            {words("field.reported")} <Time value={incident.createdAt} now={now} />
          </span>
        </>
      }
      actions={
        <>
          {mayRetitle && <TitleForm incident={incident} writing={writing} trigger={t("titleTrigger")} />}
          <PinButton incident={incident} pinned={pinned} />
        </>
      }
    />
  );
}

type Standing = { incident: Incident; reached: readonly State[]; children: ReactNode };

function WhereItStands({ incident, reached, children }: Standing) {
  const t = useWords("ownReport");
  const words = useWords("incident");
  return (
    <Card title={t("whereItStands")}>
      <div className="grid gap-4">
        <Stepper
          compact
          label={t("progress")}
          steps={STATES.map((state) => words(`state.${state}`))}
          current={STATES.indexOf(incident.state)}
          skipped={STATES.map((state) => !reached.includes(state))}
        />
        <div className="grid max-w-[68ch] gap-2">
          <p className="text-lg">{words(`now.${incident.state}`)}</p>
          <p className="text-muted">{t("comesNext", { next: words(`next.${incident.state}`) })}</p>
          {children}
        </div>
      </div>
    </Card>
  );
}

function Outcome({ resolution }: { resolution: string }) {
  const words = useWords("incident");
  return (
    <Card title={words("field.resolution")}>
      <p dir="auto" className="reading wrap-anywhere">
        {resolution}
      </p>
    </Card>
  );
}

/** The conversation with the team, and what happened in between. */
function Talk({ incident, kind, history, actor, path, query, writing, now }: Props) {
  const t = useWords("ownReport");
  const { entries, pagination } = history;
  const looking: Looking = { writing, team: false, mayDeleteAny: false };
  return (
    <Card title={t("talk")} id="timeline">
      <div className="grid gap-4">
        <div className="no-print">
          <HistoryFilter path={path} query={query} kind={kind} team={false} />
        </div>
        {entries.length === 0 && <p className="text-muted">{t("nothingOfKind")}</p>}
        <Timeline
          entries={entries}
          now={now}
          names={false}
          href={hrefWith(path, query, { page: pagination.page > 1 ? pagination.page : null })}
          label={(entry) => labelFor(entry, actor.id)}
          actions={(entry) => <CommentActions entry={entry} incident={incident} looking={looking} />}
        />
        <NewsBar incidentId={incident.id} known={pagination.total} />
        <Pagination
          path={path}
          query={query}
          page={pagination.page}
          pages={pagination.totalPages}
          label={t("timelinePages")}
        />
      </div>
    </Card>
  );
}

function labelFor({ actor }: Entry, self: string): string {
  const t = useWords("ownReport");
  return t(actor?.id === self ? "fromYou" : "fromTeam");
}

/** Shut until it is pressed: somebody else may be looking at the screen. */
function WhatWasSent({ incident, now }: { incident: Incident; now: Date }) {
  const t = useWords("ownReport");
  return (
    <Card title={t("whatYouSent")}>
      <Disclosure summary={t("showWhatYouSent")}>
        <div className="grid gap-5">
          <p dir="auto" className="reading wrap-anywhere">
            {incident.description}
          </p>
          <ReportFacts incident={incident} now={now} />
        </div>
      </Disclosure>
    </Card>
  );
}
