import { Pencil } from "lucide-react";
import type { Metadata } from "next";
import { eventTitle, responseTeam } from "#components/event/this-event.ts";
import { SeverityBadge, StateBadge } from "#components/incident/badges.tsx";
import { PinButton } from "#components/incident/pin-button.tsx";
import { ReportFacts, ReportFiles } from "#components/incident/report-facts.tsx";
import { Timeline } from "#components/incident/timeline.tsx";
import { FOR_THE_REPORTER } from "#components/incident/words.ts";
import { page } from "#components/shell/page.tsx";
import { buttonClass } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { Stepper } from "#components/ui/stepper.tsx";
import { Time } from "#components/ui/time.tsx";
import { mustBeSignedIn, show } from "#lib/api/page.ts";
import { showHistory } from "#lib/incidents/history.ts";
import { STATE_WORDS } from "#lib/incidents/lifecycle.ts";
import { showIncident } from "#lib/incidents/operations.ts";
import { type Incident, STATES, TITLE_MAX, TITLE_MIN } from "#lib/incidents/schema.ts";
import { listMyPins } from "#lib/pins/operations.ts";
import { can, isTeam } from "#lib/policy.ts";
import { retitleAction } from "./actions.ts";
import { Assignment, NextSteps, Resolution, SeverityForm } from "./moves.tsx";

type Props = { params: Promise<{ slug: string; id: string }> };

/** The title names the event only: it stays in histories and on shared screens. */
export const generateMetadata = ({ params }: Props): Promise<Metadata> => eventTitle(params);

/** One report: its words, what happened to it and, for the team, what to do next. */
export default page(async function IncidentPage({ params }: Props) {
  const { slug, id } = await params;
  const actor = await mustBeSignedIn();
  const path = { slug, incidentId: id };
  const { incident } = await show(showIncident, path);
  const team = isTeam(actor, incident.eventId);
  const [{ history }, { incidentIds }, people] = await Promise.all([
    show(showHistory, path),
    show(listMyPins, {}, { eventId: incident.eventId }),
    team ? responseTeam(slug) : [],
  ]);
  const now = new Date();
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
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_21rem]">
        <div className="grid gap-6">
          {!team && <ForTheReporter incident={incident} />}
          <Card title="The report">
            <p className="reading">{incident.description}</p>
          </Card>
          <Card title="Details">
            <ReportFacts incident={incident} now={now} />
          </Card>
          <Card title="Files">
            <ReportFiles incident={incident} />
          </Card>
          {(team || incident.resolution) && <Resolution incident={incident} team={team} />}
          <Card title="History">
            <Timeline entries={history} now={now} names={team} />
          </Card>
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

function ForTheReporter({ incident }: { incident: Incident }) {
  const { now, next } = FOR_THE_REPORTER[incident.state];
  return (
    <Card title="Where it stands">
      <div className="grid max-w-[68ch] gap-2">
        <p className="text-lg">{now}</p>
        <p className="text-muted">What comes next: {next}</p>
      </div>
    </Card>
  );
}
